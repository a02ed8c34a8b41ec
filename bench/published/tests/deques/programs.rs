//! Small programs on the published queues: an owner, thieves, and in the end each item came once.

use std::sync::Arc;

use aqueduct_measure::items::Item;
use aqueduct_model::thread;

use super::super::program::{Program, Which};
use super::super::slot::Slot;
use super::{chase_lev, go, tokio};

/// A queue's owner and thief.
trait Queue: Sized {
    type Thief: Clone + Send + 'static;
    /// Whether a thread takes items in the order in which they were pushed, as thieves and as an
    /// owner.
    const THIEVES_IN_ORDER: bool;
    const OWNER_IN_ORDER: bool;

    fn open(capacity: u32) -> (Self, Self::Thief);
    fn push(&mut self, item: Item) -> bool;
    fn push_next(&mut self, item: Item) -> bool {
        self.push(item)
    }
    fn pop(&mut self) -> Option<Item>;
    /// Steals up to `most` items.
    fn steal(thief: &Self::Thief, most: usize) -> Vec<Item>;
}

fn several(most: usize, steal: impl FnOnce(&mut [Item]) -> Option<usize>) -> Vec<Item> {
    let mut items = vec![Item::MAX; most];
    let count = steal(&mut items).unwrap_or(0);
    items.truncate(count);
    items
}

macro_rules! queue {
    ($owner:ty, $module:ident, $thieves:literal, $own:literal, |$thief:ident, $most:ident| $steal:expr $(, $push_next:ident)?) => {
        impl Queue for $owner {
            type Thief = $module::Thief;
            const THIEVES_IN_ORDER: bool = $thieves;
            const OWNER_IN_ORDER: bool = $own;

            fn open(capacity: u32) -> (Self, Self::Thief) {
                $module::new(capacity)
            }

            fn push(&mut self, item: Item) -> bool {
                <$owner>::push(self, item)
            }

            $(
                fn push_next(&mut self, item: Item) -> bool {
                    <$owner>::$push_next(self, item)
                }
            )?

            fn pop(&mut self) -> Option<Item> {
                <$owner>::pop(self)
            }

            fn steal($thief: &Self::Thief, $most: usize) -> Vec<Item> {
                $steal
            }
        }
    };
}

queue!(chase_lev::Owner<true>, chase_lev, true, false, |thief, _most| thief.steal().into_iter().collect());
queue!(chase_lev::Owner<false>, chase_lev, true, false, |thief, _most| thief.steal().into_iter().collect());
queue!(go::Owner, go, false, false, |thief, most| several(most, |items| thief.steal(items).ok()), push_next);

impl Queue for tokio::Owner<Item> {
    type Thief = tokio::Thief<Item>;
    const THIEVES_IN_ORDER: bool = true;
    const OWNER_IN_ORDER: bool = true;

    fn open(capacity: u32) -> (Self, Self::Thief) {
        tokio::new(capacity)
    }

    fn push(&mut self, item: Item) -> bool {
        tokio::Owner::push(self, item)
    }

    fn pop(&mut self) -> Option<Item> {
        tokio::Owner::pop(self)
    }

    fn steal(thief: &Self::Thief, most: usize) -> Vec<Item> {
        several(most, |items| thief.steal(items).ok())
    }
}

pub(crate) fn run(which: Which, program: Program) {
    match which {
        Which::Unbounded => run_on::<chase_lev::Owner<true>>(program),
        Which::Bounded => run_on::<chase_lev::Owner<false>>(program),
        Which::Tokio => run_on::<tokio::Owner<Item>>(program),
        Which::Go => run_on::<go::Owner>(program),
    }
}

fn run_on<Q: Queue>(program: Program) {
    let (owner, thief) = Q::open(program.capacity);
    let made: Arc<[Slot<u64>]> = (0..6).map(|_| Slot::empty()).collect();
    let mut owner = Owning { owner, made: Arc::clone(&made), pushed: Vec::new(), popped: Vec::new() };
    owner.act(program.before);
    let thieves: Vec<_> = (program.thieves.iter())
        .map(|&part| {
            let (thief, made) = (thief.clone(), Arc::clone(&made));
            thread::spawn(move || {
                let mosts = part.chars().map(|most| most.to_digit(10).expect("a digit") as usize);
                mosts.flat_map(|most| Q::steal(&thief, most)).inspect(|&item| use_up(&made, item)).collect::<Vec<_>>()
            })
        })
        .collect();
    owner.act(program.owner);
    let mut came = Vec::new();
    for thread in thieves {
        let stolen = thread.join().unwrap();
        assert!(!Q::THIEVES_IN_ORDER || stolen.is_sorted(), "a thief got {stolen:?}");
        came.extend(stolen);
    }
    while owner.pop() {}
    let Owning { pushed, popped, .. } = owner;
    assert!(!Q::OWNER_IN_ORDER || popped.is_sorted(), "the owner got {popped:?}");
    came.extend(popped);
    came.sort_unstable();
    assert_eq!(came, pushed, "each item comes once");
}

/// Uses what the item's maker wrote: a race, if the queue does not order it.
fn use_up(made: &[Slot<u64>], item: Item) {
    // SAFETY: the checker reports accesses that race before they can do harm.
    assert_eq!(unsafe { made[item.get() as usize - 1].read() }, item.get());
}

struct Owning<Q> {
    owner: Q,
    /// The data that belongs to each item.
    made: Arc<[Slot<u64>]>,
    pushed: Vec<Item>,
    popped: Vec<Item>,
}

impl<Q: Queue> Owning<Q> {
    fn act(&mut self, part: &str) {
        for call in part.chars() {
            match call {
                '-' => _ = self.pop(),
                _ => self.push(call == '*'),
            }
        }
    }

    fn pop(&mut self) -> bool {
        let item = self.owner.pop();
        item.inspect(|&item| use_up(&self.made, item));
        self.popped.extend(item);
        item.is_some()
    }

    fn push(&mut self, is_next: bool) {
        let item = Item::new(self.pushed.len() as u64 + 1).expect("not 0");
        // SAFETY: as in `use_up`.
        unsafe { self.made[self.pushed.len()].write(item.get()) };
        let is_in = if is_next { self.owner.push_next(item) } else { self.owner.push(item) };
        self.pushed.extend(is_in.then_some(item));
    }
}
