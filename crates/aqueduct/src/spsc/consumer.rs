//! The consuming handle, and the batch that it lends.

use core::fmt;

use super::raw::{RawBatchConsumer, RawConsumer, Run};
use crate::error::PopError;
use crate::sync::Cell;

/// The consuming end of a queue: one thread at a time pops. `R` is the algorithm; the queues' modules name the
/// types (`ring`'s is [`stamped_line::Consumer`](super::stamped_line::Consumer)).
///
/// It has a pair of cache lines to itself, so that it may lie beside the other end without disturbing it.
#[repr(align(128))]
pub struct Consumer<R> {
    raw: R,
}

impl<R: RawConsumer> Consumer<R> {
    pub(super) fn new(raw: R) -> Self {
        Self { raw }
    }

    /// Takes the oldest item. Wait-free.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is none.
    #[inline(always)]
    pub fn pop(&mut self) -> Result<R::Item, PopError> {
        self.raw.pop()
    }

    /// Takes as many items as there are, up to `items.len()`, into `items` from its start; returns how many. Wait-free.
    #[inline]
    #[must_use = "says how many of the items were written"]
    pub fn pop_slice(&mut self, items: &mut [R::Item]) -> usize
    where
        R::Item: Copy,
    {
        self.raw.pop_slice(items)
    }

    /// Pops until the queue is empty. Items that come meanwhile are popped too, so this need not end while the producer is
    /// at work.
    #[inline]
    pub fn drain(&mut self) -> Drain<'_, R> {
        Drain { raw: &mut self.raw }
    }

    /// The capacity that was asked for, in items. Never less than this many fit in.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.raw.capacity()
    }

    /// Items in the queue: exact while the other end rests, else a value of some recent moment.
    #[inline]
    pub fn len(&self) -> usize {
        self.raw.len()
    }

    /// Whether a pop would fail now.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Whether the producer has been dropped. What it pushed is still there; if this says `true` and a pop after it
    /// says `Empty`, nothing will ever come again.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.raw.is_closed()
    }
}

impl<R: RawBatchConsumer> Consumer<R> {
    /// How many items can be popped now: exact up to `wanted`; beyond that, at least `wanted`. Looks at the producer's side
    /// only if fewer than `wanted` items are known to be there.
    #[inline]
    pub fn available(&mut self, wanted: usize) -> usize {
        self.raw.available(wanted)
    }

    /// Starts a batch of up to `most` items: several items for the price of one release of their slots.
    ///
    /// The batch looks for items as it goes and ends when there is none, so it can hold what was pushed after it began.
    #[inline(always)]
    pub fn batch(&mut self, most: usize) -> ReadBatch<'_, R> {
        ReadBatch { raw: &mut self.raw, run: Run::EMPTY, beyond: most, dirty: false }
    }
}

impl<T, R: RawBatchConsumer<Item = T, Slot = Cell<T>>> Consumer<R> {
    /// The oldest item, left in its place.
    #[inline]
    pub fn peek(&mut self) -> Option<&T> {
        let run = self.raw.filled_run(1);
        if run.len == 0 {
            return None;
        }
        // SAFETY: the run's slot is filled, and stays so while `self` is borrowed.
        unsafe { Cell::filled(run.slot, run.len) }.first()
    }
}

impl<R: RawConsumer> fmt::Debug for Consumer<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer").field("capacity", &self.capacity()).field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Pops until the queue is empty; made by [`Consumer::drain`].
pub struct Drain<'a, R> {
    raw: &'a mut R,
}

impl<R: RawConsumer> Iterator for Drain<'_, R> {
    type Item = R::Item;

    #[inline(always)]
    fn next(&mut self) -> Option<R::Item> {
        self.raw.pop().ok()
    }
}

impl<R: RawConsumer> fmt::Debug for Drain<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain").field("len", &self.raw.len()).finish_non_exhaustive()
    }
}

/// Items being taken together; made by [`Consumer::batch`]. An iterator over them.
///
/// Gives the slots of what was taken back when it is dropped; what was not taken stays in the queue. If it is forgotten
/// (`mem::forget`), items that were not taken may be leaked: they are never popped and never dropped. The queue stays
/// usable; the slots are given back with those of the next batch.
pub struct ReadBatch<'a, R: RawBatchConsumer> {
    raw: &'a mut R,
    /// Filled slots that lie side by side. `raw` counts them as read already, so that an item cannot be taken twice
    /// even if this batch is forgotten; what is left is uncounted on drop.
    run: Run<R::Slot>,
    /// How many items the batch may have beyond `run`.
    beyond: usize,
    /// Whether something has been read and its slot not given back.
    dirty: bool,
}

impl<R: RawBatchConsumer> ReadBatch<'_, R> {
    /// Takes the oldest item; `None` when the batch has had `most` items or the queue is empty.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<R::Item> {
        if self.run.len == 0 && !self.next_run() {
            return None;
        }
        // SAFETY: a filled slot is left in the run, and each is taken from once.
        Some(unsafe { R::take(self.run.next()) })
    }

    /// Gives back the slots of what has been taken. The same as dropping the batch.
    #[inline(always)]
    pub fn release(self) {}

    /// Goes on to the next run; says whether there is one. The last one is used up.
    #[inline(always)]
    fn next_run(&mut self) -> bool {
        self.run = self.raw.filled_run(self.beyond);
        if self.run.len == 0 {
            return false;
        }
        // SAFETY: the run is counted whole, its slots are taken from or uncounted.
        unsafe { self.raw.read(self.run.len) };
        self.beyond -= self.run.len;
        self.dirty = true;
        true
    }
}

impl<T, R: RawBatchConsumer<Item = T, Slot = Cell<T>>> ReadBatch<'_, R> {
    /// The next items that lie one after the other in memory, in their places. Empty only if the batch is at its end.
    #[inline(always)]
    pub fn run(&mut self) -> &[T] {
        if self.run.len == 0 && !self.next_run() {
            return &[];
        }
        // SAFETY: the run's slots are filled and stay so until they are given back.
        unsafe { Cell::filled(self.run.slot, self.run.len) }
    }

    /// Drops the first `count` items of [`run`](Self::run), or all of it if it is shorter; returns how many.
    #[inline]
    pub fn skip_run(&mut self, count: usize) -> usize {
        let count = self.run().len().min(count);
        if core::mem::needs_drop::<T>() {
            return self.by_ref().take(count).count();
        }
        // SAFETY: at most one past the run's last slot; what is passed over needs no drop.
        self.run.slot = unsafe { self.run.slot.add(count) };
        self.run.len -= count;
        count
    }
}

impl<R: RawBatchConsumer> Iterator for ReadBatch<'_, R> {
    type Item = R::Item;

    #[inline(always)]
    fn next(&mut self) -> Option<R::Item> {
        self.pop()
    }

    /// By runs: the loop over a run has nothing to check but its end.
    #[inline]
    fn fold<B, F: FnMut(B, R::Item) -> B>(mut self, init: B, mut f: F) -> B {
        let mut sum = init;
        while self.run.len != 0 || self.next_run() {
            while self.run.len != 0 {
                // SAFETY: a filled slot is left in the run, and each is taken from once.
                sum = f(sum, unsafe { R::take(self.run.next()) });
            }
        }
        sum
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.run.len, Some(self.run.len + self.beyond))
    }
}

impl<R: RawBatchConsumer> Drop for ReadBatch<'_, R> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.dirty {
            // SAFETY: the rest of the run was counted and has not been taken.
            unsafe { self.raw.unread(self.run.len) };
            self.raw.release();
        }
    }
}

impl<R: RawBatchConsumer> fmt::Debug for ReadBatch<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadBatch").field("most", &(self.run.len + self.beyond)).finish_non_exhaustive()
    }
}

crate::queue::implement! {
    [R: RawConsumer] Consumer<R>, R::Item: Pop;
    [R: RawConsumer<Item: Copy>] Consumer<R>, R::Item: PopSlice;
}
