//! The producer's side.

use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

use super::geometry::{Geometry, Place};
use crate::bell;
use crate::error::{ClaimError, PushError};
use crate::layout::{self, Claim, Memory, Peer, head};
use crate::peer;
use crate::pod::{self, Pod, words_of};
use crate::sync::Ordering;

/// The producer's handle.
pub struct Producer<T, M: Memory> {
    memory: M,
    /// Value of the side's word while this handle owns the side. `leave` compares it, so that it
    /// does not undo a successor's claim.
    held: u64,
    geometry: Geometry,
    place: Place,
    /// The number of items ever pushed.
    write: u64,
    /// Number up to which this handle may push without a check: the lesser of the unit's end and
    /// `limit`.
    stop: u64,
    /// Number up to which `reported` allows pushes.
    limit: u64,
    /// Position that the consumer reported, as last read. It may be old.
    reported: u64,
    _items: PhantomData<fn(T)>,
}

/// Why a producer cannot push.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stuck {
    Full,
    Damaged,
}

impl<T: Pod, M: Memory> Producer<T, M> {
    pub(crate) fn new(memory: M, geometry: Geometry, claim: Claim) -> Result<Self, ClaimError> {
        let held = layout::claim(&memory.words()[head::PRODUCER], claim)?;
        let Some((write, reported)) = positions(&memory, &geometry) else {
            layout::leave(&memory.words()[head::PRODUCER], held);
            return Err(ClaimError::Damaged);
        };
        let limit = reported + geometry.allowance();
        let place = geometry.place(write);
        Ok(Self { memory, held, geometry, place, write, stop: write, limit, reported, _items: PhantomData })
    }

    /// Pushes an item.
    ///
    /// # Errors
    /// [`PushError`] gives the item back: the queue is full, or damaged.
    #[inline(always)]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        if self.write == self.stop
            && let Err(why) = self.advance()
        {
            return Err(match why {
                Stuck::Full => PushError::Full(item),
                Stuck::Damaged => PushError::Damaged(item),
            });
        }
        self.put(&item);
        self.publish();
        Ok(())
    }

    /// Pushes the first items of a slice, until the queue is full. Returns their number.
    ///
    /// The items of a unit (a cache line) are published together.
    #[inline]
    pub fn push_slice(&mut self, items: &[T]) -> usize {
        let mut left = items;
        while !left.is_empty() {
            if self.write == self.stop && self.advance().is_err() {
                break;
            }
            let count = left.len().min((self.stop - self.write) as usize);
            let (now, later) = left.split_at(count);
            let words = words_of::<T>();
            let run = &self.memory.words()[self.place.slot..][..words * count];
            run.chunks_exact(words).zip(now).for_each(|(words, item)| pod::put(words, item));
            self.place.slot += words * count;
            self.write += count as u64;
            self.publish();
            left = later;
        }
        items.len() - left.len()
    }

    /// Writes an item into the unit, which has room for it.
    #[inline(always)]
    fn put(&mut self, item: &T) {
        let words = words_of::<T>();
        pod::put(&self.memory.words()[self.place.slot..][..words], item);
        self.place.slot += words;
        self.write += 1;
    }

    /// Publishes the written items of the unit.
    #[inline(always)]
    fn publish(&mut self) {
        // Ordering: Release pairs with the acquire of `Consumer::look`; without it, the consumer
        // reads an item that is not written yet.
        self.memory.words()[self.place.stamp].store(self.write, Ordering::Release);
    }

    /// Finds room in the current unit, or in the next one.
    #[inline]
    fn advance(&mut self) -> Result<(), Stuck> {
        if self.write == self.limit {
            self.look()?;
        }
        if self.write == self.place.end {
            self.geometry.enter_next(&mut self.place);
        }
        self.stop = self.limit.min(self.place.end);
        Ok(())
    }

    /// Reads the consumer's report.
    fn look(&mut self) -> Result<(), Stuck> {
        // Ordering: Acquire pairs with the release of `Consumer::report`; without it, writes to the
        // slots may overtake the consumer's reads of older items.
        let reported = self.memory.words()[head::REPORTED].load(Ordering::Acquire);
        if reported == self.reported {
            return Err(Stuck::Full);
        }
        // A sound report only grows, and stays behind the pushed items.
        if reported.wrapping_sub(self.reported) > self.write - self.reported {
            return Err(Stuck::Damaged);
        }
        self.reported = reported;
        self.limit = reported + self.geometry.allowance();
        Ok(())
    }

    /// Returns how many items fit into the queue, at least.
    pub fn capacity(&self) -> usize {
        self.geometry.capacity()
    }

    /// Returns the number of items that were ever pushed, those of earlier producers included.
    pub fn pushed(&self) -> u64 {
        self.write
    }

    /// Returns an upper bound on the number of items in the queue: the consumer may be popping
    /// some.
    pub fn len(&self) -> usize {
        let taken = self.memory.words()[head::TAKEN].load(Ordering::Relaxed);
        (self.write.saturating_sub(taken) as usize).min(self.geometry.allowance() as usize)
    }

    /// Whether no item is in the queue.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sleeps while the queue is full, until the consumer wakes this side, and not for longer than
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
        if self.write == self.limit {
            let words = self.memory.words();
            let known = self.reported;
            bell::wait(&words[head::PRODUCER_SLEEPS], timeout, || {
                words[head::REPORTED].load(Ordering::Relaxed) != known
                    || unless_left && peer::one_has_left(words, head::CONSUMER)
            });
        }
    }

    /// Arms this side's event: the consumer signals it at its next wake. Returns whether it is
    /// armed: `false` means that the consumer has reported progress since the last refused push.
    ///
    /// Clear the event before this call, and push again if it returns `false`.
    #[must_use = "nothing is signalled for room that is already there"]
    pub fn arm(&mut self) -> bool {
        self.write == self.limit && {
            let (words, known) = (self.memory.words(), self.reported);
            bell::arm(&words[head::PRODUCER_SLEEPS], || words[head::REPORTED].load(Ordering::Relaxed) != known)
        }
    }

    /// Returns the consumer's state, as far as it is known.
    pub fn peer(&self) -> Peer {
        peer::of_one(&self.memory, head::CONSUMER)
    }
}

/// Finds the number of items ever pushed, and the consumer's report. `None` if the memory is
/// damaged.
fn positions<M: Memory>(memory: &M, geometry: &Geometry) -> Option<(u64, u64)> {
    let words = memory.words();
    let mut write = 0;
    for unit in 0..geometry.units as usize {
        let at = head::WORDS + unit * geometry.unit;
        let stamp = words[at].load(Ordering::Relaxed);
        if stamp != 0 && geometry.stamp(stamp - 1) != at {
            return None;
        }
        write = stamp.max(write);
    }
    // Ordering: Acquire pairs with the release of `Consumer::report`; without it, writes to the
    // slots may overtake the consumer's reads of older items.
    let reported = words[head::REPORTED].load(Ordering::Acquire);
    let is_sound = reported <= write && write - reported <= geometry.allowance() && write <= u64::MAX / 2;
    is_sound.then_some((write, reported))
}

impl<T, M: Memory> Producer<T, M> {
    /// Returns the memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Wakes the consumer if it sleeps in [`Consumer::wait`](super::Consumer::wait), and signals
    /// its event if it is [armed](super::Consumer::arm).
    #[inline(always)]
    pub fn wake(&self) {
        bell::ring(&self.memory.words()[head::CONSUMER_SLEEPS], || self.memory.signal());
    }

    /// Releases the side, after which the handle must not be used. A second call does nothing.
    pub(crate) fn leave(&self) {
        layout::leave(&self.memory.words()[head::PRODUCER], self.held);
    }
}

impl<T, M: Memory> Drop for Producer<T, M> {
    fn drop(&mut self) {
        self.leave();
        self.wake();
    }
}

impl<T, M: Memory> fmt::Debug for Producer<T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("pushed", &self.write).finish_non_exhaustive()
    }
}
