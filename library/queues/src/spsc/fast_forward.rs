//! The FastForward queue (FFQ): exactly bounded, for pointers and other non-zero words.
//!
//! **Unstable**: a release may change this module, or remove it.
//!
//! It carries only values that leave a pattern unused ([`NonZeroWord`]).
//!
//! # Guarantees
//! `Full` and `Empty` are exact. Every operation is wait-free.
//!
//! # Design and proof
//! Maffione, Lettieri and Rizzo (2018), section 4.1, figures 8 and 9. A slot itself shows whether
//! it holds an item, so the two ends share nothing but slots: at its worst an item costs two cache
//! misses on either side, against three of Lamport's queue.

use super::raw;
use super::slots::SlotCursor;
use super::words::{EMPTY, Word, WordSlots};
use crate::error::{CapacityError, PopError, PushError};
use crate::heap::End;
use crate::sync::Ordering;
use crate::word::{NonZeroWord, decode, encode};

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
/// let (mut producer, mut consumer) = aqueduct::spsc::fast_forward::new(2)?;
/// producer.push(Box::new("a"))?;
/// assert_eq!(*consumer.pop()?, "a");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A reference can be pushed only if it lives as long as the consumer's items:
/// ```compile_fail,E0597
/// # use aqueduct::spsc::fast_forward::{Producer, new};
/// fn lend<'a>(mut producer: Producer<&'a u8>, number: &'a u8) {
///     let _ = producer.push(number);
/// }
/// let (producer, mut consumer) = new::<&'static u8>(2)?;
/// {
///     let number = 7;
///     lend(producer, &number);
/// }
/// println!("{:?}", consumer.pop());
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub fn new<T: NonZeroWord + Send>(capacity: usize) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
    starting_at(capacity, 0)
}

/// Makes a queue whose counters start at `index`, for tests near their end.
#[doc(hidden)]
pub fn starting_at<T: NonZeroWord + Send>(
    capacity: usize,
    index: usize,
) -> Result<(Producer<T>, Consumer<T>), CapacityError> {
    let (producer, consumer, cursor) = WordSlots::ends(capacity, 0, 1, 0, index)?;
    let producer = RawProducer { write: index, cursor, capacity, queue: producer };
    let consumer = RawConsumer { read: index, cursor, capacity, queue: consumer };
    Ok((super::Producer::new(producer), super::Consumer::new(consumer)))
}

/// The producer's private state (group D).
pub struct RawProducer<T: NonZeroWord> {
    write: usize,
    cursor: SlotCursor<Word>,
    capacity: usize,
    queue: End<WordSlots<T>>,
}

impl<T: NonZeroWord> raw::RawProducer for RawProducer<T> {
    type Item = T;

    #[inline(always)]
    fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        if self.is_full() {
            return Err(PushError::Full(item));
        }
        // Ordering: Release pairs with the Acquire load of the slot in `pop`; without it, the
        // consumer may not see what the item points to.
        self.cursor.slot().store(encode(item), Ordering::Release);
        self.cursor.step();
        self.write = self.write.wrapping_add(1);
        self.queue.write.store(self.write, Ordering::Relaxed);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn len(&self) -> usize {
        self.queue.len().min(self.capacity)
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        // Ordering: Relaxed, the word itself is all that passes: a producer that sees the
        // consumer's `EMPTY` here comes after it in the slot's modification order, and so does its
        // store of the next item.
        self.cursor.slot().load(Ordering::Relaxed) != EMPTY
    }

    fn is_closed(&self) -> bool {
        self.queue.is_alone()
    }
}

/// The consumer's private state (group E).
pub struct RawConsumer<T: NonZeroWord> {
    read: usize,
    cursor: SlotCursor<Word>,
    capacity: usize,
    queue: End<WordSlots<T>>,
}

impl<T: NonZeroWord> raw::RawConsumer for RawConsumer<T> {
    type Item = T;

    #[inline(always)]
    fn pop(&mut self) -> Result<T, PopError> {
        // Ordering: Acquire pairs with the Release store in `push`: what the item points to is
        // there. Maffione, Lettieri and Rizzo (2018) rely on the data dependency instead; Rust has
        // no ordering for that.
        let word = self.cursor.slot().load(Ordering::Acquire);
        if word == EMPTY {
            return Err(PopError::Empty);
        }
        // Ordering: Relaxed, for the reason in `is_full`. The Acquire load above keeps it after
        // that load.
        self.cursor.slot().store(EMPTY, Ordering::Relaxed);
        self.cursor.step();
        self.read = self.read.wrapping_add(1);
        self.queue.read.store(self.read, Ordering::Relaxed);
        // SAFETY: the producer encoded the word, and no end decodes it again: the slot is empty and
        // was this end's.
        Ok(unsafe { decode(word) })
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn len(&self) -> usize {
        self.queue.len().clamp(usize::from(!self.is_empty()), self.capacity)
    }

    fn is_empty(&self) -> bool {
        self.cursor.slot().load(Ordering::Relaxed) == EMPTY
    }

    fn is_closed(&self) -> bool {
        self.queue.is_alone()
    }
}

impl<T: NonZeroWord> Drop for RawConsumer<T> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: only the consumer touches this cell while it lives.
        unsafe { self.queue.stopped_at.write(self.cursor) }
    }
}
