//! Drop-old queues: producers overwrite items that readers have not read in time.
//!
//! This is the drop-old mode of BBQ (Wang et al., USENIX ATC 2022, section 4.3).
//!
//! # Examples
//! ```
//! let (mut producer, mut reader) = aqueduct::bbq::drop_old::spmc::new::<u64>(100)?;
//! for number in 0..1000 {
//!     producer.push(number)?;
//! }
//! let numbers: Vec<u64> = std::iter::from_fn(|| reader.read().ok()).collect();
//! assert_eq!(numbers.last(), Some(&999));
//! assert_eq!(numbers.len() as u64 + reader.lost(), 1000);
//! assert!(numbers.len() >= 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each queue has one reader ([`spsc`], [`mpsc`]), which needs no atomic read-modify-write
//! operation and can read [slices](Reader::read_slice), or any number of readers ([`spmc`],
//! [`mpmc`]).
//!
//! # When to use it
//! Use it where the newest items matter more than the oldest, and a producer must not wait: event
//! logs, traces, telemetry.
//!
//! # When not to use it
//! Items must be [`Plain`], because they are copied word by word through atomics, so that no read
//! races with a write. Each item goes to one reader; the queue does not broadcast
//! ([`Reader::latest`] shows the newest items and leaves them). Where no item
//! may be lost, use [`mpmc`](super::mpmc) or [`spmc`](super::spmc).
//!
//! # Guarantees
//! A producer never waits for a reader, and never reads a word of one. Readers copy an item
//! speculatively and check afterwards whether it was overwritten meanwhile; if it was, the item is
//! lost, and the reader goes on. Readers read in the order in which entries were claimed.
//!
//! Each [`Reader`] counts exactly how many items it has missed: the items that the producers have
//! written are those that all readers of the queue together have read, have [lost](Reader::lost),
//! and have yet to read. Readers share the items: each goes to one of them.
//!
//! A whole block is overwritten at a time, so at least the last `capacity` items can still be read.
//! A queue made for a capacity has two blocks more than that needs, and a reader that was overtaken
//! leaves out the two oldest: a producer writes the lines of these blocks next, and each line that
//! a reader touches there would cost the producer a wait. A reader that keeps up nevertheless costs
//! a single producer most of its speed on some processors (`results/queues.md`). A queue made with
//! a [`Geometry`] has no spare blocks; there a reader costs a single producer more.
//!
//! # Errors
//! A push fails with [`PushError::Busy`](crate::error::PushError::Busy) only if it would overwrite
//! an entry that another producer is still pushing, from a whole lap before.
//!
//! # How long readers may rest
//! A reader may rest as long as it likes: it never returns an overwritten item, and a reader that
//! comes back finds the newest items. Laps are counted in numbers that wrap. The count of lost
//! items is exact unless `2^48 - 3` laps pass without a read by any reader (65 days for a queue of
//! two items, at a hundred million a second); on 32-bit machines, `2^24 - 3`. After that,
//! [`lost`](Reader::lost) is too low, by that number of laps for each wrap. A reader that comes
//! back in the very lap whose number equals its own, or in the one before, goes on there: it
//! returns `Empty` for a lap, or leaves out the items before it in that block.
//!
//! # Design and proof
//! In the paper, consumers go from block to block by comparing versions (its line 82), so one that
//! was suspended for many laps has to read each block. Here a reader that finds its block
//! overwritten closes it, and goes straight to the oldest block that can still be intact, or to the
//! block after it. The blocks between are counted, not visited. An only reader keeps its place to
//! itself: it copies a run of entries, and moves on if the block was not overwritten meanwhile.
//!
//! No searched client leans on RC11's ban of [load buffering](crate::bbq#load-buffering).

use alloc::vec::Vec;
use core::fmt;

use super::consumer::reader::ReaderSide;
use super::consumer::reader_alone;
use super::handles::Producer;
use super::items::Items;
use super::memory::Geometry;
use super::producer::ProducerSide;
use super::ring::{FIRST_LAP, Ring};
use super::side::{Multi, Overwritten, Single};
use crate::error::{CapacityError, PopError};
use crate::hold::Hold;
use crate::plain::Plain;

/// A reader of a drop-old queue. Each item goes to one of the readers.
///
/// # Examples
/// ```
/// use aqueduct::bbq::drop_old::mpmc;
/// use aqueduct::error::PopError;
///
/// let (mut producer, mut reader) = mpmc::new::<u64>(2)?;
/// let mut late = reader.clone();
/// producer.push(1)?;
/// assert_eq!(reader.read(), Ok(1));
/// assert_eq!(reader.read(), Err(PopError::Empty));
/// for number in 2..100 {
///     producer.push(number)?;
/// }
/// let last = std::iter::from_fn(|| late.read().ok()).last();
/// assert_eq!(last, Some(99));
/// assert!(late.lost() > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `R` is [`Multi`] or [`Single`] readers. A reader can be cloned if there may be many, and not
/// otherwise:
/// ```compile_fail,E0599
/// let (producer, reader) = aqueduct::bbq::drop_old::spsc::new::<u8>(10)?;
/// let second = reader.clone();
/// # Ok::<(), aqueduct::error::CapacityError>(())
/// ```
#[doc(alias = "broadcast")]
#[doc(alias = "recorder")]
pub struct Reader<T, P: ProducerSide, R: ReaderSide = Multi> {
    state: R::State,
    ring: Hold<Ring<Items<T, P, Overwritten>>>,
}

// SAFETY: a reader is a position in a queue of items that may go from thread to thread.
unsafe impl<T: Send, P: ProducerSide, R: ReaderSide> Send for Reader<T, P, R> {}
// SAFETY: `&Reader` gives no access to items.
unsafe impl<T: Send, P: ProducerSide, R: ReaderSide> Sync for Reader<T, P, R> {}

/// The first handles of a drop-old queue.
pub type Handles<T, P, R = Multi> = (Producer<T, P, Overwritten>, Reader<T, P, R>);

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident($producers:ident, $readers:ident);)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use super::{FIRST_LAP, Geometry, Handles, Items, Overwritten, Plain, Ring, pair};
            use crate::error::CapacityError;

            /// A producer's handle, with the methods of [`bbq::Producer`](crate::bbq::Producer).
            pub type Producer<T> = super::Producer<T, super::$producers, Overwritten>;

            /// A reader's handle, with the methods of
            /// [`drop_old::Reader`](crate::bbq::drop_old::Reader).
            pub type Reader<T> = super::Reader<T, super::$producers, super::$readers>;

            /// Makes a queue that keeps at least the last `capacity` items.
            ///
            /// # Errors
            /// [`CapacityError`] if `capacity` is 0 or too large, or there is no memory.
            pub fn new<T: Plain>(capacity: usize) -> Result<Handles<T, super::$producers, super::$readers>, CapacityError> {
                pair(Ring::for_capacity(Items::new(), capacity, FIRST_LAP)?, 0)
            }

            /// Makes a queue with the blocks and entries of `geometry`, without spare blocks.
            ///
            /// # Errors
            /// [`CapacityError`] if the geometry is too large, or there is no memory.
            pub fn with_geometry<T: Plain>(geometry: Geometry) -> Result<Handles<T, super::$producers, super::$readers>, CapacityError> {
                starting_at(geometry, geometry.capacity(), FIRST_LAP)
            }

            /// Makes a queue for `capacity` items that starts in this lap, for tests.
            #[doc(hidden)]
            pub fn starting_at<T: Plain>(
                geometry: Geometry,
                capacity: usize,
                lap: usize,
            ) -> Result<Handles<T, super::$producers, super::$readers>, CapacityError> {
                resting(geometry, capacity, lap, 0)
            }

            /// Makes a queue whose reader has rested while `laps` laps of zeros were written.
            #[doc(hidden)]
            pub fn resting<T: Plain>(
                geometry: Geometry,
                capacity: usize,
                lap: usize,
                laps: usize,
            ) -> Result<Handles<T, super::$producers, super::$readers>, CapacityError> {
                pair(Ring::new(Items::new(), geometry, capacity, lap)?, laps)
            }
        }
    )*};
}

forms! {
    /// One producer, any number of readers.
    spmc(Single, Multi);
    /// Any number of producers and readers.
    mpmc(Multi, Multi);
    /// One producer, one reader.
    spsc(Single, Single);
    /// Any number of producers, one reader.
    mpsc(Multi, Single);
}

fn pair<T: Plain, P: ProducerSide, R: ReaderSide>(
    ring: Ring<Items<T, P, Overwritten>>,
    laps: usize,
) -> Result<Handles<T, P, R>, CapacityError> {
    let (producer, state) = (P::start(&ring, ring.first()), R::put_back(&ring, laps));
    let (producing, reading) = Hold::pair(ring)?;
    Ok((Producer::new(producer, producing), Reader { state, ring: reading }))
}

impl<T: Plain, P: ProducerSide, R: ReaderSide> Reader<T, P, R> {
    /// Returns the oldest item that can still be read.
    ///
    /// Items that were overwritten before are counted as [lost](Self::lost). Lock-free among many
    /// readers; producers that overwrite can make the read try again.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is none, [`PopError::Busy`] if the oldest is still being
    /// pushed.
    #[inline]
    pub fn read(&mut self) -> Result<T, PopError> {
        R::read_item(&self.ring, &mut self.state).map_err(PopError::from)
    }

    /// Returns how many items this reader found overwritten since it was made or cloned.
    #[must_use]
    pub fn lost(&self) -> u64 {
        R::lost(&self.state)
    }

    /// Copies up to `most` of the newest items, the oldest of them first, and takes none away.
    ///
    /// This is the flight recorder's dump: readers still get the items, and nothing is counted as
    /// [lost](Self::lost). The result has no gap and no item twice, except that an item that is
    /// still being pushed is left out. It includes all items whose push happens before the call, as
    /// far as they are among the `most` newest and are not overwritten during the call; a producer
    /// that overtakes the copying shortens the result at its older end.
    ///
    /// Each item is read once, from the newest on, without waiting. Wait-free with one producer;
    /// with many, finding the newest item is lock-free. Producers are not held up, but each line
    /// that is copied costs a producer that is about to write it a wait. Allocates the result;
    /// [`latest_slice`](Self::latest_slice) does not.
    ///
    /// # Examples
    /// ```
    /// let (mut producer, mut reader) = aqueduct::bbq::drop_old::mpmc::new::<u32>(100)?;
    /// for event in 0..1000 {
    ///     producer.push(event)?;
    /// }
    /// assert_eq!(reader.latest(3), [997, 998, 999]);
    /// assert!(reader.read()? < 997); // Still there.
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn latest(&self, most: usize) -> Vec<T> {
        let mut items = Vec::with_capacity(most.min(self.ring.entries()));
        R::look_back(&self.ring, &self.state, most, |item| items.push(item));
        items.reverse();
        items
    }

    /// Copies up to `items.len()` of the newest items to the start of `items`, the oldest of them
    /// first, and returns their number.
    ///
    /// Does what [`latest`](Self::latest) does, without an allocation: in a signal handler or a
    /// panic hook, for example.
    pub fn latest_slice(&self, items: &mut [T]) -> usize {
        let mut free = items.len();
        R::look_back(&self.ring, &self.state, free, |item| {
            free -= 1;
            items[free] = item;
        });
        items.copy_within(free.., 0);
        items.len() - free
    }

    /// Returns how many items can be read now, exact while no operation is in progress and no
    /// producer has overtaken the readers.
    ///
    /// Items that are being pushed count with many producers, and not with a single one. If
    /// producers have overtaken the readers it is an upper bound: readers leave out what producers
    /// overwrite next.
    #[must_use]
    pub fn len(&self) -> usize {
        R::readable(&self.ring, &self.state)
    }

    /// Whether a read would return no item now, because there is none or the oldest one is still
    /// being pushed.
    ///
    /// If `false`, there was an item at one moment during the call, which another reader may take.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        R::is_empty(&self.ring, &self.state)
    }

    /// Returns how many of the last items can always be read: the capacity that was asked for.
    ///
    /// A few more may be readable.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.ring.capacity
    }

    /// Whether all producers have been dropped. The queue then receives no further items.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.ring.is_alone()
    }
}

impl<T: Plain, P: ProducerSide> Reader<T, P, Single> {
    /// Copies up to `items.len()` of the oldest readable items to the start of `items`, and returns
    /// their number.
    ///
    /// Reads a run of items of one block, checks once whether it was overwritten meanwhile, and
    /// goes on to the next block. The items of one call have no gap: items that were overwritten,
    /// which are counted as [lost](Self::lost), came before the first one. So it can return fewer
    /// items than there are; the next call returns more. If it returns 0, there was none, or the
    /// oldest is still being pushed.
    ///
    /// Elements of `items` beyond the returned number may change.
    ///
    /// # Examples
    /// ```
    /// let (mut producer, mut reader) = aqueduct::bbq::drop_old::spsc::new::<u32>(100)?;
    /// for event in 0..1000 {
    ///     producer.push(event)?;
    /// }
    /// let mut events = [0; 64];
    /// assert_eq!(reader.read_slice(&mut events), 64);
    /// assert_eq!(u64::from(events[0]), reader.lost());
    /// assert_eq!(events[63], events[0] + 63);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use = "says how many of the items were written"]
    pub fn read_slice(&mut self, items: &mut [T]) -> usize {
        reader_alone::read_slice(&self.ring, &mut self.state, items)
    }
}

impl<T: Plain, P: ProducerSide, R: ReaderSide> crate::queue::sealed::Pop for Reader<T, P, R> {}

impl<T: Plain, P: ProducerSide> crate::queue::PopSlice for Reader<T, P, Single> {
    /// Calls [`read_slice`](Reader::read_slice).
    #[inline]
    fn pop_slice(&mut self, items: &mut [T]) -> usize {
        self.read_slice(items)
    }
}

impl<T: Plain, P: ProducerSide, R: ReaderSide> crate::queue::Pop for Reader<T, P, R> {
    type Item = T;

    /// Calls [`read`](Reader::read).
    #[inline]
    fn pop(&mut self) -> Result<T, PopError> {
        self.read()
    }
}

crate::queue::implement! {
    [T: Plain, P: ProducerSide, R: ReaderSide] Reader<T, P, R>, T: Closed Drain Len;
}

impl<T, P: ProducerSide> Clone for Reader<T, P> {
    /// Returns a reader at this one's position that has lost nothing yet.
    fn clone(&self) -> Self {
        Self { state: self.state.for_another(), ring: self.ring.clone() }
    }
}

impl<T, P: ProducerSide, R: ReaderSide> fmt::Debug for Reader<T, P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("lost", &R::lost(&self.state)).finish_non_exhaustive()
    }
}
