//! A producer's handle.

use core::fmt;
use core::marker::PhantomData;

use crate::cells::{Geometry, Seat, Side, Stuck};
use crate::error::{ClaimError, PushError};
use crate::layout::{Claim, Memory};
use crate::pod::{self, Pod, words_of};
use crate::sync::{Ordering, fence};

/// A producer's handle.
pub struct Producer<T, M: Memory> {
    seat: Seat<M, 2>,
    _items: PhantomData<fn(T)>,
}

impl<T: Pod, M: Memory> Producer<T, M> {
    pub(super) fn new(memory: M, geometry: Geometry, place: u64, claim: Claim) -> Result<Self, ClaimError> {
        Ok(Self { seat: Seat::new(memory, geometry, Side::Producer, place, claim)?, _items: PhantomData })
    }

    /// Pushes an item, which overwrites the oldest one if the ring is full.
    ///
    /// If this process is killed before its compare-exchange, nothing has happened.
    ///
    /// # Errors
    /// [`PushError`] gives the item back: [`Damaged`](PushError::Damaged) or
    /// [`Contended`](PushError::Contended), and never [`Full`](PushError::Full).
    #[inline]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        let pushed = self.seat.exchange(|seat| {
            // Ordering: Release pairs with the acquire of `Reader::read`. Without it, a reader that
            // gets a part of this item may not see that the cell has left its slot.
            fence(Ordering::Release);
            pod::put(seat.item(words_of::<T>()), &item);
        });
        pushed.map_err(|why| match why {
            Stuck::Waits | Stuck::Damaged => PushError::Damaged(item),
            Stuck::Contended => PushError::Contended(item),
        })
    }

    /// Pushes the items of a slice one by one. Returns how many: all, unless the memory is damaged
    /// or other producers overtake a push in each attempt.
    pub fn push_slice(&mut self, items: &[T]) -> usize {
        items.iter().take_while(|item| self.push(**item).is_ok()).count()
    }

    /// Returns how many items the queue keeps, at least.
    pub fn capacity(&self) -> usize {
        self.seat.geometry().capacity()
    }

    /// Wakes the readers that sleep in [`Reader::wait`](super::Reader::wait), and signals the
    /// events of those that are [armed](super::Reader::arm): all of them.
    #[inline(always)]
    pub fn wake(&self) {
        self.seat.wake();
    }

    /// Returns the number of this handle's place.
    pub fn place(&self) -> usize {
        self.seat.place()
    }

    /// Returns the memory.
    pub fn memory(&self) -> &M {
        self.seat.memory()
    }
}

impl<T, M: Memory> fmt::Debug for Producer<T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("place", &self.seat.place()).finish_non_exhaustive()
    }
}
