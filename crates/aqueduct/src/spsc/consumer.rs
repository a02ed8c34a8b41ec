//! The consuming handle, and the batch that it lends.

use core::fmt;
use core::iter::FusedIterator;

use super::raw::{RawBatchConsumer, RawConsumer, RawRunConsumer};
use crate::error::Empty;

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
    /// [`Empty`] if there is none.
    #[inline(always)]
    pub fn pop(&mut self) -> Result<R::Item, Empty> {
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
    pub fn is_abandoned(&self) -> bool {
        self.raw.is_abandoned()
    }
}

impl<R: RawBatchConsumer> Consumer<R> {
    /// Starts a batch: several items for the price of one release of their slots.
    ///
    /// Looks at the producer's side only if fewer than `wanted` items are known to be there; the batch holds what is
    /// known, `wanted` at most.
    #[inline(always)]
    pub fn batch(&mut self, wanted: usize) -> ReadBatch<'_, R> {
        let available = self.raw.available(wanted).min(wanted);
        ReadBatch { raw: &mut self.raw, available, dirty: false }
    }
}

impl<R: RawRunConsumer> Consumer<R> {
    /// The oldest item, left in its place.
    #[inline]
    pub fn peek(&mut self) -> Option<&R::Item> {
        if self.raw.available(1) == 0 {
            return None;
        }
        // SAFETY: one item is available.
        unsafe { self.raw.filled_run(1) }.first()
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
/// (`mem::forget`), the slots are given back with those of the next batch.
pub struct ReadBatch<'a, R: RawBatchConsumer> {
    raw: &'a mut R,
    /// Items that are known to be there and belong to this batch.
    available: usize,
    /// Whether something has been read and its slot not given back.
    dirty: bool,
}

impl<R: RawBatchConsumer> ReadBatch<'_, R> {
    /// How many more items this batch holds.
    #[inline(always)]
    pub fn available(&self) -> usize {
        self.available
    }

    /// Takes the oldest item of the batch; `None` when all have been taken.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<R::Item> {
        if self.available == 0 {
            return None;
        }
        self.available -= 1;
        self.dirty = true;
        // SAFETY: the raw end said that the items are there, and `self.available` counts what is left of them.
        Some(unsafe { self.raw.read_local() })
    }

    /// Gives back the slots of what has been taken. The same as dropping the batch.
    #[inline(always)]
    pub fn release(self) {}
}

impl<R: RawRunConsumer> ReadBatch<'_, R> {
    /// The next items that lie one after the other in memory, in their places. Empty only if the batch is.
    #[inline(always)]
    pub fn run(&mut self) -> &[R::Item] {
        if self.available == 0 {
            return &[];
        }
        // SAFETY: `self.available` items are there.
        unsafe { self.raw.filled_run(self.available) }
    }

    /// Drops the first `count` items of [`run`](Self::run), or all of it if it is shorter; returns how many.
    #[inline]
    pub fn skip_run(&mut self, count: usize) -> usize {
        let count = self.run().len().min(count);
        if core::mem::needs_drop::<R::Item>() {
            return self.by_ref().take(count).count();
        }
        self.available -= count;
        self.dirty |= count != 0;
        // SAFETY: part of the run that was just lent.
        unsafe { self.raw.read(count) };
        count
    }
}

impl<R: RawBatchConsumer> Iterator for ReadBatch<'_, R> {
    type Item = R::Item;

    #[inline(always)]
    fn next(&mut self) -> Option<R::Item> {
        self.pop()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.available, Some(self.available))
    }
}

impl<R: RawBatchConsumer> ExactSizeIterator for ReadBatch<'_, R> {}
impl<R: RawBatchConsumer> FusedIterator for ReadBatch<'_, R> {}

impl<R: RawBatchConsumer> Drop for ReadBatch<'_, R> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.dirty {
            self.raw.release();
        }
    }
}

impl<R: RawBatchConsumer> fmt::Debug for ReadBatch<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadBatch").field("available", &self.available).finish_non_exhaustive()
    }
}
