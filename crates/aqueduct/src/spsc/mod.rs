//! One producer, one consumer.

// The algorithms' own ends are public only as parameters of `Producer` and `Consumer`, which have `Debug`.
#![allow(missing_debug_implementations)]

mod consumer;
mod indexed;
mod lines;
mod mirror;
mod partitions;
mod producer;
mod raw;
mod slots;
mod words;

pub mod batched_improved_fast_forward;
pub mod batched_lamport;
pub mod duplex;
pub mod fast_forward;
pub mod improved_fast_forward;
pub mod lamport;
pub mod lazy_lamport;
pub mod stamped_line;

pub use consumer::{Consumer, Drain, ReadBatch};
pub use duplex::duplex;
pub use producer::{Producer, WriteBatch};
pub use words::NonZeroWord;

use crate::error::CapacityError;

/// The queue to start with: [`stamped_line::queue`].
///
/// # Errors
/// [`CapacityError`] if `capacity` is 0, or its bytes overflow, or there is no memory.
///
/// # Examples
/// ```
/// let (mut producer, mut consumer) = aqueduct::spsc::ring(1024)?;
/// std::thread::scope(|scope| {
///     scope.spawn(move || {
///         for mut i in 0..10_000 {
///             while let Err(full) = producer.push(i) {
///                 i = full.0;
///                 std::hint::spin_loop();
///             }
///         }
///     });
///     let mut sum = 0u64;
///     while !(consumer.is_abandoned() && consumer.is_empty()) {
///         sum += consumer.drain().sum::<u64>();
///     }
///     assert_eq!(sum, (0..10_000).sum());
/// });
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
pub fn ring<T: Send>(capacity: usize) -> Result<(stamped_line::Producer<T>, stamped_line::Consumer<T>), CapacityError> {
    stamped_line::queue(capacity)
}
