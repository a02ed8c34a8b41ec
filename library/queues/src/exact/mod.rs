//! A queue for an exact number of items, in which threads can reserve slots.
//!
//! ```
//! use aqueduct::error::PushError;
//! use aqueduct::exact::Queue;
//!
//! let queue = Queue::new(3)?;
//! let permit = queue.reserve()?;
//! queue.push("one")?;
//! queue.push("two")?;
//! // The third slot is the permit's.
//! assert_eq!(queue.push("three"), Err(PushError::Full("three")));
//! permit.push("four");
//! assert_eq!(queue.drain().collect::<Vec<_>>(), ["one", "two", "four"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Any number of threads share a [`Queue`] by reference or in an `Arc`. Its capacity is the number
//! that was asked for, from 1 on, and is not rounded: a push is refused as `Full` only while items
//! and permits take all slots.
//!
//! # When not to use it
//! All producers exchange one word, and all consumers another one. With many threads on a side, the
//! handles of [`mpmc`](crate::mpmc) are faster; with one thread on a side, [`spsc`](crate::spsc).
//!
//! # Guarantees
//! The queue is FIFO: items come out in the order in which they were pushed, each once. A permit
//! takes a slot and no place in the order: its item comes behind those that were pushed before it,
//! and no consumer waits for it.
//!
//! Operations are lock-free with one exception: a thread that has stopped in the middle of a push
//! holds up consumers that reach its slot, and one in the middle of a pop holds up producers that
//! reach its slot one lap later. They get `Busy`. `Full` and `Empty` were true at one moment during
//! the call, and after them the caller sees what the thread did before that took the slot or the
//! item.
//!
//! # Design and proof
//! ## Turns, laps and permits
//! Each slot has a turn, as in the queue of D. Vyukov (2010). Positions consist of a lap and an
//! index, so that any capacity is possible without a division.
//!
//! The word of the producers holds the next position *and* the number of permits. A producer
//! without a permit takes the next position only if the slot that lies as many positions further on
//! is free. The slots between the two were free when each of them was that slot. So permits cost a
//! producer without one no further exchange.
//!
//! ## Waking
//! The exchanges by which a push or a pop takes its position are `SeqCst`. So a thread that has
//! pushed can look for sleeping consumers by a `SeqCst` load, without a fence of its own. A
//! consumer that registers itself, executes a `SeqCst` fence and then finds the queue empty is seen
//! (`exact/push-wakes`, `exact/pop-wakes`).
//!
//! ## Positions
//! Positions have 48 bits. A thread that is suspended between its load and its exchange until 2^47
//! operations of its side have been completed can take a position that is not its own.

mod permit;
mod ring;

use core::fmt;
use core::panic::{RefUnwindSafe, UnwindSafe};

use crate::error::{CapacityError, PopError, PushError};
pub use permit::Permit;
use ring::Ring;

/// A bounded queue of an exact capacity that threads share by reference or in an `Arc`.
///
/// # Examples
/// ```
/// use aqueduct::error::PushError;
///
/// let queue = aqueduct::exact::Queue::new(3)?;
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         for number in 1..=1000_u64 {
///             let mut item = number;
///             while let Err(PushError::Full(back) | PushError::Busy(back)) = queue.push(item) {
///                 item = back;
///                 std::thread::yield_now();
///             }
///         }
///     });
///     let (mut sum, mut count) = (0, 0);
///     while count < 1000 {
///         match queue.pop() {
///             Ok(item) => (sum, count) = (sum + item, count + 1),
///             Err(_) => std::thread::yield_now(),
///         }
///     }
///     assert_eq!(sum, 500_500);
/// });
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
/// The queue is `Sync` only if its items are `Send`:
/// ```compile_fail,E0277
/// let queue = aqueduct::exact::Queue::<std::rc::Rc<u8>>::new(10)?;
/// std::thread::scope(|scope| {
///     scope.spawn(|| queue.len());
/// });
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
/// A reference can be pushed only if it lives as long as the queue's items:
/// ```compile_fail,E0597
/// # use aqueduct::exact::Queue;
/// fn lend<'a>(queue: &Queue<&'a str>, word: &'a str) {
///     let _ = queue.push(word);
/// }
/// let queue = Queue::<&'static str>::new(10)?;
/// {
///     let word = String::from("short-lived");
///     lend(&queue, &word);
/// }
/// println!("{:?}", queue.pop());
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[doc(alias = "ArrayQueue")]
#[doc(alias = "ConcurrentQueue")]
#[doc(alias = "circular buffer")]
pub struct Queue<T> {
    ring: Ring<T>,
}

impl<T> Queue<T> {
    /// Makes an empty queue for exactly `capacity` items.
    ///
    /// # Errors
    /// [`CapacityError`] if `capacity` is 0 or too large (more than 2^31), or there is no memory.
    pub fn new(capacity: usize) -> Result<Self, CapacityError> {
        Self::starting_at(capacity, 0)
    }

    /// Makes a queue that starts in this lap, for tests near the last one.
    #[doc(hidden)]
    pub fn starting_at(capacity: usize, lap: u64) -> Result<Self, CapacityError> {
        Ok(Self { ring: Ring::starting_at(capacity, lap)? })
    }

    /// Adds `item` at the end of the queue. Lock-free among producers, in a constant number of
    /// steps if no other thread pushes or reserves at the same time.
    ///
    /// # Errors
    /// [`PushError`] gives the item back: `Full` if items and permits take all slots, `Busy` if the
    /// next slot's last item is still being popped.
    #[inline(always)]
    pub fn push(&self, item: T) -> Result<(), PushError<T>> {
        self.ring.push(item)
    }

    /// Takes the oldest item. Lock-free among consumers, in a constant number of steps if no other
    /// thread pops at the same time.
    ///
    /// # Errors
    /// [`PopError`]: `Empty` if there is no item, `Busy` if the oldest one is still being pushed.
    #[inline(always)]
    pub fn pop(&self) -> Result<T, PopError> {
        self.ring.pop()
    }

    /// Reserves a slot, into which [`Permit::push`] always succeeds.
    ///
    /// Lock-free among producers. At most 65,535 slots of a queue are reserved at a time.
    ///
    /// # Errors
    /// [`PushError`], as [`push`](Self::push); also `Full` if too many slots are reserved.
    ///
    /// # Examples
    /// An item is made only if there is room for it:
    /// ```
    /// let queue = aqueduct::exact::Queue::new(1)?;
    /// if let Ok(permit) = queue.reserve() {
    ///     assert!(queue.is_full());
    ///     permit.push("expensive".to_owned());
    /// }
    /// assert_eq!(queue.pop()?, "expensive");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reserve(&self) -> Result<Permit<'_, T>, PushError<()>> {
        self.ring.reserve()?;
        Ok(Permit::new(self))
    }

    /// Takes items until a pop fails.
    ///
    /// # Examples
    /// ```
    /// let queue = aqueduct::exact::Queue::new(2)?;
    /// queue.push(1)?;
    /// queue.push(2)?;
    /// assert_eq!(queue.drain().sum::<u64>(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drain(&self) -> impl Iterator<Item = T> {
        core::iter::from_fn(|| self.pop().ok())
    }

    /// Returns the number of items. Reads three words.
    ///
    /// It is exact while no operation is in progress; beside other operations it is a value of a
    /// recent moment. Items that are being pushed count, items that are being popped and permits do
    /// not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ring.counts().items
    }

    /// Whether a pop would return no item now, because there is none or the oldest one is still
    /// being pushed.
    ///
    /// Reads two words, and orders nothing: either can be of a recent moment.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.ring.may_pop()
    }

    /// Whether items and permits take all slots. Reads three words.
    ///
    /// It is exact while no operation is in progress; beside other operations it is a value of a
    /// recent moment.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let counts = self.ring.counts();
        counts.items + counts.permits >= self.capacity()
    }

    /// Whether at least `slots` slots are free, as far as the last one of them tells.
    ///
    /// A hint, for producers that wait: a producer and a consumer that meet in each slot of a queue
    /// that is nearly full move its cache lines to and fro. Reads two words, and orders nothing.
    ///
    /// # Examples
    /// ```
    /// let queue = aqueduct::exact::Queue::new(4)?;
    /// queue.push(1)?;
    /// assert!(queue.has_room_for(3) && !queue.has_room_for(4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn has_room_for(&self, slots: usize) -> bool {
        self.ring.may_have(slots)
    }

    /// Returns the capacity, the number that was asked for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.ring.capacity()
    }
}

crate::queue::implement! {
    [T] &Queue<T>, T: Push Pop Full Len;
}

impl<T> UnwindSafe for Queue<T> {}
impl<T> RefUnwindSafe for Queue<T> {}

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
/// Made by the queue's `into_iter`.
///
/// # Examples
/// ```
/// let queue = aqueduct::exact::Queue::new(3)?;
/// queue.push(1)?;
/// queue.push(2)?;
/// assert_eq!(queue.into_iter().collect::<Vec<_>>(), [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct IntoIter<T>(Queue<T>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        // No other thread is at work, so it is never busy.
        self.0.pop().ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl<T> ExactSizeIterator for IntoIter<T> {}
impl<T> core::iter::FusedIterator for IntoIter<T> {}

impl<T> fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}
