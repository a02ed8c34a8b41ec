//! FAAQ: [BBQ](crate::bbq) whose consumers take entries of a filled block by fetch-and-add ("FAAQ", the seed's 3.7.4). For many
//! producers and many consumers; bounded; first in, first out.
//!
//! A consumer of BBQ that loses a race for an entry tries again, and can lose again. Here, one that has lost a race in a block of which
//! all entries are committed gives the block over to adding. From then on who finds others at work there adds to the block's counter,
//! and has what it finds: it never tries twice in such a block. While a block is not filled, or nobody has lost a race in it, it is
//! BBQ; so are the producers, always. That bounds the tries. On two cores, where exchanges seldom fail, it is up to a quarter faster
//! than BBQ in slices, and as fast with single items.
//!
//! # What is ours
//! - The published algorithm adds to the same word that it exchanges before. A consumer that is slow can then add to the word of a
//!   block that is in use again, a lap later, where nothing has been written yet, and has to take that back. Here the additions have
//!   a word of their own, which is open only while the block is filled. What comes late finds it closed, or an item. Nothing is
//!   ever taken back.
//! - That a block is filled is not counted: each entry has its mark, and one consumer looks at all of them. Since that costs a quarter of
//!   the speed of slices, it waits for a race that is lost; in blocks of a few entries it does not.
//! - A block of one entry is never given over: an exchange takes that entry sooner.
//! - An exchange is tried before the addition. It costs nothing, lets the processor go on with the item before the counter's
//!   line is there, and tells one of two consumers, not both, that it is not alone.
//!
//! # Guarantees
//! Those of [BBQ](crate::bbq#guarantees), with the same meaning of `Full`, `Empty`, and `Busy`, and the same progress. A block has at
//! most 32,767 entries. (On machines of 32 bits 127; there is no room for additions there, and FAAQ is BBQ.)
//!
//! **At most 1024 threads may pop at a time.** An addition passes a block's end by up to 32 and takes that back with
//! its next instruction; a block's word has room for 1024 threads that are stopped between the two. With more of them,
//! stopped there, in one block, the word would overflow, and items could be lost or taken twice. Nothing counts
//! threads: programs with more consumers use [BBQ](crate::bbq). This holds for the tube
//! [`tube::FetchAddBlocks`](crate::tube::FetchAddBlocks), too.
//!
//! With a single consumer, or a single producer, [`bbq::mpsc`](crate::bbq::mpsc) and [`bbq::spmc`](crate::bbq::spmc) have less
//! to do.
//!
//! # Load buffering
//! As with [BBQ](crate::bbq#load-buffering): what is without a Release or an Acquire are exchanges that divide entries among threads of
//! one side, here also those of the word for additions, and additions themselves, which acquire and do not release. A word is opened
//! for them by Release. The proof leans on RC11 in the same place only: where threads both push and pop, that the exchange of a later
//! operation is not made before the branch on what the earlier one returned. An addition has no branch after it but the one that
//! says whether there was an entry; that one comes before its item is taken, and so before the thread's next operation.
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

pub use crate::bbq::Adding;
use crate::bbq::{FIRST_VERSION, Geometry, Items, Multi, Shared, pair, shared_queue};
use crate::error::CapacityError;

/// A producer. It can be cloned, one for each thread.
pub type Producer<T> = crate::bbq::Producer<T, Multi, Adding>;

/// A consumer. It can be cloned, one for each thread.
pub type Consumer<T> = crate::bbq::Consumer<T, Multi, Adding>;

shared_queue! {
    /// A bounded queue that threads share by reference or in an `Arc`, with consumers that fetch and add.
    ///
    /// Each operation finds its place anew; the handles of [`new`] remember theirs.
    ///
    /// # Examples
    /// ```
    /// let queue = aqueduct::faaq::Queue::new(1000)?;
    /// queue.push("item")?;
    /// assert_eq!(queue.pop()?, "item");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Queue, Adding
}

/// The handles of a queue.
pub type Handles<T> = (Producer<T>, Consumer<T>);

/// A queue for at least `capacity` items.
///
/// # Errors
/// [`CapacityError`] if `capacity` is 0, or too large, or there is no memory.
pub fn new<T: Send>(capacity: usize) -> Result<Handles<T>, CapacityError> {
    pair(Shared::for_capacity(Items::new(), capacity, FIRST_VERSION)?)
}

/// A queue divided as `geometry` says.
///
/// # Errors
/// [`CapacityError`] if a block or the queue is too large, or there is no memory.
pub fn with_geometry<T: Send>(geometry: Geometry) -> Result<Handles<T>, CapacityError> {
    starting_at(geometry, FIRST_VERSION)
}

/// As [`with_geometry`], in that lap: tests start near the last one.
#[doc(hidden)]
pub fn starting_at<T: Send>(geometry: Geometry, version: usize) -> Result<Handles<T>, CapacityError> {
    pair(Shared::new(Items::new(), geometry, geometry.capacity(), version)?)
}
