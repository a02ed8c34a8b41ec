//! The producer's side.

use core::fmt;
use core::time::Duration;

use super::geometry::{Geometry, words_of};
use crate::bell;
use crate::bytes::{self, Pieces, head_of, len_of};
use crate::error::{ClaimError, RecordError};
use crate::layout::{self, Claim, Memory, Peer, head};
use crate::peer;
use crate::sync::{Ordering, Word};

/// The producer's handle.
pub struct Producer<M: Memory> {
    memory: M,
    /// Value of the side's word while this handle owns the side. `leave` compares it, so that it
    /// does not undo a successor's claim.
    held: u64,
    geometry: Geometry,
    /// Producer's position: behind the last pushed record.
    write: u64,
    /// Position that the consumer reported, as last read. It may be old.
    reported: u64,
}

/// Reserved room into which a record's bytes are written. Until [`commit`](Self::commit), the
/// consumer does not see the record.
#[must_use = "the record is not pushed until it is committed"]
pub struct Grant<'p, M: Memory> {
    producer: &'p mut Producer<M>,
    pieces: Pieces,
}

impl<M: Memory> Producer<M> {
    pub(crate) fn new(memory: M, geometry: Geometry, claim: Claim) -> Result<Self, ClaimError> {
        let held = layout::claim(&memory.words()[head::PRODUCER], claim)?;
        let Some((write, reported)) = positions(&memory, &geometry) else {
            layout::leave(&memory.words()[head::PRODUCER], held);
            return Err(ClaimError::Damaged);
        };
        Ok(Self { memory, held, geometry, write, reported })
    }

    /// Pushes a record.
    ///
    /// # Errors
    /// [`RecordError`]: the queue is full or damaged, or the record is too long.
    #[inline]
    pub fn push(&mut self, record: &[u8]) -> Result<(), RecordError> {
        self.make_room(record.len())?;
        bytes::put(self.ring(), self.geometry.index(self.write + 1), record);
        self.publish(record.len());
        Ok(())
    }

    /// Reserves room for a record of at most `len` bytes, which the grant writes into the ring
    /// piece by piece.
    ///
    /// A grant that is dropped without a commit leaves no record.
    ///
    /// # Errors
    /// Those of [`push`](Self::push).
    ///
    /// # Examples
    /// ```
    /// use aqueduct_shm::records;
    ///
    /// let queue = records::Queue::on_heap(4096, 0)?;
    /// let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);
    /// let mut grant = producer.reserve(20)?;
    /// grant.write(b"a name, ");
    /// grant.write(b"and a text");
    /// grant.commit();
    /// assert_eq!(consumer.pop_vec()?, b"a name, and a text");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn reserve(&mut self, len: usize) -> Result<Grant<'_, M>, RecordError> {
        self.make_room(len)?;
        Ok(Grant { producer: self, pieces: Pieces::new(len) })
    }

    #[inline(always)]
    fn ring(&self) -> &[Word] {
        &self.memory.words()[head::WORDS..self.geometry.words()]
    }

    /// Finds room for a record of `len` bytes.
    #[inline(always)]
    fn make_room(&mut self, len: usize) -> Result<(), RecordError> {
        let words = words_of(len);
        if words + 1 > self.room() || len > self.geometry.max_len() { self.look(len, words) } else { Ok(()) }
    }

    /// Publishes a record whose bytes are written.
    #[inline(always)]
    fn publish(&mut self, len: usize) {
        let (geometry, end) = (self.geometry, self.write + words_of(len));
        let ring = self.ring();
        ring[geometry.index(end)].store(0, Ordering::Relaxed);
        // Ordering: Release pairs with the acquire of `Consumer::peek`; without it, the consumer
        // reads bytes that are not written yet, or takes old bytes behind the record for a head.
        ring[geometry.index(self.write)].store(head_of(self.write, len), Ordering::Release);
        self.write = end;
    }

    /// Number of free words, at least: `reported` may be old.
    #[inline(always)]
    fn room(&self) -> u64 {
        self.geometry.ring as u64 - (self.write - self.reported)
    }

    /// Looks for room for a record of `words` words.
    #[cold]
    fn look(&mut self, len: usize, words: u64) -> Result<(), RecordError> {
        let longest = self.geometry.max_len();
        if len > longest {
            return Err(RecordError::TooLong { longest });
        }
        // Ordering: Acquire pairs with the release of `Consumer::report`; without it, writes to the
        // ring may overtake the consumer's reads of older records.
        let reported = self.memory.words()[head::REPORTED].load(Ordering::Acquire);
        // A sound report only grows, and stays behind the pushed words.
        if reported.wrapping_sub(self.reported) > self.write - self.reported {
            return Err(RecordError::Damaged);
        }
        self.reported = reported;
        if words + 1 > self.room() { Err(RecordError::Full) } else { Ok(()) }
    }

    /// Returns the length of the longest record that fits.
    pub fn max_len(&self) -> usize {
        self.geometry.max_len()
    }

    /// Wakes the consumer if it sleeps in [`Consumer::wait`](super::Consumer::wait), and signals
    /// its event if it is [armed](super::Consumer::arm).
    #[inline(always)]
    pub fn wake(&self) {
        bell::ring(&self.memory.words()[head::CONSUMER_SLEEPS], || self.memory.signal());
    }

    /// Sleeps until the consumer reports a new position, and not for longer than `timeout`. If it
    /// has reported one since the last refused push, this returns at once.
    ///
    /// Call it after a push that was refused as `Full`. It may return earlier. Without an operating
    /// system, it polls once.
    pub fn wait(&mut self, timeout: Duration) {
        self.sleep(timeout, false);
    }

    /// Sleeps as [`wait`](Self::wait) does, and not at all while the other side has
    /// [left](Peer::Left).
    pub fn wait_unless_left(&mut self, timeout: Duration) {
        self.sleep(timeout, true);
    }

    fn sleep(&mut self, timeout: Duration, unless_left: bool) {
        let words = self.memory.words();
        let known = self.reported;
        bell::wait(&words[head::PRODUCER_SLEEPS], timeout, || {
            words[head::REPORTED].load(Ordering::Relaxed) != known
                || unless_left && peer::one_has_left(words, head::CONSUMER)
        });
    }

    /// Arms this side's event: the consumer signals it at its next wake. Returns whether it is
    /// armed: `false` means that the consumer has reported progress since the last refused push.
    ///
    /// Clear the event before this call, and push again if it returns `false`.
    #[must_use = "nothing is signalled for room that is already there"]
    pub fn arm(&mut self) -> bool {
        let (words, known) = (self.memory.words(), self.reported);
        bell::arm(&words[head::PRODUCER_SLEEPS], || words[head::REPORTED].load(Ordering::Relaxed) != known)
    }

    /// Returns the memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Returns the consumer's state, as far as it is known.
    pub fn peer(&self) -> Peer {
        peer::of_one(&self.memory, head::CONSUMER)
    }
}

/// Finds the producer's position, behind the last record, and the consumer's report. `None` if the
/// memory is damaged.
fn positions<M: Memory>(memory: &M, geometry: &Geometry) -> Option<(u64, u64)> {
    let words = memory.words();
    // Ordering: Acquire pairs with the release of `Consumer::report`; without it, writes to the
    // ring come before the consumer's reads of the records before.
    let reported = words[head::REPORTED].load(Ordering::Acquire);
    if reported > u64::MAX / 2 {
        return None;
    }
    let mut write = reported;
    loop {
        let head = words[head::WORDS + geometry.index(write)].load(Ordering::Relaxed);
        if head == 0 {
            return Some((write, reported));
        }
        write += words_of(len_of(geometry.max_len(), write, head)?);
        if write - reported >= geometry.ring as u64 {
            return None;
        }
    }
}

impl<M: Memory> Grant<'_, M> {
    /// Returns the length up to which the record can grow.
    pub fn capacity(&self) -> usize {
        self.pieces.capacity()
    }

    /// Returns how many bytes were written.
    pub fn written(&self) -> usize {
        self.pieces.written()
    }

    /// Appends bytes to the record, as many as fit. Returns how many.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> usize {
        let producer = &*self.producer;
        self.pieces.write(producer.ring(), producer.geometry.index(producer.write + 1), bytes)
    }

    /// Pushes the record, which has the bytes written so far.
    #[inline]
    pub fn commit(self) {
        self.producer.publish(self.pieces.written());
    }
}

impl<M: Memory> fmt::Debug for Grant<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.fmt(f)
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
        f.debug_struct("Producer").field("position", &self.write).finish_non_exhaustive()
    }
}
