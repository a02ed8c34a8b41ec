//! The two handles of a queue under test, and the kind that makes them; all calls are static.

use aqueduct::bwos::policy::Victim;
use aqueduct_measure::items::Item;
use aqueduct_measure::rounds::Fault;

/// The item that the owner takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The newest one.
    Lifo,
    /// The oldest one.
    Fifo,
}

impl Order {
    /// Returns its part of a bench's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lifo => "lifo",
            Self::Fifo => "fifo",
        }
    }
}

/// The room of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Items.
    pub capacity: usize,
    /// The number of blocks; none leaves it to the queue.
    pub blocks: Option<usize>,
    /// The percentage of items that will be stolen, for a bound with a precomputed split.
    pub percent: u32,
}

impl From<usize> for Room {
    /// Returns the room for `capacity` items, in the queue's own number of blocks, with an unknown
    /// number of thefts.
    fn from(capacity: usize) -> Self {
        Self { capacity, blocks: None, percent: 0 }
    }
}

/// The owner's handle.
pub trait Owner: Send {
    /// Pushes one item. Returns false if the queue refused it.
    fn push(&mut self, item: Item) -> bool;

    /// Takes one item, if there is one.
    fn pop(&mut self) -> Option<Item>;
}

/// A thief's handle. In a pool it is a [`Victim`] of our policies, also if the queue is a peer's.
pub trait Thief: Victim<Item = Item> + Send {
    /// Returns another thief of the same queue.
    #[must_use]
    fn another(&self) -> Self;

    /// Steals one item. `None` means that there is none, or that another thread was quicker.
    fn steal_one(&mut self) -> Option<Item>;

    /// Steals up to `items.len()` items with one synchronisation, writes them to the front of
    /// `items`, and returns their number.
    ///
    /// Not called for a queue without such an interface ([`Kind::BATCHES`]).
    fn steal_batch(&mut self, _items: &mut [Item]) -> usize {
        0
    }
}

/// A queue under test: its name, its abilities, and its constructor.
pub trait Kind: Sized + Send + Sync + 'static {
    /// `CRATE/QUEUE`.
    const NAME: &'static str;
    /// The item that the owner takes.
    const ORDER: Order;
    /// Whether it is a peer, not one of aqueduct's queues.
    const PEER: bool = true;
    /// Whether there can be thieves. A kind without thieves is a bound.
    const THIEVES: bool = true;
    /// Whether the split between owner and thief is precomputed, for experiments in which a single
    /// thief gets a fixed share.
    const DIVIDED: bool = false;
    /// Whether a thief can take several items with one synchronisation.
    const BATCHES: bool = true;
    /// Whether it consists of blocks, whose number the user may choose.
    const BLOCKS: bool = false;
    /// Whether the owner takes the newest item first, whatever it takes then.
    const NEWEST_FIRST: bool = matches!(Self::ORDER, Order::Lifo);
    /// Whether a thief can count the items that it could steal.
    const ESTIMATES: bool = true;

    /// The owner's handle.
    type Owner: Owner;
    /// The thief's handle.
    type Thief: Thief;

    /// Makes an empty queue with room for `capacity` items, or the next number it can do; in the
    /// given number of blocks, if there is one and the queue [has blocks](Self::BLOCKS).
    ///
    /// # Errors
    /// A sentence that names the possible capacities.
    fn open(room: Room) -> Result<(Self::Owner, Self::Thief), String>;
}

/// Returns the item of that number. Numbers start with 1, so the compiler can infer that none is 0.
#[inline(always)]
pub(super) fn item(number: u64) -> Item {
    Item::new(number).unwrap_or(Item::MIN)
}

/// `1 + 2 + ... + last`, modulo 2^64.
pub(super) fn sum_to(last: u64) -> u64 {
    let last = u128::from(last);
    (last * (last + 1) / 2) as u64
}

/// Empties the queue. Returns the number of items, and their sum.
///
/// Inlined, so that the handle's address is not taken, and it can live in registers.
#[inline(always)]
pub(super) fn drain(owner: &mut impl Owner) -> (u64, u64) {
    let (mut popped, mut sum) = (0, 0_u64);
    while let Some(item) = owner.pop() {
        popped += 1;
        sum = sum.wrapping_add(item.get());
    }
    (popped, sum)
}

/// Whether `popped` items with the sum `sum` are those from 1 to `pushed`.
pub(super) fn all_came(pushed: u64, (popped, sum): (u64, u64)) -> Result<(), Fault> {
    let expected = sum_to(pushed);
    if (popped, sum) != (pushed, expected) {
        return Err(Fault::WrongItems { popped, wanted: pushed, sum, expected });
    }
    Ok(())
}
