//! BBQ, the block-based bounded queue of Wang and others ("BBQ: A Block-based Bounded Queue for Exchanging Data and Profiling",
//! USENIX ATC 2022; "the seed" in these pages): here its retry-new mode, for one or many producers and consumers; in [`drop_old`]
//! the other one; in [`records`] records of any length, in both.
//!
//! | made by | producers | consumers | a push is refused as | a pop as |
//! | --- | --- | --- | --- | --- |
//! | [`spsc`] | one | one | `Full` | `Empty` |
//! | [`mpsc`] | many | one | `Full` | `Empty`, `Busy` |
//! | [`spmc`] | one | many | `Full`, `Busy` | `Empty` |
//! | [`mpmc`], [`Queue`] | many | many | `Full`, `Busy` | `Empty`, `Busy` |
//!
//! The ring is divided into blocks. Each has its own cursors, so that producers and consumers meet on a cache line only where they
//! work in the same block; a block is used again as a whole, when all of it has been consumed. A queue-level head says which
//! block is the present one, and may lag behind.
//!
//! # What is ours
//! The published algorithm counts committed and consumed entries in two more cursors of each block, so that an item costs four
//! locked instructions, and a consumer reads a line that every push writes. Here:
//! - Producers mark an entry as committed where it lies: the marks of a cache line's entries are in the same line, one byte each
//!   (with a single producer one stamp for all). One line carries the items and the news of them.
//! - Many consumers mark what they consumed in bytes of their own, which producers read once a lap; a single consumer gives
//!   back a whole block by one store.
//! - So an item costs two locked instructions in its life, one on either side, and none at all on a side with a single thread.
//! - An entry that is committed can be taken even if later ones of the same block are not yet.
//! - Entries are claimed by compare-exchange from where the handle was last, not by fetch-and-add: on the machines that we measure
//!   an exchange that fails, and lets the others work for a moment, costs less than an addition that always succeeds on a line that
//!   two cores tear at. So cursors never overshoot, and versions can be wide.
//! - A push that finds the queue full looks at two words that producers do not write: the mark of the next block's last entry, and the
//!   consumers' head. A pop that finds it empty looks at one entry's mark and at the block's two cursors.
//! - Versions are compared for equality only, so that their wrap-around needs no care; no maximum is taken anywhere.
//! - A consumer that finds itself on the producers' heels steps back for a moment, where that pays.
//!
//! # Guarantees
//! Items come out in the order in which their entries were claimed, each once. `Full` means that at least `capacity` items were in
//! the queue, `Empty` that there was none, at a moment during the call, as far as the calling thread could know (what happened
//! before the call in the sense of the memory model is known to it). `Busy` means that another thread is in the middle of an
//! operation that has to complete first:
//! - a push is `Busy` if it needs a block that consumers have left or of which the last item has been popped, while another item is
//!   still being popped;
//! - a pop is `Busy` if the oldest item is still being pushed.
//!
//! So a producer that stalls in the middle of a push holds up consumers when they come to its entry, and nobody before; a consumer
//! that stalls in the middle of a pop holds up producers when they come to its block again, a lap later. No operation waits:
//! each returns. Threads on the same side do not wait for each other either: a thread that loses a race for an entry
//! pauses for a bounded time and tries again (lock-free, not wait-free; with a single thread on its side wait-free). The pause is
//! longer while the other threads make use of it.
//!
//! A panic cannot come between claiming an entry and committing it. A handle that is forgotten keeps the queue's memory and counts
//! as present. Items that are left when all handles are gone are dropped, the oldest first.
//!
//! # Load buffering
//! The proof is made under RC11, where no thread reads what another one writes only after it has read what this one writes later. C11 and
//! compilers for Arm do allow that, if there is no Release or no Acquire at two or more of the reads of such a circle. Here both
//! are at the marks of entries, and where a block is opened and a handle goes on to it. What is left are the exchanges that
//! divide a block's entries: of `allocated` among producers, of `reserved` among consumers. On one side alone they make no circle,
//! as they are of one word, and of the next block's only after its opening. Where threads both push and pop, the proof leans on RC11: a
//! claim that is seen by a push of another thread, whose later pop is seen by a pop that this one made before its claim, would be out of
//! order. In each of the threads the second exchange comes after a branch on what the first returned, and we know of no processor and
//! no compiler that makes a store before the branch that it depends on. (With claims that are AcqRel, the proof would not
//! need that.) For readers that overwriting producers leave behind, see [`drop_old`]; [`records`] are claimed and reserved in the same way.

// What handles are made of is public only as their parameters' bounds.
#![allow(missing_debug_implementations)]

mod adding;
mod alone;
mod batches;
mod block;
mod claim;
mod cursor;
mod distance;
pub mod drop_old;
mod entry;
mod geometry;
mod handles;
mod items;
mod line;
mod queue;
mod race;
pub mod records;
mod reserve;
mod shared;
mod side;
mod slots;

pub use crate::plain::Plain;
pub use adding::Adding;
pub use geometry::Geometry;
pub use handles::{Consumer, Producer};
pub use queue::Queue;
pub use side::{Multi, Overwritten, Single};

pub(crate) use handles::pair;
pub(crate) use items::Items;
pub(crate) use queue::shared_queue;
pub(crate) use shared::Shared;
pub(crate) use slots::Slots;

/// The first lap.
pub(crate) const FIRST_VERSION: usize = 1;

/// The handles of a queue with these sides.
pub type Handles<T, P, C> = (Producer<T, P, C>, Consumer<T, P, C>);

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident($producers:ident, $consumers:ident) $({ $($more:item)* })?;)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use super::{FIRST_VERSION, Geometry, Handles, Items, Shared, handles};
            use crate::error::CapacityError;

            /// The producers' handle.
            pub type Producer<T> = super::Producer<T, super::$producers, super::$consumers>;

            /// The consumers' handle.
            pub type Consumer<T> = super::Consumer<T, super::$producers, super::$consumers>;

            $($($more)*)?

            /// Makes a queue for at least `capacity` items.
            ///
            /// # Errors
            /// [`CapacityError`] if `capacity` is 0 or too large, or there is no memory.
            pub fn new<T: Send>(capacity: usize) -> Result<Handles<T, super::$producers, super::$consumers>, CapacityError> {
                handles::pair(Shared::for_capacity(Items::new(), capacity, FIRST_VERSION)?)
            }

            /// Makes a queue of as many blocks and entries as `geometry` says.
            ///
            /// # Errors
            /// [`CapacityError`] if that is too large, or there is no memory.
            pub fn with_geometry<T: Send>(
                geometry: Geometry,
            ) -> Result<Handles<T, super::$producers, super::$consumers>, CapacityError> {
                starting_at(geometry, FIRST_VERSION)
            }

            /// Makes a queue in this lap: tests start near the last one.
            #[doc(hidden)]
            pub fn starting_at<T: Send>(
                geometry: Geometry,
                version: usize,
            ) -> Result<Handles<T, super::$producers, super::$consumers>, CapacityError> {
                handles::pair(Shared::new(Items::new(), geometry, geometry.capacity(), version)?)
            }
        }
    )*};
}

forms! {
    /// One producer, one consumer: wait-free on both sides.
    ///
    /// Batches are fastest here. [`spsc::ring`](crate::spsc::ring) has slices in place, `len` and `peek`.
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
    /// Each thread has handles of its own, which remember their places ([`new`]); or all share one [`Queue`].
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
