//! A tube as a queue of its own: its slots are items.

use core::fmt;

use super::Tube;
use super::raw::{NoRoom, Nothing, Reserved};
use crate::array::Array;
use crate::error::{CapacityError, PopError, PushError};
use crate::heap::{drop_all, isolated_array};
use crate::sync::Cell;

/// A first-in-first-out queue for many producers and consumers, on top of a tube.
///
/// Each slot of the tube holds an item. The queue is linearizable, except that `Full` and `Empty`
/// were true as far as the calling thread could see. Its progress and its cost are those of the
/// tube. An item is moved once in and once out.
///
/// # Examples
/// ```
/// use aqueduct::tube::{SequencedRing, Fifo};
///
/// let queue = Fifo::<_, SequencedRing>::new(4)?;
/// std::thread::scope(|scope| {
///     scope.spawn(|| queue.push("hello"));
/// });
/// assert_eq!(queue.pop(), Ok("hello"));
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub struct Fifo<T, U: Tube> {
    tube: U,
    items: Array<Cell<T>>,
}

// SAFETY: items go from one thread to another, which `T: Send` allows; threads never share one.
unsafe impl<T: Send, U: Tube> Send for Fifo<T, U> {}
// SAFETY: the reason for `Send` holds.
unsafe impl<T: Send, U: Tube> Sync for Fifo<T, U> {}

impl<T, U: Tube> Fifo<T, U> {
    /// Makes an empty queue for at least `capacity` items.
    ///
    /// [`capacity`](Self::capacity) returns the exact number.
    ///
    /// # Errors
    /// [`CapacityError`] if `capacity` is 0 or too large, or if there is no memory.
    pub fn new(capacity: usize) -> Result<Self, CapacityError> {
        Self::starting_at(capacity, 0)
    }

    /// Makes a queue that starts in `lap`, for tests near the last lap.
    #[doc(hidden)]
    pub fn starting_at(capacity: usize, lap: usize) -> Result<Self, CapacityError> {
        if capacity == 0 {
            return Err(CapacityError::Zero);
        }
        let slots = U::slots_for(capacity, &|slots| isolated_array::<Cell<T>>(slots).is_some())?;
        // The items come first, because they take most memory and are not written to.
        let items = Array::cells(slots)?;
        let tube = U::starting_at(capacity, lap)?;
        debug_assert_eq!(tube.slots(), slots);
        Ok(Self { tube, items })
    }

    /// Adds `item` at the end of the queue.
    ///
    /// # Errors
    /// [`PushError`] gives the item back if there is no room.
    #[inline]
    pub fn push(&self, item: T) -> Result<(), PushError<T>> {
        match self.tube.allocate() {
            Ok(ticket) => {
                // SAFETY: the slot is this thread's.
                unsafe { self.items[ticket.slot].write(item) };
                // SAFETY: just allocated.
                unsafe { self.tube.produce(ticket, |_| ()) };
                Ok(())
            }
            Err(NoRoom::Full) => Err(PushError::Full(item)),
            Err(NoRoom::Busy) => Err(PushError::Busy(item)),
        }
    }

    /// Takes the oldest item.
    ///
    /// # Errors
    /// [`PopError`] if there is none.
    #[inline]
    pub fn pop(&self) -> Result<T, PopError> {
        match self.tube.reserve(|_| true) {
            Ok(Reserved { ticket, .. }) => {
                // SAFETY: the slot is this thread's, and its producer put an item in.
                let item = unsafe { self.items[ticket.slot].take() };
                // SAFETY: just reserved.
                unsafe { self.tube.consume(ticket) };
                Ok(item)
            }
            Err(Nothing::Busy) => Err(PopError::Busy),
            Err(Nothing::Empty | Nothing::Refused) => Err(PopError::Empty),
        }
    }

    /// Whether a pop would return no item now.
    ///
    /// Then the queue has none, or the oldest one is still being pushed. If `false`, there was an
    /// item at one moment during the call. A tube does not count its content, so the queue has no
    /// `len`.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tube.look().is_err()
    }

    /// Returns the number of items that fit.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.items.len()
    }
}

impl<T, U: Tube> fmt::Debug for Fifo<T, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fifo").field("tube", &self.tube).finish_non_exhaustive()
    }
}

impl<T, U: Tube> Drop for Fifo<T, U> {
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            drop_all(&mut || self.pop().map(drop).is_ok());
        }
    }
}

crate::queue::implement! {
    [T, U: Tube] &Fifo<T, U>, T: Push Pop;
}
