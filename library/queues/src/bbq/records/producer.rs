//! Producers of records, and the grants into which they write.

use core::fmt;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use super::super::consumer::RecordConsumerSide;
use super::super::memory::{Cursor, Reason};
use super::super::producer::{ProducerSide, SharedProducerSide};
use super::super::ring::{Reuse, Ring};
use super::super::side::Multi;
use super::bytes::{Bytes, NOTHING};
use super::lent::Lent;
use super::space::WORD;
use crate::backoff::Backoff;
use crate::error::ReserveError;
use crate::hold::Hold;
use crate::sync::Cell;

/// A producer of [records](super).
///
/// `P` is [`Single`](super::super::Single) or [`Multi`] producers, `C` is the consumers' side. With
/// `P` = [`Multi`] it can be cloned, one for each thread.
///
/// # Examples
/// ```
/// use aqueduct::bbq::records::{Space, mpsc};
///
/// let (mut producer, mut consumer) = mpsc::new(Space::for_bytes(4096)?)?;
/// let mut other = producer.clone();
/// producer.push(b"copied")?;
/// let mut grant = other.reserve(20)?;
/// grant[..8].copy_from_slice(b"in place");
/// grant.commit(8);
/// assert_eq!(*consumer.read()?, *b"copied");
/// assert_eq!(*consumer.read()?, *b"in place");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A second grant is not available before the first one is committed or dropped:
/// ```compile_fail,E0499
/// use aqueduct::bbq::records::{Space, spsc};
/// let (mut producer, _consumer) = spsc::new(Space::for_bytes(1000)?)?;
/// let first = producer.reserve(8)?;
/// let second = producer.reserve(8)?;
/// first.commit(8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A grant cannot be committed twice, or written to afterwards:
/// ```compile_fail,E0382
/// use aqueduct::bbq::records::{Space, spsc};
/// let (mut producer, _consumer) = spsc::new(Space::for_bytes(1000)?)?;
/// let grant = producer.reserve(8)?;
/// grant.commit(8);
/// grant.commit(8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Producer<P: ProducerSide, C: Reuse> {
    state: P::State,
    /// The start of the allocated space that is not committed yet.
    at: Cursor,
    /// Its length in units, 0 if nothing is allocated.
    units: usize,
    ring: Hold<Ring<Bytes<P, C>>>,
}

// SAFETY: a handle is a position in a queue of bytes.
unsafe impl<P: ProducerSide, C: Reuse> Send for Producer<P, C> {}
// SAFETY: `&Producer` gives no access to records.
unsafe impl<P: ProducerSide, C: Reuse> Sync for Producer<P, C> {}

impl<P: ProducerSide, C: Reuse> Producer<P, C> {
    pub(super) fn new(state: P::State, ring: Hold<Ring<Bytes<P, C>>>) -> Self {
        Self { state, at: Cursor::new(0, 0), units: 0, ring }
    }

    /// Allocates the space for a record. Cancels an earlier allocation that was forgotten.
    #[inline(always)]
    pub(super) fn allocate(&mut self, len: usize) -> Result<(), ReserveError> {
        self.settle(NOTHING);
        let longest = self.ring.longest();
        if len > longest {
            return Err(ReserveError::TooLong { len, longest });
        }
        (self.at, self.units) = self.ring.allocate_record(&mut self.state, len).map_err(|reason| match reason {
            Reason::Exhausted => ReserveError::Full,
            Reason::Busy => ReserveError::Busy,
        })?;
        Ok(())
    }

    /// Commits the allocated space as a record of `len` bytes, or as no record.
    #[inline(always)]
    pub(super) fn settle(&mut self, len: usize) {
        if self.units == 0 {
            return;
        }
        let units = core::mem::take(&mut self.units);
        let units = if len == NOTHING {
            P::shrink(&mut self.state, self.at, units, 0)
        } else {
            self.ring.shrink(&mut self.state, self.at, units, len)
        };
        if units != 0 {
            // SAFETY: allocated; the owner of the grant has written the record.
            unsafe { self.ring.commit_record(P::block(&self.state), self.at, units, len) };
        }
    }

    /// Returns the address of word number `word` of the allocated record.
    ///
    /// # Safety
    /// A record is allocated, and has that word.
    #[inline(always)]
    pub(super) unsafe fn word(&self, word: usize) -> core::ptr::NonNull<u8> {
        // SAFETY: the caller's promise.
        unsafe { self.ring.word(P::block(&self.state), self.at, word) }
    }

    /// Returns the length of the longest possible record, in bytes.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.ring.longest()
    }

    /// Returns how many bytes of records always fit, with their lengths, rounding, and dummies.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.ring.bytes_of(self.ring.capacity as u64) as usize
    }

    /// Sets whether this handle backs off when it has lost a race. Handles cloned from it inherit
    /// the setting.
    pub fn set_backoff(&mut self, backoff: Backoff) {
        P::set_backoff(&mut self.state, backoff);
    }

    /// Whether all consumers have been dropped. Records that are committed now are dropped with the
    /// queue.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.ring.is_alone()
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> Producer<P, C> {
    /// Reserves space for a record of up to `len` bytes.
    ///
    /// The record comes after all records that were reserved before. The bytes of the space hold
    /// their old values: zeros, or bytes of older records. There is a record only if the grant is
    /// [committed](Grant::commit); a grant that is dropped is cancelled.
    ///
    /// Wait-free with one producer; lock-free with more. Consumers cannot pass the space until the
    /// grant is committed or cancelled.
    ///
    /// # Errors
    /// [`ReserveError`] if no record can be that long, if there is no room now, or if another
    /// thread has to complete its operation first.
    #[inline]
    pub fn reserve(&mut self, len: usize) -> Result<Grant<'_, P, C>, ReserveError> {
        self.allocate(len)?;
        // SAFETY: the record's words behind its length are allocated. They were initialised with
        // the queue, and words of memory hold bytes.
        let bytes = unsafe {
            let words: &mut [MaybeUninit<usize>] = Cell::free(self.word_or_end(len), len.div_ceil(WORD));
            core::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), len)
        };
        let bytes = Lent::new(NonNull::from(bytes));
        Ok(Grant { producer: self, bytes })
    }

    /// Returns the address of the bytes of the allocated record.
    ///
    /// # Safety
    /// A record of `len` bytes is allocated.
    #[inline(always)]
    unsafe fn word_or_end(&self, len: usize) -> *const Cell<usize> {
        // SAFETY: the first word is there; without bytes, the next one need not be.
        let first = unsafe { self.word(0) }.cast::<Cell<usize>>().as_ptr();
        if len == 0 { first } else { first.wrapping_add(1) }
    }

    /// Adds a record with these bytes.
    ///
    /// # Errors
    /// [`ReserveError`], for the reasons of [`reserve`](Self::reserve).
    #[inline]
    pub fn push(&mut self, record: &[u8]) -> Result<(), ReserveError> {
        let mut grant = self.reserve(record.len())?;
        grant.copy_from_slice(record);
        grant.commit(record.len());
        Ok(())
    }
}

/// With a single consumer these do not exist: it keeps its place to itself until it has emptied a
/// block, so only the consumer can tell. Whether there is room depends on a record's length: see
/// [`reserve`](Self::reserve).
impl<P: ProducerSide> Producer<P, Multi> {
    /// Returns how many bytes of the queue's space are in use, exact while no operation is in
    /// progress.
    ///
    /// Records count with their lengths and rounding, and so do dummies and space that is reserved.
    /// Beside other operations it is a value of a recent moment.
    #[must_use]
    pub fn len(&self) -> usize {
        // The consumers' place is read first: so it is not ahead of the producers' place.
        let consumers = self.ring.place_of_consumers();
        let units = self.ring.entries_between(consumers, P::place(&self.ring, &self.state));
        self.ring.bytes_of(units as u64) as usize
    }

    /// Whether [`len`](Self::len) is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<P: SharedProducerSide, C: Reuse> Clone for Producer<P, C> {
    fn clone(&self) -> Self {
        Self { state: self.state, at: self.at, units: 0, ring: self.ring.clone() }
    }
}

impl<P: ProducerSide, C: Reuse> Drop for Producer<P, C> {
    fn drop(&mut self) {
        self.settle(NOTHING);
        P::leave(&self.ring, &self.state);
    }
}

impl<P: ProducerSide, C: Reuse> fmt::Debug for Producer<P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("longest", &self.longest()).finish_non_exhaustive()
    }
}

/// Reserved space of a record that is being written.
///
/// Only [`commit`](Self::commit) makes it a record. A grant that is dropped, also by a `?` or a
/// panic, is cancelled; [the module](super#what-may-be-left-behind) describes what a cancelled
/// grant leaves behind.
///
/// # Examples
/// ```
/// use aqueduct::bbq::records::{Space, spsc};
///
/// let (mut producer, mut consumer) = spsc::new(Space::for_bytes(4096)?)?;
/// let mut grant = producer.reserve(5)?;
/// grant.copy_from_slice(b"hello");
/// grant.commit(4);
/// drop(producer.reserve(100)?); // Cancelled: there is no record.
/// assert_eq!(*consumer.read()?, *b"hell");
/// assert!(consumer.read().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a grant that is not committed is cancelled"]
pub struct Grant<'a, P: ProducerSide, C: RecordConsumerSide> {
    producer: &'a mut Producer<P, C>,
    /// Initialised, and no other thread's until the grant is committed or cancelled.
    bytes: Lent,
}

impl<P: ProducerSide, C: RecordConsumerSide> Grant<'_, P, C> {
    /// Publishes the first `len` bytes as a record. If `len` is 0, the record has no bytes.
    ///
    /// # Panics
    /// If the grant has fewer bytes; it is cancelled then.
    #[inline]
    #[track_caller]
    pub fn commit(self, len: usize) {
        assert!(len <= self.bytes.len(), "{len} bytes cannot be committed of a grant of {}", self.bytes.len());
        // Nothing is left for the drop to cancel.
        self.producer.settle(len);
    }

    /// Gives the space back without a record, as dropping the grant does.
    #[inline]
    pub fn cancel(self) {}
}

impl<P: ProducerSide, C: RecordConsumerSide> Deref for Grant<'_, P, C> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: the grant is there.
        unsafe { self.bytes.bytes() }
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> DerefMut for Grant<'_, P, C> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: the grant is there.
        unsafe { self.bytes.bytes_mut() }
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> Drop for Grant<'_, P, C> {
    #[inline]
    fn drop(&mut self) {
        self.producer.settle(NOTHING);
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> fmt::Debug for Grant<'_, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Grant").field(&self.bytes.len()).finish()
    }
}
