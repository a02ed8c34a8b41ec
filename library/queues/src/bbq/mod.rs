//! BBQ: bounded first-in-first-out queues for any number of producers and consumers.
//!
//! The algorithm is BBQ's retry-new mode: Wang et al., "BBQ: A Block-based Bounded Queue for
//! Exchanging Data and Profiling", USENIX ATC 2022. [`drop_old`] is the paper's other mode, in
//! which producers overwrite the oldest items. [`records`] carries records of any length, in both
//! modes. [`slots`] carries large items, written and read in place.
//!
//! | module | producers | consumers | errors of a push | errors of a pop |
//! | --- | --- | --- | --- | --- |
//! | [`spsc`] | one | one | `Full` | `Empty` |
//! | [`mpsc`] | many | one | `Full` | `Empty`, `Busy` |
//! | [`spmc`] | one | many | `Full`, `Busy` | `Empty` |
//! | [`mpmc`], [`Queue`] | many | many | `Full`, `Busy` | `Empty`, `Busy` |
//!
//! # When to use it
//! Use it wherever a queue has many producers or many consumers and the order of the items matters.
//!
//! # When not to use it
//! - One producer and one consumer that need slices in place, `len` or `peek`:
//!   [`spsc::ring`](crate::spsc::ring).
//! - Signal handlers, or threads that must not be held up by a suspended one:
//!   [`nblfq`](crate::nblfq).
//! - Many threads that accept a relaxed order for more throughput: [`cnq`](crate::cnq).
//!
//! # Guarantees
//! Items come out in the order in which their entries were claimed, each once. A panic cannot occur
//! between claiming an entry and committing it. Items that are left when all handles are gone are
//! dropped, the oldest first. A handle that is forgotten (`mem::forget`) keeps the queue's memory
//! alive and counts as present.
//!
//! No operation waits for another thread: each returns. But a stalled thread can keep operations of
//! others from succeeding:
//! - A producer that stalls in the middle of a push holds up consumers when they reach its entry,
//!   and no thread earlier.
//! - A consumer that stalls in the middle of a pop holds up producers when they reach its block
//!   again, a lap later.
//!
//! Threads on one side do not wait for each other. A thread that loses a race for an entry backs
//! off for a bounded time and tries again; the backoff is longer while the other threads make use
//! of it. A side with several threads is lock-free, not wait-free. A side with a single thread is
//! wait-free.
//!
//! # Errors
//! `Full` means that at least `capacity` items were in the queue at one moment during the call.
//! `Empty` means that the queue had no item at one moment during the call. Both take account of
//! every operation that happens before the call, in the sense of the memory model.
//!
//! `Busy` means that another thread is in the middle of an operation that has to complete first:
//! - A push is `Busy` if consumers have left the block that it needs, or the block's last item has
//!   been popped, while another item of the block is still being popped.
//! - A pop is `Busy` if the oldest item is still being pushed.
//!
//! # Design and proof
//! The ring is divided into blocks. Each block has its own cursors, so producers and consumers meet
//! on a cache line only while they work in one block. A block is reused as a whole, after all of it
//! has been consumed. A head for the whole queue names the current block, and may lag behind.
//!
//! ## Differences from the paper
//! The published algorithm counts committed and consumed entries in two more cursors of each block.
//! An item therefore costs four atomic read-modify-writes, and a consumer reads a line that every
//! push writes. This implementation differs:
//! - Producers mark an entry as committed where it lies. The marks of a cache line's entries are in
//!   that line, one byte each; with a single producer, one stamp serves the whole line. So one
//!   transfer of a line brings both the items and their marks.
//! - Many consumers mark consumed entries in bytes of their own, which producers read once a lap. A
//!   single consumer gives back a whole block by one store.
//! - So an item costs two atomic read-modify-writes, one on each side, and none on a side with a
//!   single thread.
//! - A committed entry can be taken even if later entries of its block are not committed yet.
//! - Handles claim entries by compare-exchange from their last position, not by fetch-and-add
//!   ([why](#why-producers-exchange-and-do-not-add)). So cursors never overshoot, which leaves room
//!   for wide lap numbers.
//! - A push on a full queue reads two words that producers do not write: the mark of the next
//!   block's last entry, and the consumers' head. A pop on an empty queue reads one entry's mark
//!   and the block's two cursors.
//! - Lap numbers are compared for equality only, so their wrap-around is harmless. No maximum is
//!   taken anywhere.
//! - A consumer that is too close behind the producers backs off for a moment, where that pays.
//!
//! ## Why producers exchange and do not add
//! The published producers claim entries by fetch-and-add. An addition never fails, but each takes
//! the block's word from the producer before it, while a loser that backs off leaves it to another
//! one for many claims. On simulated cores, with all else equal, the exchange needs fewer transfers
//! of cache lines, and moves more items except with very many producers on one word
//! (`results/queues.md`). Additions win where backing off does not keep producers apart: with a
//! backoff of `Never`, and where producers wait for room, because all of them come at once when a
//! block is free. They also go beyond a block's end, and are correct for a bounded number of
//! threads only.
//!
//! Aggregating funnels (PPoPP 2025) let several threads add to a word of their own, and one of them
//! add the sum to the word of all. A claim costs at least a transfer of the group's word and one of
//! the result, besides the sum's share: more than an exchange costs with any number of producers
//! that was measured. They pay where the exchange has come down to the rate of plain additions,
//! which does not depend on the number of threads, and where the consumers can take more than that.
//!
//! ## Load buffering
//! The proof is made under RC11, which forbids load buffering: cycles in which each thread reads
//! what another one writes only after its own read. C11, and compilers for Arm, allow such a cycle
//! where a relaxed read and a later relaxed write of one thread have no order.
//!
//! Where the checker found such a read, it acquires, or the write releases; the comments there read
//! *load buffering*. That costs x86 nothing, and Arm an `ldar` for an `ldr`, or a `casa` for a
//! `cas`. `aqueduct verify --load-buffering` looks for more of them in all executions of the
//! clients. The gate asserts that it finds none in clients of up to 1,000 executions, and the
//! larger ones that `aqueduct verify` runs unless it is asked for big ones were searched once.
//!
//! [`drop_old`] describes the consequence for readers that producers overtake. [`records`] are claimed
//! and reserved in this way, too.

// The parts of handles are public only as their parameters' bounds.
#![allow(missing_debug_implementations)]

mod consumer;
#[doc(alias = "flight recorder")]
#[doc(alias = "logging")]
#[doc(alias = "trace")]
pub mod drop_old;
mod handles;
mod items;
mod memory;
mod producer;
mod queue;
#[doc(alias = "bip buffer")]
#[doc(alias = "packets")]
#[doc(alias = "bbqueue")]
pub mod records;
mod ring;
mod side;
#[doc(alias = "in place")]
#[doc(alias = "zero-copy")]
#[doc(alias = "packets")]
pub mod slots;

pub use crate::backoff::Backoff;
pub use crate::plain::Plain;

pub use consumer::reader::ReaderSide;
pub use consumer::{ConsumerSide, RecordConsumerSide, SharedConsumerSide};
pub use handles::{Consumer, Producer};
pub use memory::Geometry;
pub use producer::{ProducerSide, SharedProducerSide, SlotProducerSide};
pub use queue::{IntoIter, Queue};
pub use ring::Reuse;
pub use side::{Adding, Multi, Overwritten, Single};

pub(crate) use consumer::many::State as ConsumerState;
pub(crate) use handles::pair;
pub(crate) use items::Items;
pub(crate) use memory::{Block, Cursor, Reason};
pub(crate) use producer::many::{commit, with_entry};
pub(crate) use queue::shared_queue;
pub(crate) use ring::{FIRST_LAP, Ring};

/// The first handles of a queue with these sides.
pub type Handles<T, P, C> = (Producer<T, P, C>, Consumer<T, P, C>);

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident($producers:ident, $consumers:ident) $({ $($more:item)* })?;)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use super::{FIRST_LAP, Geometry, Handles, Items, Ring, handles};
            use crate::error::CapacityError;

            /// A producer's handle, with the methods of [`bbq::Producer`](crate::bbq::Producer).
            pub type Producer<T> = super::Producer<T, super::$producers, super::$consumers>;

            /// A consumer's handle, with the methods of [`bbq::Consumer`](crate::bbq::Consumer).
            pub type Consumer<T> = super::Consumer<T, super::$producers, super::$consumers>;

            $($($more)*)?

            /// Makes a queue for at least `capacity` items.
            ///
            /// # Errors
            /// [`CapacityError`] if `capacity` is 0 or too large, or there is no memory.
            pub fn new<T: Send>(capacity: usize) -> Result<Handles<T, super::$producers, super::$consumers>, CapacityError> {
                handles::pair(Ring::for_capacity(Items::new(), capacity, FIRST_LAP)?)
            }

            /// Makes a queue with the blocks and entries of `geometry`.
            ///
            /// # Errors
            /// [`CapacityError`] if the geometry is too large, or there is no memory.
            pub fn with_geometry<T: Send>(
                geometry: Geometry,
            ) -> Result<Handles<T, super::$producers, super::$consumers>, CapacityError> {
                starting_at(geometry, FIRST_LAP)
            }

            /// Makes a queue that starts in this lap, for tests near the last one.
            #[doc(hidden)]
            pub fn starting_at<T: Send>(
                geometry: Geometry,
                lap: usize,
            ) -> Result<Handles<T, super::$producers, super::$consumers>, CapacityError> {
                handles::pair(Ring::new(Items::new(), geometry, geometry.capacity(), lap)?)
            }
        }
    )*};
}

forms! {
    /// One producer, one consumer: wait-free on both sides.
    ///
    /// Batches are fastest here. [`spsc::ring`](crate::spsc::ring) has slices in place, `len` and
    /// `peek`.
    ///
    /// ```
    /// let (mut producer, mut consumer) = aqueduct::bbq::spsc::new(100)?;
    /// producer.push("item")?;
    /// assert_eq!(consumer.pop()?, "item");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    spsc(Single, Single);
    /// Many producers, one consumer.
    ///
    /// ```
    /// let (mut producer, mut consumer) = aqueduct::mpsc::new(100)?;
    /// let mut other = producer.clone();
    /// std::thread::scope(|scope| {
    ///     scope.spawn(move || producer.push("one").expect("there is room"));
    ///     scope.spawn(move || other.push("two").expect("there is room"));
    /// });
    /// assert_eq!(consumer.drain().count(), 2);
    /// assert!(consumer.is_closed());
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    mpsc(Multi, Single);
    /// One producer, many consumers.
    ///
    /// ```
    /// let (mut producer, mut consumer) = aqueduct::spmc::new(100)?;
    /// let mut other = consumer.clone();
    /// producer.push("one")?;
    /// producer.push("two")?;
    /// assert_eq!((consumer.pop()?, other.pop()?), ("one", "two"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    spmc(Single, Multi);
    /// Many producers, many consumers.
    ///
    /// Each thread has handles of its own, which remember their positions ([`new`](mpmc::new)), or
    /// all threads share one [`Queue`].
    ///
    /// ```
    /// let (mut producer, mut consumer) = aqueduct::mpmc::new(100)?;
    /// let mut other = producer.clone();
    /// std::thread::scope(|scope| {
    ///     scope.spawn(move || producer.push("one").expect("there is room"));
    ///     scope.spawn(move || other.push("two").expect("there is room"));
    /// });
    /// let mut words: Vec<_> = consumer.drain().collect();
    /// words.sort_unstable();
    /// assert_eq!(words, ["one", "two"]);
    /// assert!(consumer.is_closed());
    /// # Ok::<(), aqueduct::error::CapacityError>(())
    /// ```
    mpmc(Multi, Multi) { pub use super::Queue; };
}
