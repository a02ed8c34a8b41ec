//! The producer's handle and its batches.

use core::fmt;
use core::mem::MaybeUninit;

use super::raw::{RawBatchProducer, RawProducer, Run};
use crate::error::PushError;
use crate::sync::Cell;

/// The producer's handle of a queue: one thread at a time pushes.
///
/// `R` is the algorithm; the queues' modules name the types
/// ([`ring::Producer`](super::ring::Producer)). The handle has a pair of cache lines to itself, so
/// it may lie beside the consumer's without disturbing it.
///
/// # Examples
/// ```
/// use aqueduct::spsc::ring;
///
/// /// A struct names the handle by its queue's module.
/// struct Microphone {
///     samples: ring::Producer<f32>,
/// }
///
/// let (samples, mut speaker) = ring::new(480)?;
/// let mut microphone = Microphone { samples };
/// microphone.samples.push(0.5)?;
/// assert_eq!(microphone.samples.push_slice(&[0.25, 0.0]), 2);
/// assert_eq!(speaker.drain().sum::<f32>(), 0.75);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "Sender")]
#[doc(alias = "rtrb")]
#[doc(alias = "ring buffer")]
#[doc(alias = "circular buffer")]
#[doc(alias = "channel")]
#[repr(align(128))]
pub struct Producer<R> {
    raw: R,
}

impl<R: RawProducer> Producer<R> {
    pub(super) fn new(raw: R) -> Self {
        Self { raw }
    }

    /// Adds `item` at the end of the queue. Wait-free.
    ///
    /// # Errors
    /// [`PushError::Full`] gives the item back if there is no room.
    #[inline(always)]
    pub fn push(&mut self, item: R::Item) -> Result<(), PushError<R::Item>> {
        self.raw.push(item)
    }

    /// Adds the first items of `items`, as many as fit, and returns their number.
    ///
    /// Wait-free.
    #[inline]
    #[must_use = "items beyond the returned number were not pushed"]
    pub fn push_slice(&mut self, items: &[R::Item]) -> usize
    where
        R::Item: Copy,
    {
        self.raw.push_slice(items)
    }

    /// Adds items of the iterator while there is room, and returns their number.
    ///
    /// No item is lost: the iterator is advanced only if there is room for an item.
    ///
    /// # Panics
    /// If the iterator panics. The items before stay in the queue.
    pub fn push_iter(&mut self, items: impl IntoIterator<Item = R::Item>) -> usize {
        let mut items = items.into_iter();
        let mut pushed = 0;
        while !self.raw.is_full() {
            let Some(item) = items.next() else { break };
            // Only this end adds items, so the room is still there.
            if self.raw.push(item).is_err() {
                unreachable!("a queue that was not full has become full without a push");
            }
            pushed += 1;
        }
        pushed
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
    /// Exact while the other end rests, otherwise a value of a recent moment. If the algorithm's
    /// consumer gives slots back late (see its module), slots that are not given back count as
    /// items.
    #[inline]
    pub fn len(&self) -> usize {
        self.raw.len()
    }

    /// Whether [`len`](Self::len) is 0.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.raw.len() == 0
    }

    /// Whether a push would fail now.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.raw.is_full()
    }

    /// Whether the consumer has been dropped. Items that are pushed now are dropped with the queue.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.raw.is_closed()
    }
}

impl<R: RawBatchProducer> Producer<R> {
    /// Starts a batch: several items for the cost of one publication.
    ///
    /// It reads the consumer's side only if fewer than `wanted` slots are known to be free. The
    /// batch may have room for more or for fewer items ([`WriteBatch::space`]). The consumer sees
    /// the items in order, when the batch is published or dropped, or earlier (see the queue's
    /// module).
    #[inline(always)]
    pub fn batch(&mut self, wanted: usize) -> WriteBatch<'_, R> {
        let space = self.raw.space(wanted);
        WriteBatch { raw: &mut self.raw, run: Run::EMPTY, uncounted: 0, beyond: space, dirty: false }
    }
}

impl<R: RawProducer> fmt::Debug for Producer<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("capacity", &self.capacity()).field("len", &self.len()).finish_non_exhaustive()
    }
}

/// A batch of items to be pushed.
///
/// [`Producer::batch`] makes it. Dropping it publishes the pushed items, also after a panic. If it is
/// forgotten (`mem::forget`), items that were pushed since may be leaked: they are never popped and
/// never dropped. The queue stays usable.
///
/// # Examples
/// ```
/// let (mut producer, mut consumer) = aqueduct::spsc::ring::new(100)?;
/// let mut batch = producer.batch(3);
/// assert!(batch.space() >= 3);
/// batch.push("one")?;
/// assert_eq!(batch.fill(["two", "three"]), 2);
/// batch.publish();
/// assert_eq!(consumer.drain().collect::<Vec<_>>(), ["one", "two", "three"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "write_chunk")]
#[doc(alias = "vacant_slices")]
pub struct WriteBatch<'a, R: RawBatchProducer> {
    raw: &'a mut R,
    /// Free slots that are adjacent.
    run: Run<Cell<R::Item>>,
    /// The number of slots before `run` that have been written and that `raw` does not count yet.
    uncounted: usize,
    /// The number of slots beyond `run` that are known to be free.
    beyond: usize,
    /// True if `raw` has items to publish.
    dirty: bool,
}

impl<R: RawBatchProducer> WriteBatch<'_, R> {
    /// Returns how many more items this batch takes.
    #[inline(always)]
    pub fn space(&self) -> usize {
        self.run.len + self.beyond
    }

    /// Adds an item to the batch.
    ///
    /// # Errors
    /// [`PushError::Full`] gives the item back if the batch has no space left.
    #[inline(always)]
    pub fn push(&mut self, item: R::Item) -> Result<(), PushError<R::Item>> {
        if self.run.len == 0 && !self.next_run() {
            return Err(PushError::Full(item));
        }
        // SAFETY: a slot is left in the run, free and this end's.
        unsafe { self.run.next().write(item) };
        self.uncounted += 1;
        Ok(())
    }

    /// Moves items of the iterator into the free slots, and returns their number.
    ///
    /// Stops when the slots or the items end.
    ///
    /// # Panics
    /// If the iterator panics. The items before are part of the batch.
    #[inline]
    pub fn fill(&mut self, items: impl IntoIterator<Item = R::Item>) -> usize {
        let before = self.space();
        let mut items = items.into_iter();
        while self.space() != 0 {
            let Some(item) = items.next() else { break };
            if self.push(item).is_err() {
                unreachable!("a batch with space refused an item");
            }
        }
        before - self.space()
    }

    /// Returns the next free slots that are adjacent in memory, to be written in place.
    ///
    /// The slice is empty only if [`space`](Self::space) is 0. Items that are written there count
    /// only after [`written`](Self::written). If the queue publishes from a buffer of its own
    /// (`batched_improved_fast_forward`), the slots are the buffer's.
    #[inline(always)]
    pub fn run(&mut self) -> &mut [MaybeUninit<R::Item>] {
        if self.run.len == 0 && !self.next_run() {
            return &mut [];
        }
        // SAFETY: the run's slots are free and this end's.
        unsafe { Cell::free(self.run.slot, self.run.len) }
    }

    /// Counts the first `count` slots of [`run`](Self::run) as written.
    ///
    /// # Safety
    /// These slots have been written since the last call of `run`, and `count` is at most the run's
    /// length.
    #[inline(always)]
    pub unsafe fn written(&mut self, count: usize) {
        // SAFETY: the pointer is at most one past the run's last slot.
        self.run.slot = unsafe { self.run.slot.add(count) };
        self.run.len -= count;
        self.uncounted += count;
    }

    /// Publishes the pushed items to the consumer, as dropping the batch does.
    #[inline(always)]
    pub fn publish(self) {}

    /// Makes `raw` count the written slots.
    #[inline(always)]
    fn count(&mut self) {
        if self.uncounted != 0 {
            // SAFETY: that number of slots of the last run have been written.
            unsafe { self.raw.written(self.uncounted) };
            self.uncounted = 0;
            self.dirty = true;
        }
    }

    /// Goes on to the next run. Returns whether there is one. The last run is used up.
    #[inline(always)]
    fn next_run(&mut self) -> bool {
        if self.beyond == 0 {
            return false;
        }
        self.count();
        // SAFETY: `space` returned that these slots are free, and `beyond` of them are left.
        self.run = unsafe { self.raw.free_run(self.beyond) };
        self.beyond -= self.run.len;
        true
    }
}

impl<R: RawBatchProducer> Drop for WriteBatch<'_, R> {
    #[inline(always)]
    fn drop(&mut self) {
        self.count();
        if self.dirty {
            self.raw.publish();
        }
    }
}

impl<R: RawBatchProducer> fmt::Debug for WriteBatch<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteBatch").field("space", &self.space()).finish_non_exhaustive()
    }
}

crate::queue::implement! {
    [R: RawProducer] Producer<R>, R::Item: Push PushIter Full Closed Len;
    [R: RawProducer<Item: Copy>] Producer<R>, R::Item: PushSlice;
}
