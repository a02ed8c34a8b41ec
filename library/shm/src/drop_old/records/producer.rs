//! The producer's side.

use core::fmt;

use super::geometry::{BEFORE, Geometry, LIMIT, words_of};
use crate::bell;
use crate::bytes::{self, Pieces, head_of};
use crate::error::{ClaimError, RecordError};
use crate::layout::{self, Claim, Memory, head};
use crate::sync::{Ordering, fence, write};

/// The producer's handle.
pub struct Producer<M: Memory> {
    memory: M,
    /// Value of the side's word while this handle owns the side. `leave` compares it, so that it
    /// does not undo a successor's claim.
    held: u64,
    geometry: Geometry,
    /// Producer's position: behind the last pushed record.
    end: u64,
    /// Position of the oldest record that is not overwritten: this handle's copy of `oldest`.
    oldest: u64,
    /// Number of the next record.
    number: u64,
    /// Number of grants made so far. A draft of an earlier grant has lost its room.
    grants: u64,
}

/// Reserved room into which a record's bytes are written. Until [`commit`](Self::commit), no reader
/// sees the record.
#[must_use = "the record is not pushed until it is committed"]
pub struct Grant<'p, M: Memory> {
    producer: &'p mut Producer<M>,
    draft: Draft,
}

/// An incomplete record, detached from its producer: [`Grant::suspend`] returns it, and
/// [`Producer::resume`] takes it.
#[derive(Debug)]
#[must_use = "the record is not pushed until it is committed"]
pub struct Draft {
    /// Position of the record, and the number of its producer's grant.
    start: u64,
    grant: u64,
    pieces: Pieces,
}

impl<M: Memory> Producer<M> {
    pub(crate) fn new(memory: M, geometry: Geometry, claim: Claim) -> Result<Self, ClaimError> {
        let held = layout::claim(&memory.words()[head::PRODUCER], claim)?;
        let Some([end, oldest, number]) = positions(&memory, &geometry) else {
            layout::leave(&memory.words()[head::PRODUCER], held);
            return Err(ClaimError::Damaged);
        };
        Ok(Self { memory, held, geometry, end, oldest, number, grants: 0 })
    }

    /// Pushes a record, which overwrites the oldest ones if the ring is full.
    ///
    /// If this process is killed before the record is published, the oldest records may be gone,
    /// and nothing else has happened.
    ///
    /// # Errors
    /// [`TooLong`](RecordError::TooLong) or [`Damaged`](RecordError::Damaged), never
    /// [`Full`](RecordError::Full).
    #[inline]
    pub fn push(&mut self, record: &[u8]) -> Result<(), RecordError> {
        self.make_room(record.len())?;
        let ring = self.geometry.ring(self.memory.words());
        bytes::put(ring, self.geometry.index(self.end + BEFORE), record);
        self.publish(record.len());
        Ok(())
    }

    /// Reserves room for a record of at most `len` bytes, which the grant writes into the ring
    /// piece by piece.
    ///
    /// A grant that is dropped without a commit leaves no record. The oldest records may be gone.
    ///
    /// # Errors
    /// Those of [`push`](Self::push).
    ///
    /// # Examples
    /// ```
    /// use aqueduct_shm::drop_old::records;
    ///
    /// let queue = records::Queue::on_heap(4096, 0)?;
    /// let (mut producer, mut reader) = (queue.producer()?, queue.reader()?);
    /// let mut grant = producer.reserve(20)?;
    /// grant.write(b"a name, ");
    /// grant.write(b"and a text");
    /// grant.commit();
    /// assert_eq!(reader.read_vec()?, b"a name, and a text");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn reserve(&mut self, len: usize) -> Result<Grant<'_, M>, RecordError> {
        self.make_room(len)?;
        self.grants += 1;
        let draft = Draft { start: self.end, grant: self.grants, pieces: Pieces::new(len) };
        Ok(Grant { producer: self, draft })
    }

    /// Continues a record of this producer that was [suspended](Grant::suspend). `None` if there
    /// was a push, or another grant, in between.
    ///
    /// A draft from another queue yields `None`, or a grant with arbitrary contents.
    #[inline]
    pub fn resume(&mut self, draft: Draft) -> Option<Grant<'_, M>> {
        // `make_room` does nothing for this producer's own draft. For a foreign one, it makes the
        // room.
        let is_last = (draft.start, draft.grant) == (self.end, self.grants);
        let fits = is_last && self.make_room(draft.pieces.capacity()).is_ok();
        fits.then_some(Grant { producer: self, draft })
    }

    /// Makes room for a record of `len` bytes: skips the oldest records that are in its way.
    #[inline(always)]
    fn make_room(&mut self, len: usize) -> Result<(), RecordError> {
        let longest = self.geometry.max_len();
        if len > longest {
            return Err(RecordError::TooLong { longest });
        }
        let needed = (self.end + words_of(len)).saturating_sub(self.geometry.ring as u64);
        if needed > self.oldest { self.overwrite(needed) } else { Ok(()) }
    }

    /// Gives up the records before the position `needed`, and some more.
    #[inline(never)]
    fn overwrite(&mut self, needed: u64) -> Result<(), RecordError> {
        let (geometry, words) = (&self.geometry, self.memory.words());
        let mut oldest = self.oldest;
        // If the lengths are sound, this stops before the newest record.
        while oldest < needed + geometry.slack {
            let record = geometry.record(geometry.ring(words), oldest).filter(|_| oldest < self.end);
            oldest += words_of(record.ok_or(RecordError::Damaged)?.0);
        }
        if oldest >= self.end {
            return Err(RecordError::Damaged);
        }
        self.oldest = oldest;
        // Ordering: Release pairs with the acquire of `Reader::begin`. Without it, a reader that
        // starts there may read an older `end`.
        words[head::OLDEST].store(oldest, Ordering::Release);
        // Ordering: Release pairs with the acquire of `Reader::is_overwritten`. Without it, a
        // reader that gets a part of a later record may not see that its own was given up.
        fence(Ordering::Release);
        Ok(())
    }

    /// Publishes a record whose bytes are written.
    #[inline(always)]
    fn publish(&mut self, len: usize) {
        let (geometry, words) = (&self.geometry, self.memory.words());
        let ring = geometry.ring(words);
        write(&ring[geometry.index(self.end)], head_of(self.end, len));
        write(&ring[geometry.index(self.end + 1)], self.number);
        let start = self.end;
        self.end += words_of(len);
        self.number += 1;
        // Ordering: Release pairs with the acquire of `Reader::look`; without it, a reader finds
        // words that are not written yet.
        words[head::END].store(self.end, Ordering::Release);
        // Ordering: Release pairs with the acquire of `Reader::begin`: a reader that starts with
        // this record sees this `end`.
        words[head::LAST].store(start, Ordering::Release);
    }

    /// Returns how many records were ever pushed.
    pub fn pushed(&self) -> u64 {
        self.number
    }

    /// Returns the length of the longest record.
    pub fn max_len(&self) -> usize {
        self.geometry.max_len()
    }

    /// Wakes the readers that sleep in [`Reader::wait`](super::Reader::wait), and signals the
    /// events of those that are [armed](super::Reader::arm): all of them.
    #[inline(always)]
    pub fn wake(&self) {
        let words = self.memory.words();
        bell::ring_all(&words[head::CONSUMER_SLEEPS], &words[head::CONSUMERS_ARMED], || self.memory.signal());
    }

    /// Returns the memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

/// Finds the position behind the last record, that of the oldest one, and the number of the next
/// one. `None` if the memory is damaged.
fn positions<M: Memory>(memory: &M, geometry: &Geometry) -> Option<[u64; 3]> {
    let words = memory.words();
    let [end, oldest] = [head::END, head::OLDEST].map(|word| words[word].load(Ordering::Relaxed));
    if end > LIMIT || end.checked_sub(oldest)? > geometry.ring as u64 {
        return None;
    }
    // The newest record is never given up.
    let (mut at, mut last) = (oldest, None);
    while at < end {
        let (len, number) = geometry.record(geometry.ring(words), at)?;
        at += words_of(len);
        last = Some(number);
    }
    let is_sound = at == end && last.is_some() == (end > 0);
    is_sound.then_some([end, oldest, last.map_or(0, |number| number + 1)])
}

impl<M: Memory> Grant<'_, M> {
    /// Returns the length up to which the record can grow.
    pub fn capacity(&self) -> usize {
        self.draft.pieces.capacity()
    }

    /// Returns how many bytes were written.
    pub fn written(&self) -> usize {
        self.draft.pieces.written()
    }

    /// Appends bytes to the record, as many as fit. Returns how many.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> usize {
        let Producer { memory, geometry, end, .. } = &*self.producer;
        self.draft.pieces.write(geometry.ring(memory.words()), geometry.index(end + BEFORE), bytes)
    }

    /// Pushes the record, which has the bytes written so far.
    #[inline]
    pub fn commit(self) {
        self.producer.publish(self.written());
    }

    /// Detaches the record from the producer's borrow, for callers that cannot keep a grant, such
    /// as those in other languages. A push or another grant discards it.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_shm::drop_old::records;
    ///
    /// let queue = records::Queue::on_heap(4096, 0)?;
    /// let (mut producer, mut reader) = (queue.producer()?, queue.reader()?);
    /// let mut grant = producer.reserve(20)?;
    /// grant.write(b"a name, ");
    /// let draft = grant.suspend();
    /// let mut grant = producer.resume(draft).expect("nothing was pushed in between");
    /// grant.write(b"and a text");
    /// grant.commit();
    /// assert_eq!(reader.read_vec()?, b"a name, and a text");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn suspend(self) -> Draft {
        self.draft
    }
}

impl<M: Memory> fmt::Debug for Grant<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.draft.fmt(f)
    }
}

impl<M: Memory> Drop for Producer<M> {
    fn drop(&mut self) {
        layout::leave(&self.memory.words()[head::PRODUCER], self.held);
        self.wake();
    }
}

impl<M: Memory> fmt::Debug for Producer<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("position", &self.end).finish_non_exhaustive()
    }
}
