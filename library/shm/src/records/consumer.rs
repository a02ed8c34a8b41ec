//! The consumer's side.

use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use super::geometry::{Geometry, words_of};
use crate::bell;
use crate::bytes::{self, len_of};
use crate::error::{ClaimError, PopError};
use crate::layout::{self, Claim, Memory, Peer, head};
use crate::peer;
use crate::sync::Ordering;

/// The consumer's handle.
pub struct Consumer<M: Memory> {
    memory: M,
    /// Value of the side's word while this handle owns the side. `leave` compares it, so that it
    /// does not undo a successor's claim.
    held: u64,
    geometry: Geometry,
    /// Consumer's position: behind the last popped record.
    read: u64,
    /// The position that was reported last.
    reported: u64,
}

/// The next record, which stays in the queue until it is released.
#[must_use = "the record stays in the queue until it is released"]
pub struct Record<'c, M: Memory> {
    consumer: &'c mut Consumer<M>,
    len: usize,
}

impl<M: Memory> Consumer<M> {
    pub(crate) fn new(memory: M, geometry: Geometry, claim: Claim) -> Result<Self, ClaimError> {
        let words = memory.words();
        let held = layout::claim(&words[head::CONSUMER], claim)?;
        let read = words[head::TAKEN].load(Ordering::Relaxed);
        let reported = words[head::REPORTED].load(Ordering::Relaxed);
        let is_sound = reported <= read && read - reported < geometry.ring as u64 && read <= u64::MAX / 2;
        if !is_sound {
            layout::leave(&words[head::CONSUMER], held);
            return Err(ClaimError::Damaged);
        }
        let mut consumer = Self { memory, held, geometry, read, reported };
        // A dead consumer may have taken all records without a report, and the producer would wait
        // for it.
        consumer.report();
        Ok(consumer)
    }

    /// Returns the next record, which stays in the queue until [`Record::release`].
    ///
    /// If this process is killed before that, its successor gets the record again.
    ///
    /// # Errors
    /// [`Empty`](PopError::Empty), or [`Damaged`](PopError::Damaged).
    #[inline]
    pub fn peek(&mut self) -> Result<Record<'_, M>, PopError> {
        let at = head::WORDS + self.geometry.index(self.read);
        // Ordering: Acquire pairs with the release of `Producer::push`: the record's bytes are seen
        // with it, and the 0 behind them.
        let head = self.memory.words()[at].load(Ordering::Acquire);
        if head == 0 {
            return Err(PopError::Empty);
        }
        let len = len_of(self.geometry.max_len(), self.read, head).ok_or(PopError::Damaged)?;
        Ok(Record { consumer: self, len })
    }

    /// Pops a record into the first bytes of `buffer`, and returns its length.
    ///
    /// The record is delivered at most once: if this process is killed, it is lost with the
    /// process.
    ///
    /// # Errors
    /// [`Empty`](PopError::Empty), [`Damaged`](PopError::Damaged), or
    /// [`TooLong`](PopError::TooLong) if the record is longer than the buffer: it stays in the
    /// queue.
    #[inline]
    pub fn pop(&mut self, buffer: &mut [u8]) -> Result<usize, PopError> {
        let record = self.peek()?;
        let len = record.len();
        let Some(bytes) = buffer.get_mut(..len) else { return Err(PopError::TooLong { len }) };
        record.copy(bytes);
        record.release();
        Ok(len)
    }

    /// Pops a record into a new vector.
    ///
    /// # Errors
    /// [`Empty`](PopError::Empty), or [`Damaged`](PopError::Damaged).
    pub fn pop_vec(&mut self) -> Result<Vec<u8>, PopError> {
        let record = self.peek()?;
        let bytes = record.to_vec();
        record.release();
        Ok(bytes)
    }

    fn report(&mut self) {
        // Ordering: Release pairs with the acquire of `Producer::look`: the records have been read.
        self.memory.words()[head::REPORTED].store(self.read, Ordering::Release);
        self.reported = self.read;
    }

    /// Whether no record is in the queue.
    pub fn is_empty(&mut self) -> bool {
        self.memory.words()[head::WORDS + self.geometry.index(self.read)].load(Ordering::Relaxed) == 0
    }

    /// Wakes the producer if it sleeps in [`Producer::wait`](super::Producer::wait), and signals
    /// its event if it is [armed](super::Producer::arm).
    #[inline(always)]
    pub fn wake(&self) {
        bell::ring(&self.memory.words()[head::PRODUCER_SLEEPS], || self.memory.signal());
    }

    /// Sleeps while the queue is empty, until the producer wakes this side, and not for longer than
    /// `timeout`.
    ///
    /// It may return earlier. Without an operating system, it polls once.
    pub fn wait(&mut self, timeout: Duration) {
        self.sleep(timeout, false);
    }

    /// Sleeps as [`wait`](Self::wait) does, and not at all while the other side has
    /// [left](Peer::Left).
    pub fn wait_unless_left(&mut self, timeout: Duration) {
        self.sleep(timeout, true);
    }

    fn sleep(&mut self, timeout: Duration, unless_left: bool) {
        if self.is_empty() {
            let words = self.memory.words();
            let at = head::WORDS + self.geometry.index(self.read);
            bell::wait(&words[head::CONSUMER_SLEEPS], timeout, || {
                words[at].load(Ordering::Relaxed) != 0 || unless_left && peer::one_has_left(words, head::PRODUCER)
            });
        }
    }

    /// Arms this side's event: the producer signals it at its next wake. Returns whether it is
    /// armed: `false` means that the queue has a record.
    ///
    /// Clear the event before this call, and pop all records if it returns `false`. The module
    /// `event` has an example.
    #[must_use = "nothing is signalled for items that are already there"]
    pub fn arm(&mut self) -> bool {
        let words = self.memory.words();
        let at = head::WORDS + self.geometry.index(self.read);
        bell::arm(&words[head::CONSUMER_SLEEPS], || words[at].load(Ordering::Relaxed) != 0)
    }

    /// Returns the memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Returns the producer's state, as far as it is known.
    pub fn peer(&self) -> Peer {
        peer::of_one(&self.memory, head::PRODUCER)
    }
}

impl<M: Memory> Record<'_, M> {
    /// Returns the number of the record's bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the record has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Copies the record's first bytes, as many as fit into the buffer. Returns how many.
    #[inline]
    pub fn copy(&self, buffer: &mut [u8]) -> usize {
        let len = self.len.min(buffer.len());
        let Consumer { memory, geometry, read, .. } = &*self.consumer;
        let ring = &memory.words()[head::WORDS..geometry.words()];
        bytes::copy(ring, geometry.index(read + 1), &mut buffer[..len]);
        len
    }

    /// Copies the record's bytes into a new vector.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = alloc::vec![0; self.len];
        self.copy(&mut bytes);
        bytes
    }

    /// Removes the record from the queue.
    #[inline]
    pub fn release(self) {
        let consumer = self.consumer;
        consumer.read += words_of(self.len);
        consumer.memory.words()[head::TAKEN].store(consumer.read, Ordering::Relaxed);
        if consumer.read - consumer.reported >= consumer.geometry.report {
            consumer.report();
        }
    }
}

impl<M: Memory> fmt::Debug for Record<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("len", &self.len).finish_non_exhaustive()
    }
}

impl<M: Memory> Drop for Consumer<M> {
    fn drop(&mut self) {
        layout::leave(&self.memory.words()[head::CONSUMER], self.held);
        self.wake();
    }
}

impl<M: Memory> fmt::Debug for Consumer<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer").field("position", &self.read).finish_non_exhaustive()
    }
}
