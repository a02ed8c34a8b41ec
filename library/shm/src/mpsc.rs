//! A queue of fixed-size items for many producers and one consumer: a lane for each producer.
//!
//! # Examples
//! ```
//! use aqueduct_shm::{items, mpsc};
//!
//! // In regions (on Linux): `mpsc::Queue::in_region`. Of parts, for threads:
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
//! * The items of a producer come in its order. There is no order between producers.
//! * Every operation is wait-free: no producer waits for another one, or for the consumer. One that is killed or
//!   stopped at any step holds up nobody.
//! * A lane of a dead producer is taken again by the next one, and its items are popped all the same.
//! * `pop` says `Empty` if each lane was empty at a moment during the call: an item that was pushed before it is found.
//! * A lane that something overwrites is passed over while others have items.
//!
//! # Design
//! A lane is a [queue of items](crate::items), with its own capacity and its own proof; nothing is shared between
//! producers but the word by which they wake the consumer. The consumer goes on to the next lane when a lane is empty,
//! or after some items, so that no producer starves the others.
//!
//! # When not to use it
//! With hundreds of producers, most of which are idle: a pop looks at each lane before it says that there is nothing.

pub use crate::lanes::{Consumer, Producer};
#[cfg(all(feature = "std", target_os = "linux"))]
pub use crate::region::LaneQueue as Queue;
