//! The consumer's side.

use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

use super::geometry::{Geometry, Place};
use crate::bell;
use crate::error::{ClaimError, PopError};
use crate::layout::{self, Claim, Memory, Peer, head};
use crate::peer;
use crate::pod::{self, Pod, words_of};
use crate::sync::{Ordering, Word};

/// The consumer's handle.
pub struct Consumer<T, M: Memory> {
    memory: M,
    /// Value of the side's word while this handle owns the side. `leave` compares it, so that it
    /// does not undo a successor's claim.
    held: u64,
    geometry: Geometry,
    place: Place,
    /// The number of items ever popped.
    read: u64,
    /// Number up to which items are known to be published, within the current unit. It may be old.
    stop: u64,
    /// The position that was reported last.
    reported: u64,
    _items: PhantomData<fn() -> T>,
}

impl<T: Pod, M: Memory> Consumer<T, M> {
    pub(crate) fn new(memory: M, geometry: Geometry, claim: Claim) -> Result<Self, ClaimError> {
        let words = memory.words();
        let held = layout::claim(&words[head::CONSUMER], claim)?;
        let read = words[head::TAKEN].load(Ordering::Relaxed);
        let reported = words[head::REPORTED].load(Ordering::Relaxed);
        let is_sound = reported <= read && read - reported <= geometry.allowance() && read <= u64::MAX / 2;
        if !is_sound {
            layout::leave(&words[head::CONSUMER], held);
            return Err(ClaimError::Damaged);
        }
        let place = geometry.place(read);
        let mut consumer = Self { memory, held, geometry, place, read, stop: read, reported, _items: PhantomData };
        // A dead consumer may have taken items without a report.
        consumer.report();
        Ok(consumer)
    }

    /// Pops an item.
    ///
    /// The item is delivered at most once: if this process is killed, it is lost with the process.
    ///
    /// # Errors
    /// [`Empty`](PopError::Empty), or [`Damaged`](PopError::Damaged).
    #[inline(always)]
    pub fn pop(&mut self) -> Result<T, PopError> {
        let item = self.peek()?;
        self.step();
        self.keep();
        Ok(item)
    }

    /// Pops items to the start of a slice. Returns their number.
    #[inline]
    pub fn pop_slice(&mut self, items: &mut [T]) -> usize {
        let mut count = 0;
        while count < items.len() && (self.read != self.stop || self.look().is_ok()) {
            let run = (items.len() - count).min((self.stop - self.read) as usize);
            let words = words_of::<T>();
            let filled = &self.memory.words()[self.place.slot..][..words * run];
            filled.chunks_exact(words).zip(&mut items[count..]).for_each(|(words, item)| *item = pod::take(words));
            self.place.slot += words * run;
            self.read += run as u64;
            count += run;
            self.keep();
        }
        count
    }

    /// Returns the next item, which stays in the queue until [`release`](Self::release).
    ///
    /// If this process is killed before that, its successor gets the item again.
    ///
    /// # Errors
    /// [`Empty`](PopError::Empty), or [`Damaged`](PopError::Damaged).
    #[inline(always)]
    pub fn peek(&mut self) -> Result<T, PopError> {
        if self.read == self.stop {
            self.look()?;
        }
        Ok(self.get())
    }

    /// Removes the item that [`peek`](Self::peek) returned. Returns whether there was one.
    #[inline(always)]
    pub fn release(&mut self) -> bool {
        if self.read == self.stop {
            return false;
        }
        self.step();
        self.keep();
        true
    }

    /// Reads the next item.
    #[inline(always)]
    fn get(&self) -> T {
        pod::take(&self.memory.words()[self.place.slot..][..words_of::<T>()])
    }

    #[inline(always)]
    fn step(&mut self) {
        self.place.slot += words_of::<T>();
        self.read += 1;
    }

    /// Stores the position for a successor, and reports it after every `Geometry::report` items.
    #[inline(always)]
    fn keep(&mut self) {
        self.memory.words()[head::TAKEN].store(self.read, Ordering::Relaxed);
        if self.read - self.reported >= self.geometry.report {
            self.report();
        }
    }

    #[inline]
    fn report(&mut self) {
        // Ordering: Release pairs with the acquire of `Producer::look`: the items have been read.
        self.memory.words()[head::REPORTED].store(self.read, Ordering::Release);
        self.reported = self.read;
    }

    /// Finds published items in the current unit, or in the next one.
    #[inline]
    fn look(&mut self) -> Result<(), PopError> {
        if self.read == self.place.end {
            self.geometry.enter_next(&mut self.place);
        }
        // Ordering: Acquire pairs with the release of `Producer::publish`: the items are seen with
        // it.
        let stamp = self.memory.words()[self.place.stamp].load(Ordering::Acquire);
        if stamp <= self.read {
            return Err(PopError::Empty);
        }
        if stamp > self.place.end {
            return Err(PopError::Damaged);
        }
        self.stop = stamp;
        Ok(())
    }

    /// Returns how many items fit into the queue, at least.
    pub fn capacity(&self) -> usize {
        self.geometry.capacity()
    }

    /// Returns the number of items that were ever popped, those of earlier consumers included.
    pub fn popped(&self) -> u64 {
        self.read
    }

    /// Whether no item is in the queue.
    pub fn is_empty(&mut self) -> bool {
        self.read == self.stop && self.look().is_err()
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
            bell::wait(&words[head::CONSUMER_SLEEPS], timeout, || {
                words[self.place.stamp].load(Ordering::Relaxed) > self.read
                    || unless_left && peer::one_has_left(words, head::PRODUCER)
            });
        }
    }

    /// Arms this side's event: the producer signals it at its next wake. Returns whether it is
    /// armed: `false` means that the queue has an item.
    ///
    /// Clear the event before this call, and pop all items if it returns `false`. The module
    /// `event` has an example.
    #[must_use = "nothing is signalled for items that are already there"]
    pub fn arm(&mut self) -> bool {
        self.is_empty() && {
            let words = self.memory.words();
            bell::arm(&words[head::CONSUMER_SLEEPS], || words[self.place.stamp].load(Ordering::Relaxed) > self.read)
        }
    }

    /// Returns the memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// The word with the number of the handle that has the producer's side.
    pub(crate) fn producer(&self) -> &Word {
        &self.memory.words()[head::PRODUCER]
    }

    /// Returns the producer's state, as far as it is known.
    pub fn peer(&self) -> Peer {
        peer::of_one(&self.memory, head::PRODUCER)
    }
}

impl<T, M: Memory> Consumer<T, M> {
    /// Wakes the producer if it sleeps in [`Producer::wait`](super::Producer::wait), and signals
    /// its event if it is [armed](super::Producer::arm).
    #[inline(always)]
    pub fn wake(&self) {
        bell::ring(&self.memory.words()[head::PRODUCER_SLEEPS], || self.memory.signal());
    }
}

impl<T, M: Memory> Drop for Consumer<T, M> {
    fn drop(&mut self) {
        layout::leave(&self.memory.words()[head::CONSUMER], self.held);
        self.wake();
    }
}

impl<T, M: Memory> fmt::Debug for Consumer<T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer").field("popped", &self.read).finish_non_exhaustive()
    }
}
