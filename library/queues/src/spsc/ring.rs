//! The queue to start with: any items, low latency, batches and slices in place.
//!
//! ```
//! let (mut producer, mut consumer) = aqueduct::spsc::ring::new(1024)?;
//! std::thread::scope(|scope| {
//!     scope.spawn(move || {
//!         for mut item in 0..10_000 {
//!             while let Err(error) = producer.push(item) {
//!                 item = error.into_inner();
//!                 std::thread::yield_now();
//!             }
//!         }
//!     });
//!     let mut sum = 0u64;
//!     while !(consumer.is_closed() && consumer.is_empty()) {
//!         sum += consumer.drain().sum::<u64>();
//!     }
//!     assert_eq!(sum, (0..10_000).sum());
//! });
//! # Ok::<(), aqueduct::error::CapacityError>(())
//! ```
//!
//! # When to use it
//! With single items it moves more items per second than most queues that were measured, ours and
//! others'. Its speed depends little on how closely the consumer follows. A single item costs one
//! cache line each way, the least that two separate queues can. In batches,
//! [`batched_lamport`](super::batched_lamport) is faster on some machines and slower on others:
//! measure both with the program `aqueduct`.
//!
//! # When not to use it
//! [`bbq::spsc`](crate::bbq::spsc) moves at least as many single items, and more in batches, but
//! has no batches in place. The number of items may exceed `capacity` by up to five cache lines'
//! worth. Items so large that a cache line holds only one gain nothing from this queue.
//!
//! # Guarantees
//! First in, first out. `push` and `pop` are wait-free. The items of a batch become visible cache
//! line by cache line, and all of them when the batch is published.
//!
//! # Errors
//! [`PopError::Empty`](crate::error::PopError::Empty) is exact: there was no item at one moment
//! during the call. [`PushError::Full`](crate::error::PushError::Full) means that at least
//! `capacity` items were there. Neither operation ever returns `Busy`.

pub use super::stamped_line::{Consumer, Producer, RawConsumer, RawProducer, new, starting_at};
