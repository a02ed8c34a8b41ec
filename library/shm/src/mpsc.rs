//! A queue of fixed-size items for many producers and one consumer: each producer has a sub-queue,
//! its lane.
//!
//! # Examples
//! ```
//! use aqueduct_shm::{items, mpsc};
//!
//! // In regions (on Linux): `mpsc::Queue::in_region`. For threads, from its parts:
//! let bell = items::Queue::<u64, _>::on_heap(1, 0)?.into_memory();
//! let lanes = [items::Queue::<u64, _>::on_heap(100, 0)?, items::Queue::on_heap(100, 0)?];
//! let mut producers = Vec::new();
//! for lane in &lanes {
//!     producers.push(mpsc::Producer::new(lane.producer()?, bell.clone()));
//! }
//! let mut consumer = mpsc::Consumer::new([lanes[0].consumer()?, lanes[1].consumer()?], bell);
//!
//! producers[0].push(1)?;
//! producers[1].push(2)?;
//! assert_eq!(consumer.pop()? + consumer.pop()?, 3);
//! assert!(consumer.pop().is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//! * The items of one producer are popped in the order of its pushes. There is no order between
//!   producers.
//! * Every operation is wait-free: no producer waits for another one, or for the consumer. A
//!   producer that is killed or stopped at any step delays no other process.
//! * The next producer takes a dead one's lane, and the items in the lane are still popped.
//! * `pop` returns `Empty` if each lane was empty at a moment during the call. It finds each item
//!   that was pushed before the call.
//! * A damaged lane is skipped while other lanes have items.
//!
//! # Design
//! A lane is a [queue of items](crate::items) with a capacity of its own. Producers share nothing
//! but the word on which the consumer sleeps. The consumer turns to the next lane when a lane is
//! empty, or after some items, so that no producer starves the others.
//!
//! # When not to use it
//! With hundreds of producers that are mostly idle: a pop looks at each lane before it returns
//! `Empty`.

pub use crate::lanes::{Consumer, Producer};
#[cfg(all(feature = "std", target_os = "linux"))]
pub use crate::region::LaneQueue as Queue;
