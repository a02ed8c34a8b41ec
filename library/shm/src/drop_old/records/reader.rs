//! A reader's handle.

use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use super::geometry::{ATTEMPTS, BEFORE, Geometry, LIMIT, words_of};
use crate::bell;
use crate::bytes;
use crate::error::{ClaimError, PopError};
use crate::layout::{Memory, Peer, head};
use crate::peer;
use crate::sync::{Ordering, fence};

/// A reader's handle.
pub struct Reader<M: Memory> {
    memory: M,
    geometry: Geometry,
    /// Position of the next record to read. It may be overwritten.
    next: u64,
    /// Position behind the last record, as last read. It may be old.
    end: u64,
    /// Number of the next record, if no record was overwritten before it was read.
    number: u64,
    /// Number of records that were overwritten before this reader read them.
    lost: u64,
}

impl<M: Memory> Reader<M> {
    pub(crate) fn new(memory: M, geometry: Geometry) -> Result<Self, ClaimError> {
        crate::sync::prepare();
        let mut reader = Self { memory, geometry, next: 0, end: 0, number: 0, lost: 0 };
        match reader.find_first() {
            Ok(()) | Err(PopError::Empty) => Ok(reader),
            Err(PopError::Contended) => Err(ClaimError::Contended),
            Err(_) => Err(ClaimError::Damaged),
        }
    }

    /// Moves to the oldest record, or to the newest one if the producer overtakes this reader
    /// there.
    fn find_first(&mut self) -> Result<(), PopError> {
        for attempt in 0..ATTEMPTS {
            self.begin(attempt)?;
            let record = self.geometry.record(self.geometry.ring(self.memory.words()), self.next);
            if !self.is_overwritten() {
                self.number = record.ok_or(PopError::Damaged)?.1;
                return Ok(());
            }
        }
        Err(PopError::Contended)
    }

    /// Moves to the oldest record, and to the newest one in later attempts.
    fn begin(&mut self, attempt: u32) -> Result<(), PopError> {
        // Ordering: Acquire pairs with the releases of the producer: its state is seen as it was
        // then, or later. Without it, `end` may be before the record, which would be taken for
        // damage.
        let [oldest, newest] = [head::OLDEST, head::LAST].map(|word| self.memory.words()[word].load(Ordering::Acquire));
        // `last` is old if the producer was stopped just before its last store.
        self.look(if attempt == 0 { oldest } else { newest.max(oldest) })
    }

    /// Reads the end of the queue, for a reader whose next record is at this position.
    #[inline(always)]
    fn look(&mut self, next: u64) -> Result<(), PopError> {
        // Ordering: Acquire pairs with the release of the producer: the words of all records are
        // seen with it.
        let end = self.memory.words()[head::END].load(Ordering::Acquire);
        if end > LIMIT || end < next {
            return Err(PopError::Damaged);
        }
        (self.next, self.end) = (next, end);
        if end == next { Err(PopError::Empty) } else { Ok(()) }
    }

    /// Whether the producer has given up the next record. If so, words that were read of it before
    /// may be those of other records.
    #[inline(always)]
    fn is_overwritten(&self) -> bool {
        // Ordering: Acquire pairs with the release of the producer's fence. Without it, this reader
        // may take words of several records for those of one.
        fence(Ordering::Acquire);
        self.memory.words()[head::OLDEST].load(Ordering::Relaxed) > self.next
    }

    /// Reads the next record, or the oldest one that is left if the producer has overwritten it,
    /// into the first bytes of `buffer`. Returns its length.
    ///
    /// # Errors
    /// [`Empty`](PopError::Empty), [`Damaged`](PopError::Damaged),
    /// [`Contended`](PopError::Contended) if the producer overtook the reader in each attempt, or
    /// [`TooLong`](PopError::TooLong) if the record is longer than the buffer: it stays the next
    /// one until it is overwritten.
    #[inline]
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, PopError> {
        for attempt in 0..ATTEMPTS {
            if self.next == self.end {
                self.look(self.next)?;
            }
            let (geometry, ring) = (&self.geometry, self.geometry.ring(self.memory.words()));
            let record = geometry.record(ring, self.next);
            if let Some(bytes) = record.and_then(|(len, _)| buffer.get_mut(..len)) {
                bytes::copy_while_written(ring, geometry.index(self.next + BEFORE), bytes);
            }
            if self.is_overwritten() {
                let overwritten = self.next;
                // A queue that has overwritten a record is not empty.
                self.begin(attempt).map_err(|_| PopError::Damaged)?;
                if self.next <= overwritten {
                    return Err(PopError::Damaged);
                }
                continue;
            }
            let (len, number) = record.ok_or(PopError::Damaged)?;
            let behind = self.next + words_of(len);
            let passed_over = number.checked_sub(self.number).filter(|_| behind <= self.end);
            let passed_over = passed_over.ok_or(PopError::Damaged)?;
            if len > buffer.len() {
                return Err(PopError::TooLong { len });
            }
            self.lost += passed_over;
            (self.next, self.number) = (behind, number + 1);
            return Ok(len);
        }
        Err(PopError::Contended)
    }

    /// Reads the next record, or the oldest one that is left, into a new vector.
    ///
    /// # Errors
    /// Those of [`read`](Self::read), except [`TooLong`](PopError::TooLong).
    pub fn read_vec(&mut self) -> Result<Vec<u8>, PopError> {
        let mut bytes = Vec::new();
        let mut read = self.read(&mut bytes);
        // While the vector grows, a longer record may replace this one. The second time, any record
        // fits.
        for is_second in [false, true] {
            let Err(PopError::TooLong { len }) = read else { break };
            bytes.resize(if is_second { self.max_len() } else { len }, 0);
            read = self.read(&mut bytes);
        }
        bytes.truncate(read?);
        Ok(bytes)
    }

    /// Returns how many records were overwritten before this reader read them, since it was made.
    ///
    /// They are counted when a record behind them is read.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Returns the length of the longest record.
    pub fn max_len(&self) -> usize {
        self.geometry.max_len()
    }

    /// Whether this reader has read all records.
    pub fn is_empty(&self) -> bool {
        // Ordering: Relaxed, a hint: a read looks again. The fences of `bell` order it in `wait`
        // and `arm`.
        self.memory.words()[head::END].load(Ordering::Relaxed) == self.next
    }

    /// Sleeps while there is no record, until the producer wakes the readers, and not for longer
    /// than `timeout`.
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

    fn sleep(&self, timeout: Duration, unless_left: bool) {
        if self.is_empty() {
            let words = self.memory.words();
            bell::wait_among_others(&words[head::CONSUMER_SLEEPS], timeout, || {
                !self.is_empty() || unless_left && peer::one_has_left(words, head::PRODUCER)
            });
        }
    }

    /// Arms the readers' events: the producer signals them at its next wake. Returns whether they
    /// are armed: `false` means that there is a record.
    ///
    /// Clear the event before this call, and read if it returns `false`.
    #[must_use = "nothing is signalled for items that are already there"]
    pub fn arm(&mut self) -> bool {
        self.is_empty() && bell::arm_among_others(&self.memory.words()[head::CONSUMERS_ARMED], || !self.is_empty())
    }

    /// Returns the memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Returns the producer's state, as far as it is known. In a region, whether its process lives
    /// is known to readers that `take_reader` made.
    pub fn peer(&self) -> Peer {
        peer::of_one(&self.memory, head::PRODUCER)
    }
}

impl<M: Memory> fmt::Debug for Reader<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("position", &self.next).field("lost", &self.lost).finish_non_exhaustive()
    }
}
