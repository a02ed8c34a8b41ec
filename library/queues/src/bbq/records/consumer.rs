//! Consumers of records, and the records that they read in place.

use core::fmt;
use core::ops::Deref;
use core::ptr::NonNull;

use super::super::consumer::RecordConsumerSide;
use super::super::memory::Cursor;
use super::super::producer::ProducerSide;
use super::super::ring::{Content, Ring};
use super::super::side::Multi;
use super::bytes::{Bytes, NOTHING};
use super::lent::Lent;
use super::space::WORD;
use crate::backoff::Backoff;
use crate::error::PopError;
use crate::hold::Hold;
use crate::sync::Cell;

/// A consumer of [records](super).
///
/// # Examples
/// ```
/// use aqueduct::bbq::records::{Space, spmc};
/// use aqueduct::error::PopError;
///
/// let (mut producer, mut consumer) = spmc::new(Space::for_bytes(4096)?)?;
/// let mut other = consumer.clone();
/// producer.push(b"one")?;
/// producer.push(b"three")?;
/// let record = consumer.read()?;
/// assert_eq!((record.len(), other.read()?.len()), (3, 5));
/// // Its space is free again.
/// drop(record);
/// assert_eq!(consumer.read().map(drop), Err(PopError::Empty));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `P` is the producers' side, `C` is [`Single`](super::super::Single) or [`Multi`] consumers. With
/// `C` = [`Multi`] it can be cloned, one for each thread.
pub struct Consumer<P: ProducerSide, C: RecordConsumerSide> {
    state: C::State,
    /// The start of the reserved record that is not given back yet.
    at: Cursor,
    /// Its length in units, 0 if nothing is reserved.
    units: usize,
    ring: Hold<Ring<Bytes<P, C>>>,
}

// SAFETY: a handle is a position in a queue of bytes.
unsafe impl<P: ProducerSide, C: RecordConsumerSide> Send for Consumer<P, C> {}
// SAFETY: `&Consumer` gives no access to records.
unsafe impl<P: ProducerSide, C: RecordConsumerSide> Sync for Consumer<P, C> {}

impl<P: ProducerSide, C: RecordConsumerSide> Consumer<P, C> {
    pub(super) fn new(state: C::State, ring: Hold<Ring<Bytes<P, C>>>) -> Self {
        Self { state, at: Cursor::new(0, 0), units: 0, ring }
    }

    /// Returns the oldest record, in place. Dropping it gives its space back.
    ///
    /// Wait-free with one consumer, except for dummies that it passes over; lock-free with more.
    /// Producers cannot reuse the record's block until the record is dropped.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is no record. With many producers, [`PopError::Busy`] if one of
    /// them has reserved the oldest record and not committed it yet.
    #[inline]
    pub fn read(&mut self) -> Result<Record<'_, P, C>, PopError> {
        loop {
            self.give_back();
            (self.at, self.units) = C::reserve_record(&*self.ring, &mut self.state).map_err(P::nothing)?;
            // SAFETY: the record is reserved, and has its length and as many bytes, which no thread
            // writes.
            let len = unsafe { self.word().cast::<Cell<usize>>().as_ref().take() };
            if len != NOTHING {
                let words = len.div_ceil(WORD);
                // SAFETY: reserved, with `len` bytes that no thread writes. Without bytes, no word
                // behind the length is looked at.
                let bytes = unsafe {
                    let first = self.word().cast::<Cell<usize>>().as_ptr().wrapping_add(usize::from(words != 0));
                    core::slice::from_raw_parts(Cell::filled(first, words).as_ptr().cast::<u8>(), len)
                };
                let bytes = Lent::new(NonNull::from(bytes));
                return Ok(Record { consumer: self, bytes });
            }
        }
    }

    /// Returns the address of the first word of the reserved record.
    ///
    /// # Safety
    /// A record is reserved.
    #[inline(always)]
    unsafe fn word(&self) -> core::ptr::NonNull<u8> {
        // SAFETY: each record has its length's word.
        unsafe { self.ring.word(C::block(&self.state), self.at, 0) }
    }

    /// Gives the reserved record back.
    #[inline(always)]
    fn give_back(&mut self) {
        if self.units != 0 {
            let units = core::mem::take(&mut self.units);
            C::consume(&*self.ring, C::block(&self.state), self.at, units);
        }
    }

    /// Returns how many bytes of the queue's space are in use, exact while no operation is in
    /// progress.
    ///
    /// Records count with their lengths and rounding, and so do dummies. With many producers, space
    /// that is reserved counts, too. Beside other operations it is a value of a recent moment.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::bbq::records::{Space, mpsc};
    ///
    /// let (mut producer, mut consumer) = mpsc::new(Space::for_bytes(4096)?)?;
    /// assert!(consumer.is_empty());
    /// producer.push(b"four")?;
    /// assert_eq!((consumer.is_empty(), consumer.len()), (false, 2 * size_of::<usize>()));
    /// drop(consumer.read()?);
    /// assert_eq!((consumer.is_empty(), consumer.len()), (true, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.ring.bytes_of(self.ring.used(C::place(&*self.ring, &self.state)) as u64) as usize
    }

    /// Returns how many bytes of records always fit, with their lengths, rounding, and dummies.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.ring.bytes_of(self.ring.capacity as u64) as usize
    }

    /// Whether a read would return no record now, because there is none or the oldest one is not
    /// committed yet.
    ///
    /// If `false`, a single consumer succeeds in its next read. With many consumers, something was
    /// there at one moment during the call: a record, which another consumer may take, or a dummy.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        if !C::ALONE {
            // Stops at a dummy: by the time that its length is read, it can be another consumer's.
            return C::is_empty(&*self.ring, &self.state);
        }
        let mut place = C::place(&*self.ring, &self.state);
        while let Some((head, at)) = self.ring.next_there(place) {
            let block = self.ring.at(head);
            // SAFETY: no thread writes a committed record before its only consumer gives it back.
            if !unsafe { self.ring.is_dummy(block, at) } {
                return false;
            }
            place = (head, at.plus(Bytes::extent(&self.ring, block, at, usize::MAX)));
        }
        true
    }

    /// Sets whether this handle backs off when it is close behind the producers or has lost a race.
    ///
    /// Handles cloned from it inherit the setting.
    pub fn set_backoff(&mut self, backoff: Backoff) {
        C::set_backoff(&mut self.state, backoff);
    }

    /// Whether all producers have been dropped. The queue then receives no further records.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.ring.is_alone()
    }
}

impl<P: ProducerSide> Clone for Consumer<P, Multi> {
    fn clone(&self) -> Self {
        Self { state: self.state, at: self.at, units: 0, ring: self.ring.clone() }
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> Drop for Consumer<P, C> {
    fn drop(&mut self) {
        self.give_back();
        C::leave(&*self.ring, &self.state);
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> fmt::Debug for Consumer<P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer").finish_non_exhaustive()
    }
}

/// A record, in place in the queue. Dropping it consumes the record.
pub struct Record<'a, P: ProducerSide, C: RecordConsumerSide> {
    consumer: &'a mut Consumer<P, C>,
    /// Initialised, and written by no thread until the record is given back.
    bytes: Lent,
}

impl<P: ProducerSide, C: RecordConsumerSide> Deref for Record<'_, P, C> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: the record is there.
        unsafe { self.bytes.bytes() }
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> Drop for Record<'_, P, C> {
    #[inline]
    fn drop(&mut self) {
        self.consumer.give_back();
    }
}

impl<P: ProducerSide, C: RecordConsumerSide> fmt::Debug for Record<'_, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Record").field(&&**self).finish()
    }
}
