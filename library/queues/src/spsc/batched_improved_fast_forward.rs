//! The batched improved FastForward queue (BIFFQ): for non-zero words that come in bursts.
//!
//! **Unstable**: a release may change this module, or remove it.
//!
//! It carries only values that leave a pattern unused ([`NonZeroWord`]).
//!
//! # Guarantees
//! At least `capacity` items fit. Slots come back by the partition, so up to 2 H more may fit (H
//! slots per partition). `Empty` is exact. Every operation is wait-free; a pop clears H slots every
//! H items. The items of a batch appear one after the other, not at once. A batch has room for H
//! items at most.
//!
//! # Design and proof
//! Maffione, Lettieri and Rizzo (2018), section 4.3, figures 12 and 13. It is the [improved
//! FastForward queue](super::improved_fast_forward) with a producer that collects a batch in a
//! buffer of its own, of H items, and copies it into the slots in one burst. So a consumer that
//! waits for the first item does not disturb the writes of the others.

use super::partitions::{self, PARTITION, RawConsumer, Writable};
use super::raw;
use super::slots::{SlotArray, SlotCursor};
use super::words::WordSlots;
use crate::error::{CapacityError, PushError};
use crate::heap::End;
use crate::sync::{Cell, Ordering};
use crate::word::{NonZeroWord, encode};

/// The producer's handle of [`new`].
pub type Producer<T> = super::Producer<RawProducer<T>>;
/// The consumer's handle of [`new`].
pub type Consumer<T> = super::Consumer<RawConsumer<T>>;

/// Makes a queue for at least `capacity` items, with partitions of 32 slots.
///
/// # Errors
/// [`CapacityError`] if `capacity` is 0, or its bytes overflow, or there is no memory.
///
/// # Examples
/// ```
/// let (mut producer, mut consumer) = aqueduct::spsc::batched_improved_fast_forward::new(2)?;
/// producer.push(Box::new("a"))?;
/// assert_eq!(*consumer.pop()?, "a");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn new<T: NonZeroWord + Send>(capacity: usize) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
    with_partition(capacity, PARTITION)
}

/// Makes a queue for at least `capacity` items, with partitions of `partition` (H) slots.
///
/// Takes memory for up to 4 H slots more than `capacity`.
///
/// # Errors
/// The errors of [`new`]; also [`CapacityError::Partition`] if `partition` is not within 1 to
/// 65536.
pub fn with_partition<T: NonZeroWord + Send>(
    capacity: usize,
    partition: usize,
) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
    starting_at(capacity, partition, 0)
}

/// Makes a queue whose counters start at `index`, for tests near their end.
#[doc(hidden)]
pub fn starting_at<T: NonZeroWord + Send>(
    capacity: usize,
    partition: usize,
    index: usize,
) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
    let (queue, writable, consumer) = partitions::ends(capacity, partition, index)?;
    let buffer = SlotArray::for_values(partition, 0)?;
    let producer = RawProducer { writable, buf: buffer.cursor(0), buffered: 0, _buffer: buffer, capacity, queue };
    Ok((super::Producer::new(producer), super::Consumer::new(consumer)))
}

/// The producer's private state (group D).
pub struct RawProducer<T: NonZeroWord> {
    writable: Writable,
    /// The start of the buffer, which has H slots.
    buf: SlotCursor<Cell<T>>,
    /// The number of items in the buffer.
    buffered: usize,
    /// The buffer's memory.
    _buffer: SlotArray<Cell<T>>,
    capacity: usize,
    queue: End<WordSlots<T>>,
}

// SAFETY: the producer owns the items in its buffer; an end is `Send` as far as its queue is.
unsafe impl<T: NonZeroWord + Send> Send for RawProducer<T> {}
// SAFETY: `&RawProducer` gives no access to items.
unsafe impl<T: NonZeroWord + Send> Sync for RawProducer<T> {}

impl<T: NonZeroWord> RawProducer<T> {
    /// Returns the buffer's slot number `i`.
    #[inline(always)]
    fn buf(&self, i: usize) -> *const Cell<T> {
        debug_assert!(i < self.buf.ring_len());
        // SAFETY: `i` is less than H, the buffer's length.
        unsafe { self.buf.as_ptr().add(i) }
    }
}

impl<T: NonZeroWord> raw::RawProducer for RawProducer<T> {
    type Item = T;

    /// Pushes without the buffer, because a batch of one has nothing to collect.
    #[inline(always)]
    fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        if self.writable.left == 0 && !self.writable.extend() {
            return Err(PushError::Full(item));
        }
        self.writable.put(encode(item));
        self.queue.write.store(self.writable.write, Ordering::Relaxed);
        Ok(())
    }

    fn push_slice(&mut self, items: &[T]) -> usize
    where
        T: Copy,
    {
        raw::copy_in(self, items)
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn is_full(&self) -> bool {
        self.writable.left == 0 && !self.writable.can_extend()
    }

    fn is_closed(&self) -> bool {
        self.queue.is_alone()
    }
}

impl<T: NonZeroWord> raw::RawBatchProducer for RawProducer<T> {
    #[inline(always)]
    fn space(&mut self, wanted: usize) -> usize {
        if self.buffered == self.buf.ring_len() {
            // The slice is longer than the buffer.
            self.publish();
        }
        while self.writable.left - self.buffered < wanted && self.writable.extend() {}
        (self.buf.ring_len() - self.buffered).min(self.writable.left - self.buffered)
    }

    #[inline(always)]
    unsafe fn free_run(&mut self, most: usize) -> raw::Run<Cell<T>> {
        raw::Run { slot: self.buf(self.buffered), len: most }
    }

    #[inline(always)]
    unsafe fn written(&mut self, count: usize) {
        self.buffered += count;
    }

    #[inline(always)]
    fn publish(&mut self) {
        for i in 0..self.buffered {
            // SAFETY: the first `buffered` slots hold items; each is taken once, since `buffered`
            // is reset below and nothing here unwinds.
            let item = unsafe { (*self.buf(i)).take() };
            self.writable.put(encode(item));
        }
        self.buffered = 0;
        self.queue.write.store(self.writable.write, Ordering::Relaxed);
    }
}
