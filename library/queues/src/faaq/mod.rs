//! FAAQ: [BBQ](crate::bbq) whose consumers take the entries of filled blocks by fetch-and-add.
//!
//! **Unstable**: a release may change this module, or remove it.
//!
//! The queues are bounded, first in, first out, for many producers and many consumers. The
//! algorithm is described in section 3.7.4 of J. Wang's thesis (TU Dresden, 2024).
//!
//! # Examples
//! ```
//! let (mut producer, consumer) = aqueduct::faaq::new(1000)?;
//! let sums = std::thread::scope(|scope| {
//!     let consumers = [consumer.clone(), consumer].map(|mut consumer| {
//!         scope.spawn(move || {
//!             let mut sum = 0;
//!             while !consumer.is_closed() {
//!                 sum += consumer.drain().sum::<u64>();
//!                 std::thread::yield_now();
//!             }
//!             sum + consumer.drain().sum::<u64>()
//!         })
//!     });
//!     for number in 1..=10_000 {
//!         while producer.push(number).is_err() {
//!             std::thread::yield_now();
//!         }
//!     }
//!     drop(producer);
//!     consumers.map(|consumer| consumer.join().expect("it does not panic"))
//! });
//! assert_eq!(sums.iter().sum::<u64>(), 50_005_000);
//! # Ok::<(), aqueduct::error::CapacityError>(())
//! ```
//!
//! # When to use it
//! Try it with many consumer cores: it bounds the retries of a consumer. A consumer of BBQ that
//! loses a race for an entry tries again, and can lose again. A consumer of FAAQ never tries twice
//! in a sealed block (see [below](#design-and-proof)).
//!
//! # When not to use it
//! With a single consumer or a single producer, [`bbq::mpsc`](crate::bbq::mpsc) and
//! [`bbq::spmc`](crate::bbq::spmc) take fewer steps.
//!
//! **At most 1024 threads may pop at a time.** An addition passes a block's end by up to 32, and
//! the thread's next instruction takes that back. A block's word has room for 1024 threads that are
//! stopped between the two. With more threads stopped there, in one block, the word would overflow,
//! and items could be lost or taken twice. No code counts threads: programs with more consumers use
//! [BBQ](crate::bbq). The tube [`tube::FetchAddBlocks`](crate::tube::FetchAddBlocks) has this
//! limit, too.
//!
//! # Guarantees
//! FAAQ has the [guarantees of BBQ](crate::bbq#guarantees), its progress, and its
//! [errors](crate::bbq#errors). A block has at most 32,767 entries. (On 32-bit machines it has at
//! most 127; there the word has no room for additions, and FAAQ is BBQ.)
//!
//! # Design and proof
//! A consumer that has lost a race in a block whose entries are all committed *seals* the block: it
//! closes the word for compare-exchange and opens a word for fetch-and-add. From then on, a
//! consumer that finds other consumers at work in the block adds to that word, and takes the entry
//! that it got. It never tries twice in such a block. A block that is not filled, or in which no
//! consumer has lost a race, works as in BBQ. Producers always work as in BBQ.
//!
//! ## Differences from the thesis
//! - The published algorithm adds to the word that it compared and exchanged before. A slow
//!   consumer can then add to the word of a block that is in use again, a lap later, where nothing
//!   has been written yet, and has to take that back. Here the additions have a word of their own,
//!   which is open only while the block is filled. A late consumer finds it closed, or finds an
//!   item. No consumer takes a claim back.
//! - No counter tracks whether a block is filled: each entry has its mark, and one consumer reads
//!   all marks. That reading is expensive, so it waits until a race is lost; in blocks of a few
//!   entries it does not wait.
//! - A block of one entry is never sealed: an exchange takes that entry sooner.
//! - A consumer tries an exchange before the addition. That costs nothing, and lets the processor
//!   go on with the item before the counter's line arrives. It also shows one of two consumers, not
//!   both, that another one is at work.
//!
//! ## Load buffering
//! No searched client leans on RC11's ban of [load buffering](crate::bbq#load-buffering).

pub use crate::bbq::Adding;
use crate::bbq::{FIRST_LAP, Geometry, Items, Multi, Ring, pair, shared_queue};
use crate::error::CapacityError;

/// A producer. It can be cloned, one for each thread.
pub type Producer<T> = crate::bbq::Producer<T, Multi, Adding>;

/// A consumer. It can be cloned, one for each thread.
pub type Consumer<T> = crate::bbq::Consumer<T, Multi, Adding>;

shared_queue! {
    /// A bounded queue that threads share, whose consumers use fetch-and-add.
    ///
    /// Threads share it by reference or in an `Arc`. Each operation searches for its position. The
    /// handles of [`new`] remember theirs.
    ///
    /// # Examples
    /// ```
    /// let queue = aqueduct::faaq::Queue::new(1000)?;
    /// queue.push("item")?;
    /// assert_eq!(queue.pop()?, "item");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    faaq::Queue, Adding
}

/// The handles of a queue.
pub type Handles<T> = (Producer<T>, Consumer<T>);

/// Makes a queue for at least `capacity` items.
///
/// # Errors
/// [`CapacityError`] if `capacity` is 0, or too large, or there is no memory.
pub fn new<T: Send>(capacity: usize) -> Result<Handles<T>, CapacityError> {
    pair(Ring::for_capacity(Items::new(), capacity, FIRST_LAP)?)
}

/// Makes a queue with the blocks and entries of `geometry`.
///
/// # Errors
/// [`CapacityError`] if a block or the queue is too large, or there is no memory.
pub fn with_geometry<T: Send>(geometry: Geometry) -> Result<Handles<T>, CapacityError> {
    starting_at(geometry, FIRST_LAP)
}

/// Makes a queue that starts in lap `version`, for tests near the last lap.
#[doc(hidden)]
pub fn starting_at<T: Send>(geometry: Geometry, lap: usize) -> Result<Handles<T>, CapacityError> {
    pair(Ring::new(Items::new(), geometry, geometry.capacity(), lap)?)
}
