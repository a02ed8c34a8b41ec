//! The two handles of a queue under test, and the kind that makes them; all calls are static.

use std::num::NonZeroU64;

use aqueduct::spsc::NonZeroWord;

use super::payload::Buffer;

/// An item of queues of any items.
pub trait Thing: Copy + Send + Sync + 'static {}
impl<T: Copy + Send + Sync + 'static> Thing for T {}

/// An item of all queues: a number that is never zero, or a pointer to a buffer.
///
/// Both fit a word and leave a pattern for "empty", so every queue can carry both.
pub trait Word: NonZeroWord + Thing {}
impl Word for NonZeroU64 {}
impl Word for &'static Buffer {}

/// The pushing side of a queue under test.
pub trait Sender<T: Thing>: Send {
    /// Pushes one item. Returns whether the queue had room.
    fn push(&mut self, item: T) -> bool;

    /// Pushes up to `wanted` items under one synchronisation, fewer if there is less room, and
    /// returns their number. Calls `make` once for each item that it pushes, in order.
    ///
    /// Not called for a queue without such an interface ([`Kind::BATCHES`]).
    fn push_batch(&mut self, _wanted: usize, _make: &mut impl FnMut() -> T) -> usize {
        0
    }
}

/// The popping side of a queue under test.
pub trait Receiver<T: Thing>: Send {
    /// Passes the result of one call of the single-item interface to `take`, and returns the number
    /// of items: none or one, except for queues whose only interface hands out all available items.
    fn pop(&mut self, take: &mut impl FnMut(T)) -> usize;

    /// Passes up to `wanted` items to `take` under one synchronisation and returns their number.
    ///
    /// A queue without such an interface hands out the result of a single call.
    fn pop_batch(&mut self, _wanted: usize, take: &mut impl FnMut(T)) -> usize {
        self.pop(take)
    }
}

/// The two handles of a new queue of kind `K`.
pub type Ends<K, T> = (<K as Kind>::Sender<T>, <K as Kind>::Receiver<T>);

/// A queue under test: its name, its abilities, and its constructor.
pub trait Kind: Sized + Send + Sync + 'static {
    /// `CRATE/QUEUE`.
    const NAME: &'static str;
    /// Whether it is a peer, not one of aqueduct's queues.
    const PEER: bool = true;
    /// Whether it has an interface that moves several items per synchronisation.
    const BATCHES: bool = false;
    /// Whether it refuses items beyond some number. An unbounded queue cannot carry lent buffers.
    const BOUNDED: bool = true;

    /// Returns the greatest number of items in a queue that was opened for `capacity`.
    fn most(capacity: usize) -> usize {
        capacity.next_power_of_two()
    }

    /// The pushing side.
    type Sender<T: Word>: Sender<T>;
    /// The popping side.
    type Receiver<T: Word>: Receiver<T>;

    /// Makes an empty queue with room for `capacity` items, or the next possible number.
    ///
    /// # Errors
    /// A sentence that names the possible capacities.
    fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String>;

    /// Makes two queues, for requests and for responses: two calls of [`open`](Self::open), unless
    /// the kind is made for both directions.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    fn open_both_ways<T: Word>(capacity: usize) -> Result<[Ends<Self, T>; 2], String> {
        Ok([Self::open(capacity)?, Self::open(capacity)?])
    }
}
