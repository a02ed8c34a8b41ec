//! The consumers of records, and the records that they read in place.

use core::fmt;
use core::ops::Deref;

use super::super::claim::Claims;
use super::super::cursor::Cursor;
use super::super::reserve::ReservesRecords;
use super::super::shared::{Position, Shared};
use super::super::side::Multi;
use super::bytes::{Bytes, NOTHING, WORD};
use crate::error::PopError;
use crate::hold::Hold;
use crate::sync::Cell;

/// A consumer of [records](super). `P` says whether there is only one producer, `C` whether this is the only consumer. With `C` =
/// [`Multi`] it can be cloned, one for each thread.
pub struct Consumer<P: Claims, C: ReservesRecords> {
    position: Position,
    /// What is reserved and not given back yet begins here,
    at: Cursor,
    /// and takes so many units: 0 if there is nothing.
    units: usize,
    hold: Hold<Shared<Bytes, P, C>>,
}

// SAFETY: a handle is a position in a queue of bytes.
unsafe impl<P: Claims, C: ReservesRecords> Send for Consumer<P, C> {}
// SAFETY: `&Consumer` gives no access to records.
unsafe impl<P: Claims, C: ReservesRecords> Sync for Consumer<P, C> {}

impl<P: Claims, C: ReservesRecords> Consumer<P, C> {
    pub(super) fn new(position: Position, hold: Hold<Shared<Bytes, P, C>>) -> Self {
        Self { position, at: position.cursor, units: 0, hold }
    }

    /// The oldest record, where it lies. Its space is given back when it is dropped.
    ///
    /// With one consumer wait-free, but for dummies that it passes over; with more lock-free among them. Producers cannot use the
    /// record's block again until it is dropped.
    ///
    /// # Errors
    /// [`PopError::Empty`]; with many producers [`PopError::Busy`], which tells that one of
    /// them has reserved the oldest record and not committed it yet.
    #[inline]
    pub fn read(&mut self) -> Result<Record<'_, P, C>, PopError> {
        loop {
            self.give_back();
            (self.at, self.units) = C::reserve_record(&self.hold, &mut self.position).map_err(P::nothing)?;
            // SAFETY: the record is reserved, and has its length and as many bytes, which nobody writes.
            let len = unsafe { self.word().cast::<Cell<usize>>().as_ref().take() };
            if len != NOTHING {
                let words = len.div_ceil(WORD);
                // SAFETY: as above. Without bytes, no word behind the length is looked at.
                let bytes = unsafe {
                    let first = self.word().cast::<Cell<usize>>().as_ptr().wrapping_add(usize::from(words != 0));
                    core::slice::from_raw_parts(Cell::filled(first, words).as_ptr().cast::<u8>(), len)
                };
                return Ok(Record { consumer: self, bytes });
            }
        }
    }

    /// The first word of the reserved record.
    ///
    /// # Safety
    /// One is reserved.
    #[inline(always)]
    unsafe fn word(&self) -> core::ptr::NonNull<u8> {
        // SAFETY: each record has its length's word.
        unsafe { self.hold.word(self.position.block, self.at, 0) }
    }

    /// Gives back what is reserved.
    #[inline(always)]
    fn give_back(&mut self) {
        if self.units != 0 {
            let units = core::mem::take(&mut self.units);
            C::consumed_record(&self.hold, &self.position, self.at, units);
        }
    }

    /// Whether no producer is left. What is in the queue then is all that comes.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.hold.is_alone()
    }
}

impl<P: Claims> Clone for Consumer<P, Multi> {
    fn clone(&self) -> Self {
        Self { position: self.position, at: self.at, units: 0, hold: self.hold.clone() }
    }
}

impl<P: Claims, C: ReservesRecords> Drop for Consumer<P, C> {
    fn drop(&mut self) {
        self.give_back();
        C::leave(&self.hold, &self.position);
    }
}

impl<P: Claims, C: ReservesRecords> fmt::Debug for Consumer<P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer").finish_non_exhaustive()
    }
}

/// A record, where it lies in the queue. It is consumed when this is dropped.
pub struct Record<'a, P: Claims, C: ReservesRecords> {
    consumer: &'a mut Consumer<P, C>,
    bytes: &'a [u8],
}

impl<P: Claims, C: ReservesRecords> Deref for Record<'_, P, C> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.bytes
    }
}

impl<P: Claims, C: ReservesRecords> Drop for Record<'_, P, C> {
    #[inline]
    fn drop(&mut self) {
        self.consumer.give_back();
    }
}

impl<P: Claims, C: ReservesRecords> fmt::Debug for Record<'_, P, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Record").field(&self.bytes).finish()
    }
}
