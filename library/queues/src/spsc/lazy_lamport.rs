//! The lazy Lamport queue (LLQ): exactly bounded, with fewer cache misses than
//! [`lamport`](super::lamport).
//!
//! **Unstable**: a release may change this module, or remove it.
//!
//! # Guarantees
//! `Full` means that `capacity` items were in the queue at one moment during the call, `Empty` that
//! none was. Every operation is wait-free.
//!
//! # Design and proof
//! Maffione, Lettieri and Rizzo (2018), section 3.2, figures 3 and 4. Each end remembers the
//! other's index and reads it again only when it can make no progress otherwise. A cache line's
//! worth of slots (K) stays unused, so the two ends of a full queue never work in one line. An item
//! costs 2 + 1/N misses if the consumer is faster, 1 + 1/K + 1/N if the producer is.

use super::indexed::Indexed;
use super::raw;
use super::slots::{SlotArray, SlotCursor};
use crate::error::{CapacityError, PopError, PushError};
use crate::heap::End;
use crate::isolated::LINE;
use crate::sync::{Cell, Ordering};

/// The producer's handle of [`new`].
pub type Producer<T> = super::Producer<RawProducer<T>>;
/// The consumer's handle of [`new`].
pub type Consumer<T> = super::Consumer<RawConsumer<T>>;

/// Makes a queue for exactly `capacity` items.
///
/// # Errors
/// [`CapacityError`] if `capacity` is 0, or its bytes overflow, or there is no memory.
///
/// # Examples
/// ```
/// let (mut producer, mut consumer) = aqueduct::spsc::lazy_lamport::new(2)?;
/// producer.push('a')?;
/// producer.push('b')?;
/// assert!(producer.push('c').is_err());
/// assert_eq!(consumer.pop()?, 'a');
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn new<T: Send>(capacity: usize) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
    starting_at(capacity, 0)
}

/// Makes a queue whose indices start at `index`, for tests near their end.
#[doc(hidden)]
pub fn starting_at<T: Send>(capacity: usize, index: usize) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
    let k = LINE.div_ceil(size_of::<T>().max(1));
    let (producer, consumer, cursor) = Indexed::ends(SlotArray::for_values(capacity, k)?, index)?;
    let producer = RawProducer { write: index, read_shadow: index, cursor, capacity, queue: producer };
    let consumer = RawConsumer { read: index, write_shadow: index, cursor, capacity, queue: consumer };
    Ok((super::Producer::new(producer), super::Consumer::new(consumer)))
}

/// The producer's private state (group D).
pub struct RawProducer<T> {
    /// This end's copy of the shared `write`.
    write: usize,
    /// The value of the shared `read` that this end saw last.
    read_shadow: usize,
    cursor: SlotCursor<Cell<T>>,
    capacity: usize,
    queue: End<Indexed<T>>,
}

impl<T> raw::RawProducer for RawProducer<T> {
    type Item = T;

    #[inline(always)]
    fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        if self.write.wrapping_sub(self.read_shadow) == self.capacity {
            // Ordering: Acquire pairs with the Release store of `read` in `pop`; without it, this
            // write to the slot races with the consumer's read of the item before.
            self.read_shadow = self.queue.read.load(Ordering::Acquire);
            if self.write.wrapping_sub(self.read_shadow) == self.capacity {
                return Err(PushError::Full(item));
            }
        }
        // SAFETY: fewer than `capacity` items are in the queue, so the slot is free and this end's.
        unsafe { self.cursor.slot().write(item) };
        self.cursor.step();
        self.write = self.write.wrapping_add(1);
        // Ordering: Release pairs with the Acquire load of `write` in `pop`; without it, the
        // consumer reads a slot that is not written yet.
        self.queue.write.store(self.write, Ordering::Release);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn len(&self) -> usize {
        self.queue.len_for_producer(self.write)
    }

    fn is_closed(&self) -> bool {
        self.queue.is_alone()
    }
}

/// The consumer's private state (group E).
pub struct RawConsumer<T> {
    /// This end's copy of the shared `read`.
    read: usize,
    /// The value of the shared `write` that this end saw last.
    write_shadow: usize,
    cursor: SlotCursor<Cell<T>>,
    capacity: usize,
    queue: End<Indexed<T>>,
}

impl<T> raw::RawConsumer for RawConsumer<T> {
    type Item = T;

    #[inline(always)]
    fn pop(&mut self) -> Result<T, PopError> {
        if self.read == self.write_shadow {
            // Ordering: Acquire pairs with the Release store of `write` in `push`: the items come
            // with it.
            self.write_shadow = self.queue.write.load(Ordering::Acquire);
            if self.read == self.write_shadow {
                return Err(PopError::Empty);
            }
        }
        // SAFETY: the producer published this slot and does not touch it until it is given back
        // below.
        let item = unsafe { self.cursor.slot().take() };
        self.cursor.step();
        self.read = self.read.wrapping_add(1);
        // Ordering: Release pairs with the Acquire load of `read` in `push`: the slot has been
        // read.
        self.queue.read.store(self.read, Ordering::Release);
        Ok(item)
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn len(&self) -> usize {
        self.queue.len_for_consumer(self.read)
    }

    fn is_closed(&self) -> bool {
        self.queue.is_alone()
    }
}

impl<T> Drop for RawConsumer<T> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: only the consumer touches this cell while it lives.
        unsafe { self.queue.stopped_at.write(self.cursor) }
    }
}
