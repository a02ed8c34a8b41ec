//! The ends of chains with one consumer, and with one producer.
//!
//! One consumer claims nothing: it looks at the state of the slot that comes next. So it skips no
//! slot, and producers fill slots with a store in place of a swap. When it leaves a block, it has
//! taken the items of all slots.

use super::chain::Chain;
use super::place::Place;
use super::side::Side;
use crate::backoff::NEAR;
use crate::error::PopError;
use crate::sync::Ordering;

impl<T, P: Side, C: Side> Chain<T, P, C> {
    /// Claims the next slot of the tail for the only producer.
    #[inline(always)]
    pub(super) fn claim_alone(&self, count: usize) -> Place<T> {
        // Ordering: Relaxed. This producer alone moves the tail, and makes or acquires the blocks.
        let place = Place::of_word(self.tail.place.load(Ordering::Relaxed));
        self.tail.place.store(place.plus(count).word(), Ordering::Relaxed);
        place
    }

    /// Returns the only consumer's place.
    #[inline(always)]
    fn own_head(&self) -> Place<T> {
        // Ordering: Acquire pairs with the Release of `begin`: the first block is ready.
        Place::of_word(self.head.place.load(Ordering::Acquire))
    }

    /// Takes the oldest item, for the only consumer.
    ///
    /// # Safety
    /// The chain has one consumer, and no other thread is in this call.
    #[inline(always)]
    pub(super) unsafe fn pop_alone(&self) -> Result<T, PopError> {
        let mut head = self.own_head();
        if head.index() >= self.slots {
            // SAFETY: the caller's promise.
            head = unsafe { self.follow_alone(head) }.ok_or(PopError::Empty)?;
        }
        // SAFETY: the head has not left the block.
        let slot = unsafe { &*self.slot(head) };
        if !slot.is_filled() {
            if !P::IS_SINGLE {
                self.head.distance.found_nothing();
            }
            return Err(self.why_not_filled(head));
        }
        if !P::IS_SINGLE && head.index().is_multiple_of(NEAR) {
            // SAFETY: the head has not left the block.
            unsafe { self.keep_distance(head) };
        }
        // SAFETY: it is filled, and the head moves on to the next slot.
        let item = unsafe { slot.take_filled() };
        // Ordering: Release pairs with the Acquire of `begin`: a producer that comes late finds the
        // first block here.
        self.head.place.store(head.plus(1).word(), Ordering::Release);
        Ok(item)
    }

    /// Pauses if a pause is due, unless the producers are [`NEAR`] slots ahead. Called once in
    /// [`NEAR`] slots.
    ///
    /// # Safety
    /// The head has not left the block.
    #[inline]
    unsafe fn keep_distance(&self, head: Place<T>) {
        let count = || {
            let is_far = head.index() + NEAR >= self.slots
                // SAFETY: the slot is in the block of the head.
                || unsafe { &*self.slot(head.plus(NEAR)) }.is_filled();
            if is_far { NEAR } else { 1 }
        };
        while self.head.distance.found(count) {}
    }

    /// Whether there is no item that [`pop_alone`](Self::pop_alone) would take.
    ///
    /// # Safety
    /// The chain has one consumer, and no thread is in `pop_alone`.
    pub(super) unsafe fn has_none(&self) -> bool {
        let head = self.own_head();
        let Some(block) = head.block() else { return true };
        // SAFETY: the head has not left the block.
        unsafe {
            if head.index() < self.slots {
                !(*self.slot(head)).is_filled()
            } else {
                // Ordering: Relaxed, as the next block is not accessed here.
                block.as_ref().next.load(Ordering::Relaxed).is_null()
            }
        }
    }

    /// Returns the reason why the next slot has no item: `Busy` if a producer has claimed it.
    #[inline]
    fn why_not_filled(&self, head: Place<T>) -> PopError {
        if P::IS_SINGLE {
            return PopError::Empty;
        }
        // Ordering: Relaxed. A push that is known to be complete has moved the tail before.
        let tail = Place::<T>::of_word(self.tail.place.load(Ordering::Relaxed));
        // The tail is not behind the head, but for the first block, which is published before the
        // tail goes there.
        let is_claimed = tail.block().is_some() && (!tail.is_in_block_of(head) || tail.index() > head.index());
        if is_claimed { PopError::Busy } else { PopError::Empty }
    }

    /// Goes on to the next block, if there is one, and returns its first slot.
    ///
    /// # Safety
    /// As for [`pop_alone`](Self::pop_alone). The head is at the end of its block.
    #[cold]
    #[inline(never)]
    unsafe fn follow_alone(&self, head: Place<T>) -> Option<Place<T>> {
        let used = head.block()?;
        // SAFETY: the head has not left the block.
        let block = unsafe { used.as_ref() };
        // Ordering: Acquire pairs with the Release of `grow`: the next block is ready.
        let next = core::ptr::NonNull::new(block.next.load(Ordering::Acquire))?;
        if !P::IS_SINGLE {
            // The tail is not behind the head: `why_not_filled`.
            Self::advance(&self.tail, used.as_ptr(), Place::new(next, 1), self.slots);
        }
        let first = Place::new(next, 0);
        // Ordering: Relaxed, for `len` only.
        self.head.place.store(first.word(), Ordering::Relaxed);
        let left = self.head.left.load(Ordering::Relaxed);
        self.head.left.store(left.wrapping_add(1), Ordering::Relaxed);
        // The consumer is the only visitor that the head brings.
        block.close(1);
        self.leave(used);
        Some(first)
    }
}
