//! The improved FastForward queue (IFFQ): for non-zero words, with a producer that is faster.
//!
//! **Unstable**: a release may change this module, or remove it.
//!
//! It carries only values that leave a pattern unused ([`NonZeroWord`]).
//!
//! # Guarantees
//! At least `capacity` items fit. Slots come back by the partition, so up to 2 H more may fit (H
//! slots per partition). `Empty` is exact. Every operation is wait-free; a pop clears H slots every
//! H items.
//!
//! # Design and proof
//! Maffione, Lettieri and Rizzo (2018), section 4.2, figures 10 and 11. The producer reads one slot
//! in H to learn that a whole partition is free, and the consumer clears whole partitions behind
//! it, so in a full queue the two ends never work in one cache line. An item costs the producer 1/K
//! + 1/H misses if it is faster, 1 + 1/H if the consumer is. It costs the consumer 2/K + 1/H and 1
//! + 1/K.

use super::partitions::{self, PARTITION, RawConsumer, Writable};
use super::raw;
use super::words::WordSlots;
use crate::error::{CapacityError, PushError};
use crate::heap::End;
use crate::sync::Ordering;
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
/// let (mut producer, mut consumer) = aqueduct::spsc::improved_fast_forward::new(2)?;
/// producer.push(Box::new("a"))?;
/// assert_eq!(*consumer.pop()?, "a");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A reference can be pushed only if it lives as long as the consumer's items:
/// ```compile_fail,E0597
/// # use aqueduct::spsc::improved_fast_forward::{Producer, new};
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
    let producer = RawProducer { writable, capacity, queue };
    Ok((super::Producer::new(producer), super::Consumer::new(consumer)))
}

/// The producer's private state (group D).
pub struct RawProducer<T: NonZeroWord> {
    writable: Writable,
    capacity: usize,
    queue: End<WordSlots<T>>,
}

impl<T: NonZeroWord> raw::RawProducer for RawProducer<T> {
    type Item = T;

    #[inline(always)]
    fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        if self.writable.left == 0 && !self.writable.extend() {
            return Err(PushError::Full(item));
        }
        self.writable.put(encode(item));
        self.queue.write.store(self.writable.write, Ordering::Relaxed);
        Ok(())
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
