//! A consumer's handle.

use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

use crate::cells::{Geometry, Seat, Side, Stuck};
use crate::error::{ClaimError, PopError};
use crate::layout::{Claim, Memory, Peer};
use crate::pod::{self, Pod, words_of};

/// A consumer's handle.
pub struct Consumer<T, M: Memory> {
    seat: Seat<M, 1>,
    _items: PhantomData<fn() -> T>,
}

impl<T: Pod, M: Memory> Consumer<T, M> {
    pub(super) fn new(memory: M, geometry: Geometry, place: u64, claim: Claim) -> Result<Self, ClaimError> {
        Ok(Self { seat: Seat::new(memory, geometry, Side::Consumer, place, claim)?, _items: PhantomData })
    }

    /// Pops an item. If this consumer, or a dead one in its place, holds an item, that one comes
    /// first.
    ///
    /// The item is delivered at most once: if this process is killed, it is lost with the process.
    ///
    /// # Errors
    /// [`Empty`](PopError::Empty), [`Damaged`](PopError::Damaged), or
    /// [`Contended`](PopError::Contended).
    #[inline]
    pub fn pop(&mut self) -> Result<T, PopError> {
        let item = self.peek()?;
        self.seat.release();
        Ok(item)
    }

    /// Pops items to the start of a slice. Returns their number.
    ///
    /// Each item is popped by a compare-exchange of its own, as in [`pop`](Self::pop).
    pub fn pop_slice(&mut self, items: &mut [T]) -> usize {
        items.iter_mut().map_while(|item| self.pop().ok().map(|popped| *item = popped)).count()
    }

    /// Takes the next item, and holds it until [`release`](Self::release). No other consumer gets
    /// it, and each further call returns it again.
    ///
    /// If this process is killed before the release, or drops this handle, the next consumer in its
    /// place gets the item again.
    ///
    /// # Errors
    /// [`Empty`](PopError::Empty), [`Damaged`](PopError::Damaged), or
    /// [`Contended`](PopError::Contended).
    #[inline]
    pub fn peek(&mut self) -> Result<T, PopError> {
        if !self.seat.holds() {
            self.seat.exchange(|_| {}).map_err(|why| match why {
                Stuck::Waits => PopError::Empty,
                Stuck::Damaged => PopError::Damaged,
                Stuck::Contended => PopError::Contended,
            })?;
        }
        Ok(pod::take(self.seat.item(words_of::<T>())))
    }

    /// Gives up the item that [`peek`](Self::peek) returned. Returns whether there was one.
    #[inline]
    pub fn release(&mut self) -> bool {
        let holds = self.seat.holds();
        if holds {
            self.seat.release();
        }
        holds
    }

    /// Whether this consumer holds an item: its own that is not released, or that of a dead
    /// consumer in its place.
    pub fn holds(&self) -> bool {
        self.seat.holds()
    }

    /// Returns how many items fit into the queue, at least.
    pub fn capacity(&self) -> usize {
        self.seat.geometry().capacity()
    }

    /// Returns the approximate number of items in the queue, without those that consumers hold. It
    /// is exact while no operation is in progress and no process was killed in one.
    pub fn len(&self) -> usize {
        self.seat.len()
    }

    /// Whether there is no item for this consumer: it holds none, and the queue is empty.
    pub fn is_empty(&self) -> bool {
        !self.seat.holds() && self.seat.waits()
    }

    /// Wakes the producers that sleep in [`Producer::wait`](super::Producer::wait), and signals the
    /// events of those that are [armed](super::Producer::arm): all of them.
    #[inline(always)]
    pub fn wake(&self) {
        self.seat.wake();
    }

    /// Sleeps while the queue is empty, until a producer wakes this side, and not for longer than
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

    fn sleep(&self, timeout: Duration, unless_left: bool) {
        if self.is_empty() {
            self.seat.sleep(timeout, unless_left);
        }
    }

    /// Arms the consumers' events: a producer signals them at its next wake. Returns whether they
    /// are armed: `false` means that there is an item for this consumer.
    ///
    /// Clear the event before this call, and pop if it returns `false`.
    #[must_use = "nothing is signalled for items that are already there"]
    pub fn arm(&mut self) -> bool {
        self.is_empty() && self.seat.arm()
    }

    /// Returns the state of the producers, as far as it is known.
    pub fn peer(&self) -> Peer {
        self.seat.peer()
    }

    /// Returns the number of this handle's place among the consumers' places.
    pub fn place(&self) -> usize {
        self.seat.place()
    }

    /// Returns the memory.
    pub fn memory(&self) -> &M {
        self.seat.memory()
    }
}

impl<T, M: Memory> fmt::Debug for Consumer<T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, holds) = (self.seat.place(), self.seat.holds());
        f.debug_struct("Consumer").field("place", &place).field("holds", &holds).finish_non_exhaustive()
    }
}
