//! The consumer's handle and its batches.

use core::fmt;

use super::raw::{RawBatchConsumer, RawConsumer, Run};
use crate::error::PopError;
use crate::sync::Cell;

/// The consumer's handle of a queue: one thread at a time pops.
///
/// `R` is the algorithm; the queues' modules name the types
/// ([`ring::Consumer`](super::ring::Consumer)). The handle has a pair of cache lines to itself, so
/// it may lie beside the producer's without disturbing it.
///
/// # Examples
/// ```
/// let (mut producer, mut consumer) = aqueduct::spsc::ring::new(100)?;
/// assert_eq!(producer.push_iter(1..=5), 5);
/// assert_eq!(consumer.peek(), Some(&1));
/// assert_eq!(consumer.pop()?, 1);
/// let mut items = [0; 2];
/// assert_eq!(consumer.pop_slice(&mut items), 2);
/// assert_eq!(items, [2, 3]);
/// drop(producer);
/// assert!(consumer.is_closed());
/// assert_eq!(consumer.drain().collect::<Vec<_>>(), [4, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "Receiver")]
#[doc(alias = "rtrb")]
#[doc(alias = "ring buffer")]
#[doc(alias = "circular buffer")]
#[doc(alias = "channel")]
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

    /// Moves up to `items.len()` items to the start of `items` and returns their number.
    ///
    /// Wait-free.
    #[inline]
    #[must_use = "says how many of the items were written"]
    pub fn pop_slice(&mut self, items: &mut [R::Item]) -> usize
    where
        R::Item: Copy,
    {
        self.raw.pop_slice(items)
    }

    /// Returns the capacity that was asked for, in items.
    ///
    /// At least this many fit.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.raw.capacity()
    }

    /// Returns the number of items in the queue.
    ///
    /// Exact while the other end rests, otherwise a value of some recent moment.
    #[inline]
    pub fn len(&self) -> usize {
        self.raw.len()
    }

    /// Whether a pop would return no item now.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Whether at least [`capacity`](Self::capacity) items are in the queue.
    ///
    /// A push may succeed nevertheless, if more items fit: see
    /// [`Producer::is_full`](super::Producer::is_full).
    #[inline]
    pub fn is_full(&self) -> bool {
        self.capacity() <= self.len()
    }

    /// Whether the producer has been dropped.
    ///
    /// The items that it pushed stay in the queue. If this returns `true` and a pop after it
    /// returns `Empty`, the queue never receives another item.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.raw.is_closed()
    }
}

impl<R: RawBatchConsumer> Consumer<R> {
    /// Returns how many items can be popped now.
    ///
    /// Exact up to `wanted`; beyond that, at least `wanted`. It reads the producer's side only if
    /// fewer than `wanted` items are known.
    #[inline]
    pub fn available(&mut self, wanted: usize) -> usize {
        self.raw.available(wanted)
    }

    /// Starts a batch of up to `most` items: several items for one release of their slots.
    ///
    /// The batch reads the producer's side as it goes, and ends when it finds no item, so it can
    /// include items that were pushed after it began.
    #[inline(always)]
    pub fn batch(&mut self, most: usize) -> ReadBatch<'_, R> {
        ReadBatch { raw: &mut self.raw, run: Run::EMPTY, beyond: most, dirty: false }
    }
}

impl<T, R: RawBatchConsumer<Item = T, Slot = Cell<T>>> Consumer<R> {
    /// Returns the oldest item, left in its place.
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

/// A batch of items to be popped, and an iterator over them.
///
/// [`Consumer::batch`] makes it. Dropping it gives back the slots of the taken items; the other items stay in
/// the queue. If it is forgotten (`mem::forget`), items that were not taken may be leaked: they are
/// never popped and never dropped. The queue stays usable, and the slots are given back with those
/// of the next batch.
///
/// # Examples
/// ```
/// let (mut producer, mut consumer) = aqueduct::spsc::batched_lamport::new(100)?;
/// assert_eq!(producer.push_slice(&[1, 2, 3, 4]), 4);
/// let mut batch = consumer.batch(3);
/// assert_eq!(batch.pop(), Some(1));
/// // In place, without a copy.
/// assert_eq!(batch.run(), [2, 3]);
/// assert_eq!(batch.skip_run(2), 2);
/// batch.release();
/// assert_eq!(consumer.len(), 1);
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[doc(alias = "read_chunk")]
#[doc(alias = "occupied_slices")]
pub struct ReadBatch<'a, R: RawBatchConsumer> {
    raw: &'a mut R,
    /// Filled slots that are adjacent.
    ///
    /// `raw` counts them as read already, so that an item cannot be taken twice even if this batch
    /// is forgotten. When the batch is dropped, `raw` takes back those that are left.
    run: Run<R::Slot>,
    /// The number of items that the batch may have beyond `run`.
    beyond: usize,
    /// True if an item has been read and its slot has not been given back.
    dirty: bool,
}

impl<R: RawBatchConsumer> ReadBatch<'_, R> {
    /// Takes the oldest item.
    ///
    /// Returns `None` when the batch has had `most` items or the queue is empty.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<R::Item> {
        if self.run.len == 0 && !self.next_run() {
            return None;
        }
        // SAFETY: a filled slot is left in the run, and each is taken from once.
        Some(unsafe { R::take(self.run.next()) })
    }

    /// Gives back the slots of the taken items, as dropping the batch does.
    #[inline(always)]
    pub fn release(self) {}

    /// Goes on to the next run. Returns whether there is one. The last run is used up.
    #[inline(always)]
    fn next_run(&mut self) -> bool {
        self.run = self.raw.filled_run(self.beyond);
        if self.run.len == 0 {
            return false;
        }
        // SAFETY: the whole run is counted; each of its slots is taken from, or taken back.
        unsafe { self.raw.read(self.run.len) };
        self.beyond -= self.run.len;
        self.dirty = true;
        true
    }
}

impl<T, R: RawBatchConsumer<Item = T, Slot = Cell<T>>> ReadBatch<'_, R> {
    /// Returns the next items that are adjacent in memory, in place.
    ///
    /// The slice is empty only if the batch is at its end.
    #[inline(always)]
    pub fn run(&mut self) -> &[T] {
        if self.run.len == 0 && !self.next_run() {
            return &[];
        }
        // SAFETY: the run's slots are filled and stay so until they are given back.
        unsafe { Cell::filled(self.run.slot, self.run.len) }
    }

    /// Drops the first `count` items of [`run`](Self::run) and returns their number.
    ///
    /// Drops the whole run if it is shorter.
    #[inline]
    pub fn skip_run(&mut self, count: usize) -> usize {
        let count = self.run().len().min(count);
        if core::mem::needs_drop::<T>() {
            return self.by_ref().take(count).count();
        }
        // SAFETY: the pointer is at most one past the run's last slot; items without a destructor
        // may be skipped.
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

    /// Folds run by run: the loop over a run checks its end only.
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
    [R: RawConsumer] Consumer<R>, R::Item: Pop Closed Drain Len;
    [R: RawConsumer<Item: Copy>] Consumer<R>, R::Item: PopSlice;
}
