//! Places: sides of a queue that the kernel keeps for a process.

use core::fmt;
use core::ops::Range;
use core::ptr::NonNull;
use std::boxed::Box;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::vec::Vec;

use super::event::Event;
use super::sys::{self, Hold};
use super::{Region, byte};
use crate::error::{AttachError, CapacityError, ClaimError};
use crate::items;
use crate::layout::{Claim, Expected, Memory, Peer};
use crate::pod::Pod;
use crate::records;
use crate::sync::Word;

/// The memory of a handle in a region, with the kernel's lock of its side.
///
/// The lock is freed when the handle is dropped, or its process has ended.
#[derive(Debug)]
pub struct Place {
    /// The region's words, which a handle reads without a further indirection.
    start: NonNull<Word>,
    words: usize,
    /// The other fields, on the heap: their drop and cold calls would take the handle's address,
    /// which would keep the handle's numbers out of registers.
    kept: Box<Kept>,
}

/// The fields of a place besides its words.
#[derive(Debug)]
struct Kept {
    /// The place's lock. All lanes of a consumer share one.
    lock: Arc<OwnedFd>,
    /// The locks' bytes of the other side's places.
    others: Range<i64>,
    /// The other side's events: one for each of its handles that has one.
    events: Mutex<Vec<Event>>,
    /// The last field, so that it is unmapped last.
    region: Region,
}

// SAFETY: it is a region, whose words are atomics, and a file.
unsafe impl Send for Place {}
// SAFETY: the reason for `Send` holds.
unsafe impl Sync for Place {}

impl Place {
    /// Takes a side's place.
    pub(super) fn take(region: &Region, side: i64) -> Result<Self, PlaceError> {
        let lock = Arc::new(lock(region, side)?);
        Ok(Self::part(region, 0..region.words().len(), lock, other_of(side)))
    }

    /// Takes a shared place of a side with any number of handles.
    pub(super) fn among_others(region: &Region, side: i64) -> io::Result<Self> {
        let file = sys::reopen(region.as_fd())?;
        super::lock(
            file.as_fd(),
            side,
            Hold::Shared,
            "another process has held this side's shared lock exclusively for a second",
        )?;
        Ok(Self::part(region, 0..region.words().len(), Arc::new(file), other_of(side)))
    }

    /// Makes a place in a part of the region, with the side's lock.
    pub(super) fn part(region: &Region, words: Range<usize>, lock: Arc<OwnedFd>, others: Range<i64>) -> Self {
        let part = &region.words()[words];
        Self {
            start: NonNull::from(part).cast(),
            words: part.len(),
            kept: Box::new(Kept { lock, others, events: Mutex::new(Vec::new()), region: region.clone() }),
        }
    }

    /// Makes a place of a side without locks. `others` are the bytes of the other side's locks.
    pub(super) fn beside_others(region: &Region, others: Range<i64>) -> io::Result<Self> {
        let lock = Arc::new(sys::reopen(region.as_fd())?);
        Ok(Self::part(region, 0..region.words().len(), lock, others))
    }

    /// Sets the event that the other side waits for. It replaces earlier ones.
    pub fn set_event(&self, event: Event) {
        self.set_events([event]);
    }

    /// Sets the events that the handles of the other side wait for. They replace earlier ones.
    pub fn set_events(&self, events: impl IntoIterator<Item = Event>) {
        *self.kept.events.lock().unwrap_or_else(PoisonError::into_inner) = events.into_iter().collect();
    }

    /// Returns the region.
    #[must_use]
    pub fn region(&self) -> &Region {
        &self.kept.region
    }
}

impl Kept {
    #[cold]
    fn signal(&self) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Event::signal);
    }

    /// Whether another process, or another handle of this one, has a place of the other side.
    fn is_other_locked(&self) -> io::Result<bool> {
        sys::is_locked(self.lock.as_fd(), &self.others)
    }
}

impl Memory for Place {
    #[inline(always)]
    fn words(&self) -> &[Word] {
        // SAFETY: the words are the region's, which lives as long as this place.
        unsafe { core::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }

    fn page(&self) -> u64 {
        sys::page()
    }

    #[inline(always)]
    fn signal(&self) {
        self.kept.signal();
    }

    #[inline(always)]
    fn peer(&self, recorded: Peer) -> Peer {
        // A handle that has left may still hold its lock, and one that is being made already holds
        // it: the words decide.
        if recorded != Peer::Unknown {
            return recorded;
        }
        match self.kept.is_other_locked() {
            Ok(true) => Peer::Alive,
            Ok(false) => Peer::Died,
            Err(_) => Peer::Unknown,
        }
    }
}

/// The byte of the other side's lock, where each side has one lock.
fn other_of(side: i64) -> Range<i64> {
    let other = if side == byte::PRODUCER { byte::CONSUMER } else { byte::PRODUCER };
    other..other + 1
}

/// Takes the kernel's lock of a side.
pub(super) fn lock(region: &Region, side: i64) -> Result<OwnedFd, PlaceError> {
    // The lock belongs to this open file. Each handle, also of this process, opens its own.
    let lock = sys::reopen(region.as_fd())?;
    if sys::try_lock(lock.as_fd(), side, Hold::Alone)? { Ok(lock) } else { Err(PlaceError::Held) }
}

/// Takes the first place that can be taken. Place number `n` of the side has the lock at byte
/// `first + n`.
pub(super) fn take_first<H>(
    region: &Region,
    first: i64,
    others: &Range<i64>,
    places: Range<usize>,
    take: impl Fn(Place, usize) -> Result<H, ClaimError>,
) -> Result<H, PlaceError> {
    let mut refused = PlaceError::Damaged;
    for number in places {
        let lock = match lock(region, first + number as i64) {
            Err(PlaceError::Held) => {
                refused = PlaceError::Held;
                continue;
            }
            lock => Arc::new(lock?),
        };
        // A damaged place is skipped.
        if let Ok(handle) = take(Place::part(region, 0..region.words().len(), lock, others.clone()), number) {
            return Ok(handle);
        }
    }
    Err(refused)
}

/// Why a place could not be taken.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlaceError {
    /// A live process has the place. It keeps it also while it is stopped.
    Held,
    /// The positions in the memory contradict each other: some process has overwritten them.
    Damaged,
    /// The producer overtook the new reader in each attempt. Try again.
    Contended,
    /// The system refuses.
    System(io::Error),
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held => f.write_str("a live process has this side of the queue"),
            Self::Damaged => ClaimError::Damaged.fmt(f),
            Self::Contended => ClaimError::Contended.fmt(f),
            Self::System(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for PlaceError {}

impl From<io::Error> for PlaceError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// A claim with the number of this process.
pub(super) fn owner() -> Claim {
    Claim::Replace(std::process::id())
}

/// Why a queue in a region could not be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The region has another queue, or other contents.
    Attach(AttachError),
    /// The numbers are not valid, or the queue does not fit into the region.
    Capacity(CapacityError),
    /// The system refuses.
    System(io::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attach(error) => error.fmt(f),
            Self::Capacity(error) => error.fmt(f),
            Self::System(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for OpenError {}

impl From<AttachError> for OpenError {
    fn from(error: AttachError) -> Self {
        Self::Attach(error)
    }
}

impl From<CapacityError> for OpenError {
    fn from(error: CapacityError) -> Self {
        Self::Capacity(error)
    }
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// Finds the queue, or makes it if no process has finished doing so.
pub(super) fn open<Q>(
    region: &Region,
    expected: Expected,
    attach: impl Fn(&Expected) -> Result<Q, AttachError>,
    create: impl FnOnce() -> Result<Q, CapacityError>,
) -> Result<Q, OpenError> {
    let expected = expected.page(sys::page() as usize);
    region.as_maker(|| match attach(&expected) {
        // A maker that died left no magic number, so the queue is made again.
        Err(AttachError::Unfinished) => Ok(create()?),
        result => Ok(result?),
    })?
}

impl<T: Pod> items::Queue<T, Region> {
    /// Finds the queue in the region, or makes it if the region has none, for at least `capacity`
    /// items.
    ///
    /// `tag` identifies the meaning of the items. A process that expects another tag is refused.
    ///
    /// # Errors
    /// [`OpenError`] if the found queue differs, the queue does not fit into the region, or the
    /// system refuses.
    pub fn in_region(region: Region, capacity: usize, tag: u64) -> Result<Self, OpenError> {
        let geometry = items::Geometry::new::<T>(capacity)?;
        let attach = |expected: &Expected| Self::attach(region.clone(), expected);
        open(&region, Expected::new().tag(tag).capacity(capacity), attach, || {
            Self::create(region.clone(), geometry, tag)
        })
    }

    /// Takes the producer's place if it is free, or its process has ended.
    ///
    /// # Errors
    /// [`PlaceError::Held`] if a live process has it; [`PlaceError::Damaged`] if the positions in
    /// the memory contradict each other.
    pub fn take_producer(&self) -> Result<items::Producer<T, Place>, PlaceError> {
        let place = Place::take(self.memory(), byte::PRODUCER)?;
        items::Producer::new(place, self.geometry(), owner()).map_err(|_| PlaceError::Damaged)
    }

    /// Takes the consumer's place if it is free, or its process has ended.
    ///
    /// # Errors
    /// [`PlaceError::Held`] if a live process has it; [`PlaceError::Damaged`] if the positions in
    /// the memory contradict each other.
    pub fn take_consumer(&self) -> Result<items::Consumer<T, Place>, PlaceError> {
        let place = Place::take(self.memory(), byte::CONSUMER)?;
        items::Consumer::new(place, self.geometry(), owner()).map_err(|_| PlaceError::Damaged)
    }
}

impl records::Queue<Region> {
    /// Finds the queue in the region, or makes it if the region has none, for at least `bytes`
    /// bytes.
    ///
    /// `tag` identifies the meaning of the records. A process that expects another tag is refused.
    ///
    /// # Errors
    /// [`OpenError`] if the found queue differs, the queue does not fit into the region, or the
    /// system refuses.
    pub fn in_region(region: Region, bytes: usize, tag: u64) -> Result<Self, OpenError> {
        let geometry = records::Geometry::new(bytes)?;
        let attach = |expected: &Expected| Self::attach(region.clone(), expected);
        open(&region, Expected::new().tag(tag).capacity(bytes), attach, || Self::create(region.clone(), geometry, tag))
    }

    /// Takes the producer's place if it is free, or its process has ended.
    ///
    /// # Errors
    /// [`PlaceError::Held`] if a live process has it; [`PlaceError::Damaged`] if the positions in
    /// the memory contradict each other.
    pub fn take_producer(&self) -> Result<records::Producer<Place>, PlaceError> {
        let place = Place::take(self.memory(), byte::PRODUCER)?;
        records::Producer::new(place, self.geometry(), owner()).map_err(|_| PlaceError::Damaged)
    }

    /// Takes the consumer's place if it is free, or its process has ended.
    ///
    /// # Errors
    /// [`PlaceError::Held`] if a live process has it; [`PlaceError::Damaged`] if the positions in
    /// the memory contradict each other.
    pub fn take_consumer(&self) -> Result<records::Consumer<Place>, PlaceError> {
        let place = Place::take(self.memory(), byte::CONSUMER)?;
        records::Consumer::new(place, self.geometry(), owner()).map_err(|_| PlaceError::Damaged)
    }
}
