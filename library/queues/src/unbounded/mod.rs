//! Unbounded first-in-first-out queues for any number of producers and consumers.
//!
//! A chain of blocks grows with the items and gives its memory back. One word for a block's address
//! and an index is the idea of Giersch and Nolte, "Fast and Portable Concurrent FIFO Queues With
//! Deterministic Memory Reclamation", IEEE TPDS 33(3), 2022. Slots that a consumer can skip are
//! those of Correia and Ramalhete's FAAArrayQueue (2016).
//!
//! # Examples
//! ```
//! let queue = aqueduct::unbounded::Queue::new();
//! std::thread::scope(|scope| {
//!     for producer in 0..4 {
//!         let queue = &queue;
//!         scope.spawn(move || {
//!             for number in 0..1000 {
//!                 queue.push(1000 * producer + number).expect("there is memory");
//!             }
//!         });
//!     }
//! });
//! assert_eq!(queue.drain().sum::<u32>(), 7_998_000);
//! ```
//! Handles detect that the other side has been dropped:
//! ```
//! let (mut producer, mut consumer) = aqueduct::unbounded::new()?;
//! producer.push("last words")?;
//! drop(producer);
//! assert!(consumer.is_closed());
//! assert_eq!(consumer.pop()?, "last words");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where one thread consumes, [`mpsc`] is faster, and where one produces as well, [`spsc`]:
//! ```
//! let (mut producer, mut consumer) = aqueduct::unbounded::spsc::new()?;
//! producer.push("no read-modify-write operation")?;
//! assert!(consumer.pop().is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When to use it
//! Use it where a producer must not be refused, and something else limits the number of items, or
//! where most queues are empty most of the time and seldom long.
//!
//! # When not to use it
//! - If producers can be faster than consumers for long, this queue takes all memory. A [bounded
//!   queue](crate::bbq) refuses their pushes.
//! - In signal handlers, and wherever an allocation is too slow: a push that needs a block may
//!   allocate it. [`nblfq`](crate::nblfq) and [`bbq`](crate::bbq) never allocate.
//!
//! # Guarantees
//! The queue is linearizable: items come out in the order in which they were pushed, each once.
//! `Empty` means that the queue had no item at one moment during the call. This takes account of
//! every operation that happens before the call, in the sense of the memory model.
//!
//! With many consumers it is lock-free, not wait-free. A thread that stops anywhere in an operation
//! holds up no other thread. A pop that comes to a slot whose producer is late skips the slot,
//! after a short wait; the producer pushes its item again, behind those that others have pushed
//! meanwhile. So no operation returns `Busy`. Blocks are allocated and freed by the allocator,
//! which may have a lock.
//!
//! With [one consumer](mpsc), no slot is skipped: a pop that comes to a slot whose producer is late
//! returns `Busy`, and a producer that stops in the middle of a push holds up the consumer, but no
//! producer. With one producer as well, both sides are wait-free, but for the allocator.
//!
//! A pop of [many consumers](Queue) or with [many producers](mpsc) that finds few items, right
//! after one that found some, may pause for about a microsecond before it takes the oldest one, so
//! that producers get ahead: close behind them, each item costs both sides a transfer of a cache
//! line. It does so only while that brings more items, and never after a pop that found none.
//!
//! Threads of one side that are at work at once take turns of some hundred operations: one that
//! comes upon another's turn may pause for some microseconds at most, while that one makes
//! progress.
//!
//! A push fails if there is no memory for a block. [`PushError::Full`] gives the item back, and the
//! queue remains as it was. Items that are left in a queue are dropped with it, the oldest first,
//! also if a destructor panics.
//!
//! On 64-bit machines more than a million threads would have to be stopped in pushes, at the end of
//! one block, before an index overflows. **On 32-bit machines, 3000 threads are enough.** No code
//! counts threads.
//!
//! # Memory
//! A queue takes no memory before the first push. A block has [`block_size`](Queue::block_size)
//! slots. By default it takes about 4 KiB: 251 items of 8 bytes, and at least 8 items of any size.
//! A slot takes a byte more than its item, rounded up to the item's alignment.
//!
//! An empty queue keeps one block, and a second one for the next need. All other blocks are freed
//! when their last item has been popped. A thread that stops in the middle of a push or a pop keeps
//! one block from being freed; that block is freed with one of the next blocks, or with the queue.
//!
//! # Cost
//! | operation | costs |
//! | --- | --- |
//! | push | one fetch-and-add that producers share, one swap in the slot |
//! | pop | one fetch-and-add or compare-exchange that consumers share, one load and one store in the slot |
//! | push of a slice | one compare-exchange for each block, one swap for each item |
//! | pop of a slice | one compare-exchange for each block, one load and one store for each item |
//! | push, [one consumer](mpsc) | one fetch-and-add, one store in the slot |
//! | push, [one producer, one consumer](spsc) | one store in the slot |
//! | pop, one consumer | one load in the slot |
//! | first push into a block | an allocation or the spare block, a store for each slot, two compare-exchanges |
//!
//! # Design and proof
//! Each end of the queue is one word: the address of a block and an index in it. A fetch-and-add on
//! it claims a slot and returns its block, in one step. The claim keeps the block from being freed
//! until the slot has been used. So a thread need not announce its accesses, and there are no
//! epochs or hazard pointers.
//!
//! 1. **A slot** is claimed by one producer and by one consumer. The producer writes its item and
//!    swaps `FILLED` in. The consumer waits a moment for that and swaps `SKIPPED` in. The first
//!    swap decides which of them has the item. The thread that is done last stores `DONE`.
//! 2. **Visitors.** An index beyond the slots belongs to no slot. The thread that gets one is a
//!    visitor of the block: it moves the end on to the next block, and leaves. The index at which
//!    an end moves on gives the number of visitors that this end has brought in all. The block
//!    counts those that have left. When both ends have moved on and all visitors have left, only
//!    the slots are still in use. The last visitor reads their states. If a slot is in use, it puts
//!    the block into a list, and the last visitor of a later block goes through that list.
//! 3. **The next block** is linked with the item of the producer that adds it. So among producers
//!    whose slots are skipped again and again, one succeeds at each block's end. The head never
//!    goes past the tail: a consumer moves the tail on before it moves the head on.
//! 4. **Consumers use fetch-and-add only in blocks that the tail has left**, in which every slot
//!    has a producer. In the tail's block they use compare-exchange, so that they do not claim
//!    slots without a producer. A consumer estimates the tail's place by a hint beside the head. A
//!    wrong hint costs a skipped slot and nothing else.
//! 5. **One consumer** claims nothing and skips nothing: it looks at the state of the next slot,
//!    and leaves a block when it has taken all of its items. So a slot is filled by a store, and is
//!    never marked as done.
//! 6. **`Empty`** compares the two words without access to a block. If a block is used again
//!    between the two loads, the head has left it meanwhile. Then the counter of the blocks that
//!    the head has left has changed; a consumer reads it before and after.
//!
//! ## Differences from the papers
//! - Giersch and Nolte's consumers always use fetch-and-add, and their queue carries pointers.
//! - Here items lie in the slots, and a pop swaps nothing unless a producer is late. A block's
//!   slots are not counted but marked, so that a pop needs no second read-modify-write operation.
//!
//! ## Load buffering
//! No searched client leans on RC11's ban of [load buffering](crate::bbq#load-buffering).

mod block;
mod chain;
mod handles;
mod place;
mod reclaim;
mod side;
mod single;

use core::fmt;

pub use handles::{Consumer, Handles, Producer, new, with_block_size};
pub use side::Side;

pub use crate::sides::{Multi, Single};

use crate::error::{CapacityError, PopError, PushError};
use block::Block;
use chain::Chain;
use place::ALIGN;
use reclaim::Owner;

/// The bytes of a block of the default size, with the allocator's own.
const BLOCK_BYTES: usize = ALIGN - 64;

/// The number of slots of a block if its items are large.
const LEAST_SLOTS: usize = 8;

/// The number of slots of a block if none is asked for.
const fn default_slots<T>() -> usize {
    Block::<T>::slots_within(BLOCK_BYTES, LEAST_SLOTS)
}

/// Returns the number of slots of a block, if it can be as asked.
const fn checked_slots<T>(asked: usize) -> Result<usize, CapacityError> {
    let max = Block::<T>::slots_within(isize::MAX as usize - ALIGN, 0);
    match asked {
        0 => Err(CapacityError::Zero),
        asked if asked > max => Err(CapacityError::TooLarge { asked, max }),
        slots => Ok(slots),
    }
}

/// An unbounded queue that threads share by reference or in an `Arc`.
///
/// # Examples
/// ```
/// use aqueduct::unbounded::Queue;
///
/// static EVENTS: Queue<String> = Queue::new();
///
/// EVENTS.push("started".to_owned())?;
/// assert_eq!(EVENTS.pop()?, "started");
/// assert!(EVENTS.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// The queue is `Sync` if its items are `Send`, and not otherwise:
/// ```compile_fail,E0277
/// let queue = aqueduct::unbounded::Queue::<std::rc::Rc<u8>>::new();
/// std::thread::scope(|scope| {
///     scope.spawn(|| queue.len());
/// });
/// ```
/// A reference can be pushed only if it lives as long as the queue's items:
/// ```compile_fail,E0597
/// # use aqueduct::unbounded::Queue;
/// fn lend<'a>(queue: &Queue<&'a str>, word: &'a str) {
///     let _ = queue.push(word);
/// }
/// let queue = Queue::<&'static str>::new();
/// {
///     let word = String::from("short-lived");
///     lend(&queue, &word);
/// }
/// println!("{:?}", queue.pop());
/// ```
#[doc(alias = "SegQueue")]
#[doc(alias = "ConcurrentQueue")]
#[doc(alias = "linked list")]
pub struct Queue<T> {
    owner: Owner<T, Multi, Multi>,
}

impl<T> Queue<T> {
    /// Makes an empty queue. It takes no memory before the first push.
    #[must_use]
    pub const fn new() -> Self {
        Self { owner: Owner(Chain::new(default_slots::<T>())) }
    }

    /// Makes an empty queue whose blocks have `block_size` slots each, at most 1024.
    ///
    /// Small blocks suit many queues that are short. Large blocks allocate seldom.
    ///
    /// # Errors
    /// [`CapacityError`] if `block_size` is 0 or too large.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::unbounded::Queue;
    ///
    /// let queue = Queue::with_block_size(16)?;
    /// assert_eq!(queue.push_slice(&[7; 100]), 100);
    /// assert_eq!((queue.len(), queue.block_size()), (100, 16));
    /// assert!(Queue::<u8>::with_block_size(0).is_err());
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    pub const fn with_block_size(block_size: usize) -> Result<Self, CapacityError> {
        match checked_slots::<T>(block_size) {
            Ok(slots) => Ok(Self { owner: Owner(Chain::new(slots)) }),
            Err(error) => Err(error),
        }
    }

    /// Adds `item` at the end of the queue. Lock-free.
    ///
    /// # Errors
    /// [`PushError::Full`] gives the item back if there is no memory for a block.
    #[inline]
    pub fn push(&self, item: T) -> Result<(), PushError<T>> {
        // SAFETY: there may be many producers.
        unsafe { self.owner.0.push(item) }.map_err(PushError::Full)
    }

    /// Adds all of `items`, and returns their number; fewer if there is no memory for a block.
    ///
    /// The items that go into one block cost one compare-exchange, and a swap each.
    #[must_use = "items beyond the returned number were not pushed"]
    pub fn push_slice(&self, items: &[T]) -> usize
    where
        T: Copy,
    {
        // SAFETY: there may be many producers.
        unsafe { self.owner.0.push_slice(items) }
    }

    /// Takes the oldest item. Lock-free.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is no item. It never returns [`PopError::Busy`].
    #[inline]
    pub fn pop(&self) -> Result<T, PopError> {
        // SAFETY: there may be many consumers.
        unsafe { self.owner.0.pop() }
    }

    /// Moves up to `items.len()` items to the start of `items` and returns their number.
    ///
    /// The items of one block cost one compare-exchange together.
    #[must_use = "says how many of the items were written"]
    pub fn pop_slice(&self, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        // SAFETY: there may be many consumers.
        unsafe { self.owner.0.pop_slice(items) }
    }

    /// Takes items until a pop fails.
    pub fn drain(&self) -> impl Iterator<Item = T> {
        core::iter::from_fn(|| self.pop().ok())
    }

    /// Returns the number of items, exact while no operation is in progress.
    ///
    /// Items that are being pushed count, items that are being popped do not. While other threads
    /// work, it is a value of a recent moment, and can be wrong by a block if an operation goes on
    /// to the next block. It reads four words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.owner.0.len()
    }

    /// Whether a pop would return no item now.
    ///
    /// If `false`, there was an item at one moment during the call, or a push was in progress.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.owner.0.is_empty()
    }

    /// Returns [`usize::MAX`]: memory alone is the limit.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        usize::MAX
    }

    /// Returns the number of slots of a block.
    #[must_use]
    pub const fn block_size(&self) -> usize {
        self.owner.0.slots()
    }
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("len", &self.len()).finish_non_exhaustive()
    }
}

crate::queue::implement! {
    [T] &Queue<T>, T: Push Pop Len;
    [T: Copy] &Queue<T>, T: PushSlice PopSlice;
}

impl<T> IntoIterator for Queue<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    /// Takes all items out of the queue, the oldest first. Dropping the iterator drops the rest.
    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}

/// An iterator over all items of a queue that it owns, the oldest first.
///
/// The queue's `into_iter` makes it.
///
/// # Examples
/// ```
/// let queue = aqueduct::unbounded::Queue::new();
/// assert_eq!(queue.push_slice(&[1, 2, 3]), 3);
/// assert_eq!(queue.into_iter().collect::<Vec<_>>(), [1, 2, 3]);
/// ```
#[derive(Debug)]
pub struct IntoIter<T>(Queue<T>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.pop().ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl<T> ExactSizeIterator for IntoIter<T> {}
impl<T> core::iter::FusedIterator for IntoIter<T> {}

macro_rules! sides {
    ($($(#[$doc:meta])* $name:ident($producers:ident, $consumers:ident);)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use crate::sides::{$producers as Producers, $consumers as Consumers};
            use crate::error::CapacityError;
            use super::handles;

            /// A producer's handle.
            pub type Producer<T> = super::Producer<T, Producers, Consumers>;

            /// A consumer's handle.
            pub type Consumer<T> = super::Consumer<T, Producers, Consumers>;

            /// Makes an unbounded queue.
            ///
            /// # Errors
            /// [`CapacityError::OutOfMemory`] if there is no memory.
            pub fn new<T: Send>() -> Result<(Producer<T>, Consumer<T>), CapacityError> {
                handles::of_default_blocks()
            }

            /// Makes an unbounded queue whose blocks have `block_size` slots each, at most 1024.
            ///
            /// # Errors
            /// [`CapacityError`] if `block_size` is 0 or too large, or there is no memory.
            pub fn with_block_size<T: Send>(block_size: usize) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
                handles::of_blocks(block_size)
            }
        }
    )*};
}

sides! {
    /// One producer, one consumer: no read-modify-write operation but at the end of a block.
    ///
    /// ```
    /// let (mut producer, mut consumer) = aqueduct::unbounded::spsc::new()?;
    /// std::thread::spawn(move || (1..=1000).for_each(|number| producer.push(number).expect("there is memory")));
    /// let mut sum = 0;
    /// while !consumer.is_closed() || !consumer.is_empty() {
    ///     sum += consumer.drain().sum::<u32>();
    /// }
    /// assert_eq!(sum, 500_500);
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    spsc(Single, Single);
    /// Any number of producers, one consumer: a push is one fetch-and-add, and a pop has no
    /// read-modify-write operation.
    ///
    /// A pop that comes to the slot of a producer that is late returns
    /// [`Busy`](crate::error::PopError::Busy): a producer that stops in the middle of a push holds
    /// up the consumer. No producer holds up another one.
    ///
    /// ```
    /// let (mut producer, mut consumer) = aqueduct::unbounded::mpsc::new()?;
    /// let mut other = producer.clone();
    /// std::thread::spawn(move || other.push("one").expect("there is memory")).join().expect("it ends");
    /// producer.push("two")?;
    /// assert_eq!(consumer.drain().collect::<Vec<_>>(), ["one", "two"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    mpsc(Multi, Single);
}
