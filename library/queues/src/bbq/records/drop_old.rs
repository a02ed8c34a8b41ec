//! Records in drop-old mode: producers overwrite records that readers have not read in time.
//!
//! # Examples
//! ```
//! use aqueduct::bbq::records::{Space, drop_old};
//!
//! let (mut producer, mut reader) = drop_old::spmc::new(Space::new(4, 256)?)?;
//! for number in 0..1000 {
//!     producer.push(format!("record {number}").as_bytes())?;
//! }
//! let mut buffer = [0; 256];
//! let mut last = String::new();
//! while let Ok(record) = reader.read(&mut buffer) {
//!     last = std::str::from_utf8(record)?.to_owned();
//! }
//! assert_eq!(last, "record 999");
//! assert!(reader.lost() > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//! [`bbq::drop_old`](super::super::drop_old) describes the mode. Readers get copies: a record may
//! be overwritten while it is read, so its bytes go through atomic words, and the copy is returned
//! only if all of it was of one record. For this reason a producer gets a [`Draft`], into which it
//! puts bytes, and not a slice of the queue's memory.
//!
//! A reader's losses are counted exactly, in bytes of the queue's space: the bytes that the
//! producers have used, dummies and rounding included, are those that all readers together have
//! [passed over](Reader::passed), have [lost](Reader::lost), and have yet to read. (The number of
//! records in a block is lost with them.)

use core::fmt;

use super::super::consumer::reader::{self, State};
use super::super::memory::{Entry, Words};
use super::super::producer::ProducerSide;
use super::super::ring::{FIRST_LAP, Ring};
use super::super::side::{Multi, Overwritten, Single};
use super::bytes::{Bytes, NOTHING};
use super::producer::Producer;
use super::space::{Space, WORD};
use crate::error::{CapacityError, PopError, ReserveError};
use crate::hold::Hold;

/// A reader of a drop-old queue of records. Each record goes to one of the readers.
///
/// # Examples
/// ```
/// use aqueduct::bbq::records::Space;
/// use aqueduct::bbq::records::drop_old::mpmc;
///
/// let (mut producer, mut reader) = mpmc::new(Space::new(4, 256)?)?;
/// for number in 0..1000 {
///     producer.push(format!("event {number}").as_bytes())?;
/// }
/// let mut buffer = vec![0; reader.longest()];
/// let mut last = String::new();
/// while let Ok(record) = reader.read(&mut buffer) {
///     last = String::from_utf8_lossy(record).into_owned();
/// }
/// assert_eq!(last, "event 999");
/// assert!(reader.lost() > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A reader can be cloned.
pub struct Reader<P: ProducerSide> {
    state: State,
    /// Units of records that were read, and of dummies.
    passed: u64,
    ring: Hold<Ring<Bytes<P, Overwritten>>>,
}

// SAFETY: a reader is a position in a queue of bytes.
unsafe impl<P: ProducerSide> Send for Reader<P> {}
// SAFETY: `&Reader` gives no access to records.
unsafe impl<P: ProducerSide> Sync for Reader<P> {}

/// The first handles of a drop-old queue of records.
pub type Handles<P> = (Producer<P, Overwritten>, Reader<P>);

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident($producers:ident);)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use super::{$producers, FIRST_LAP, Handles, Overwritten, Space, pair};
            use crate::error::CapacityError;

            /// A producer's handle, with the methods of
            /// [`records::Producer`](crate::bbq::records::Producer).
            pub type Producer = super::Producer<$producers, Overwritten>;

            /// A reader's handle, with the methods of
            /// [`drop_old::Reader`](crate::bbq::records::drop_old::Reader).
            pub type Reader = super::Reader<$producers>;

            /// Makes a queue with this space for its records.
            ///
            /// # Errors
            /// [`CapacityError`] if there is no memory.
            pub fn new(space: Space) -> Result<Handles<$producers>, CapacityError> {
                starting_at(space, FIRST_LAP)
            }

            /// Makes a queue that starts in this lap, for tests near the last one.
            #[doc(hidden)]
            pub fn starting_at(space: Space, lap: usize) -> Result<Handles<$producers>, CapacityError> {
                resting(space, lap, 0)
            }

            /// Makes a queue whose reader has rested while `laps` laps of empty records were
            /// written.
            #[doc(hidden)]
            pub fn resting(space: Space, lap: usize, laps: usize) -> Result<Handles<$producers>, CapacityError> {
                pair(space, lap, laps)
            }
        }
    )*};
}

forms! {
    /// One producer, any number of readers.
    spmc(Single);
    /// Any number of producers and readers.
    mpmc(Multi);
}

fn pair<P: ProducerSide>(space: Space, lap: usize, laps: usize) -> Result<Handles<P>, CapacityError> {
    let ring = Ring::for_space(space, lap)?;
    let (producer, state) = (P::start(&ring, ring.first()), State::put_back(&ring, laps));
    let (producing, reading) = Hold::pair(ring)?;
    Ok((Producer::new(producer, producing), Reader { state, passed: 0, ring: reading }))
}

impl<P: ProducerSide> Producer<P, Overwritten> {
    /// Reserves space for a record of up to `len` bytes.
    ///
    /// The record comes after all records that were reserved before. There is a record only if the
    /// draft is [committed](Draft::commit); a draft that is dropped is cancelled. The oldest
    /// records are overwritten by this call, not by the commit: a cancelled draft overwrites them,
    /// too.
    ///
    /// Wait-free with one producer; lock-free with more. Until the draft is committed or cancelled,
    /// readers cannot pass the space and no producer can overwrite it.
    ///
    /// # Errors
    /// [`ReserveError`] if no record can be that long, or if another thread is in the middle of
    /// writing a record that would have to be overwritten.
    #[inline]
    pub fn reserve(&mut self, len: usize) -> Result<Draft<'_, P>, ReserveError> {
        self.allocate(len)?;
        Ok(Draft { producer: self, len })
    }

    /// Adds a record with these bytes.
    ///
    /// # Errors
    /// [`ReserveError`], for the reasons of [`reserve`](Self::reserve).
    #[inline]
    pub fn push(&mut self, record: &[u8]) -> Result<(), ReserveError> {
        let mut draft = self.reserve(record.len())?;
        draft.put(0, record);
        draft.commit(record.len());
        Ok(())
    }
}

/// Reserved space of a record that is being written.
///
/// Only [`commit`](Self::commit) makes it a record. A draft that is dropped is cancelled, as a
/// [`Grant`](super::Grant) is.
///
/// # Examples
/// ```
/// use aqueduct::bbq::records::Space;
/// use aqueduct::bbq::records::drop_old::spmc;
///
/// let (mut producer, mut reader) = spmc::new(Space::new(4, 256)?)?;
/// let mut draft = producer.reserve(20)?;
/// draft.put(0, b"key");
/// draft.put(3, b"=value");
/// draft.commit(9);
/// let mut buffer = vec![0; reader.longest()];
/// assert_eq!(reader.read(&mut buffer)?, b"key=value");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a draft that is not committed is cancelled"]
pub struct Draft<'a, P: ProducerSide> {
    producer: &'a mut Producer<P, Overwritten>,
    len: usize,
}

impl<P: ProducerSide> Draft<'_, P> {
    /// Puts bytes into the record, from `offset` on. Other bytes keep their old values.
    ///
    /// # Panics
    /// If the record is shorter.
    #[inline]
    #[track_caller]
    pub fn put(&mut self, offset: usize, bytes: &[u8]) {
        let fits = offset.checked_add(bytes.len()).is_some_and(|end| end <= self.len);
        assert!(fits, "{} bytes from {offset} on are beyond a record of {}", bytes.len(), self.len);
        let (mut at, mut rest) = (offset, bytes);
        while !rest.is_empty() {
            let within = at % WORD;
            let (now, later) = rest.split_at(rest.len().min(WORD - within));
            // SAFETY: a word of the allocated record, behind the one with its length.
            unsafe {
                let word = self.producer.word(1 + at / WORD);
                let mut value = if now.len() == WORD { 0 } else { Words::<usize>::own(word) }.to_ne_bytes();
                value[within..within + now.len()].copy_from_slice(now);
                Words::<usize>::put(word, usize::from_ne_bytes(value));
            }
            at += now.len();
            rest = later;
        }
    }

    /// Publishes the first `len` bytes as a record. If `len` is 0, the record has no bytes.
    ///
    /// # Panics
    /// If the draft has fewer bytes; it is cancelled then.
    #[inline]
    #[track_caller]
    pub fn commit(self, len: usize) {
        assert!(len <= self.len, "{len} bytes cannot be committed of a draft of {}", self.len);
        // Nothing is left for the drop to cancel.
        self.producer.settle(len);
    }

    /// Gives the space back without a record, as dropping the draft does.
    #[inline]
    pub fn cancel(self) {}
}

impl<P: ProducerSide> Drop for Draft<'_, P> {
    #[inline]
    fn drop(&mut self) {
        self.producer.settle(NOTHING);
    }
}

impl<P: ProducerSide> fmt::Debug for Draft<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Draft").field(&self.len).finish()
    }
}

impl<P: ProducerSide> Reader<P> {
    /// Copies the oldest record that can still be read to the start of `buffer`.
    ///
    /// Lock-free among readers; producers that overwrite can make the read try again.
    ///
    /// # Errors
    /// [`PopError::Empty`] if there is none, [`PopError::Busy`] if the oldest is not committed yet.
    ///
    /// # Panics
    /// If `buffer` is shorter than the [longest](Self::longest) record; nothing is lost then.
    #[inline]
    #[track_caller]
    pub fn read<'b>(&mut self, buffer: &'b mut [u8]) -> Result<&'b [u8], PopError> {
        let longest = self.longest();
        assert!(buffer.len() >= longest, "a record may have {longest} bytes, and the buffer has {}", buffer.len());
        let ring = &*self.ring;
        loop {
            let (units, len) = self.state.read(ring, |block, at, units| {
                // SAFETY: a record lay there, with its length at least.
                let len = unsafe { Words::<usize>::copy(ring.word(block, at, 0)).assume_init() };
                // If the record has been overwritten, that may be an arbitrary number.
                let most = ring.bytes_of(units as u64) as usize - WORD;
                let words = if len == NOTHING { 0 } else { len.min(most).div_ceil(WORD) };
                for (number, bytes) in (1..=words).zip(buffer.chunks_mut(WORD)) {
                    // SAFETY: within a committed record.
                    let word = unsafe { Words::<usize>::copy(ring.word(block, at, number)).assume_init() };
                    let taken = bytes.len();
                    bytes.copy_from_slice(&word.to_ne_bytes()[..taken]);
                }
                (units, len)
            })?;
            self.passed = self.passed.wrapping_add(units as u64);
            if len != NOTHING {
                return Ok(&buffer[..len]);
            }
        }
    }

    /// Returns how many bytes of the queue's space this reader found overwritten.
    ///
    /// Counts from when the reader was made or cloned.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.ring.bytes_of(self.state.lost)
    }

    /// Returns how many bytes of the queue's space this reader has passed over.
    ///
    /// Counts from when the reader was made or cloned: records that it has read, with their lengths
    /// and rounding, and dummies.
    #[must_use]
    pub fn passed(&self) -> u64 {
        self.ring.bytes_of(self.passed)
    }

    /// Returns how many bytes of the queue's space can be read now, exact while no operation is in
    /// progress and no producer has overtaken the readers.
    ///
    /// Records count with their lengths and rounding, and so do dummies. With many producers, space
    /// that is reserved counts, too. If producers have overtaken the readers it is an upper bound.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ring.bytes_of(reader::readable(&self.ring) as u64) as usize
    }

    /// Whether a read would return no record now, because there is none or the oldest one is not
    /// committed yet.
    ///
    /// If `false`, something was there at one moment during the call: a record, which another
    /// reader may take, or a dummy.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        reader::is_empty(&self.ring)
    }

    /// Returns how many of the last bytes can always be read, with the records' lengths, rounding,
    /// and dummies.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.ring.bytes_of(self.ring.capacity as u64) as usize
    }

    /// Returns the length of the longest possible record, in bytes.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.ring.longest()
    }

    /// Whether all producers have been dropped. The queue then receives no further records.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.ring.is_alone()
    }
}

impl<P: ProducerSide> Clone for Reader<P> {
    /// Returns a reader at this one's position that has read and lost nothing yet.
    fn clone(&self) -> Self {
        Self { state: self.state.for_another(), passed: 0, ring: self.ring.clone() }
    }
}

impl<P: ProducerSide> fmt::Debug for Reader<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("lost", &self.lost()).finish_non_exhaustive()
    }
}
