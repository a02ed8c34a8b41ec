//! The two handles of a queue under test, and the kind that makes them; all calls are static.

use std::num::NonZeroU64;

use super::payload::Buffer;

/// What travels through the queues: a number that is never zero, or a pointer to a buffer.
///
/// Both fit a word and leave a pattern for "empty", so every queue can carry both.
pub trait Word: Copy + Send + 'static {}
impl Word for NonZeroU64 {}
impl Word for &'static Buffer {}

/// The pushing side of a queue under test.
pub trait Sender<T: Word>: Send {
    /// Pushes one item, or says that there is no room.
    fn push(&mut self, item: T) -> bool;

    /// Pushes up to `wanted` items under one synchronisation, fewer when there is less room, and
    /// says how many. Calls `make` once for each item that it pushes, in order.
    ///
    /// Queues without such an interface push one item, and are not asked to.
    fn push_batch(&mut self, wanted: usize, make: &mut impl FnMut() -> T) -> usize;
}

/// The popping side of a queue under test.
pub trait Receiver<T: Word>: Send {
    /// Gives `take` what one call of the single-item interface yields and says how many that were:
    /// no item or one, except for queues whose only interface hands out all that is there.
    fn pop(&mut self, take: &mut impl FnMut(T)) -> usize;

    /// Gives up to `wanted` items to `take` under one synchronisation and says how many.
    fn pop_batch(&mut self, wanted: usize, take: &mut impl FnMut(T)) -> usize;
}

/// A queue under test: how it is called, what it can do, and how it is made.
pub trait Kind: Send + Sync + 'static {
    /// `CRATE/QUEUE`.
    const NAME: &'static str;
    /// Whether it is somebody else's.
    const PEER: bool = true;
    /// Whether it has an interface that moves several items per synchronisation.
    const BATCHES: bool = false;
    /// Whether it refuses items at some number. One that does not cannot carry lent buffers.
    const BOUNDED: bool = true;

    /// The pushing side.
    type Sender<T: Word>: Sender<T>;
    /// The popping side.
    type Receiver<T: Word>: Receiver<T>;

    /// Makes an empty queue with room for `capacity` items, or the next number it can do.
    ///
    /// # Errors
    /// A sentence that says which capacities are possible.
    fn open<T: Word>(capacity: usize) -> Result<(Self::Sender<T>, Self::Receiver<T>), String>;
}

/// Implements the batch call of a [`Sender`] whose queue has none: one item at a time.
#[allow(unused_macros)]
macro_rules! push_batch_by_one {
    ($item:ty) => {
        #[inline]
        fn push_batch(&mut self, _wanted: usize, make: &mut impl FnMut() -> $item) -> usize {
            let item = make();
            while !self.push(item) {}
            1
        }
    };
}
