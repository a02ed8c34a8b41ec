//! A producer's handle.

use core::fmt;
use core::marker::PhantomData;
use core::time::Duration;

use crate::cells::{Geometry, Seat, Side, Stuck};
use crate::error::{ClaimError, PushError};
use crate::layout::{Claim, Memory, Peer};
use crate::pod::{self, Pod, words_of};

/// A producer's handle.
pub struct Producer<T, M: Memory> {
    seat: Seat<M, 1>,
    _items: PhantomData<fn(T)>,
}

impl<T: Pod, M: Memory> Producer<T, M> {
    pub(super) fn new(memory: M, geometry: Geometry, place: u64, claim: Claim) -> Result<Self, ClaimError> {
        Ok(Self { seat: Seat::new(memory, geometry, Side::Producer, place, claim)?, _items: PhantomData })
    }

    /// Pushes an item.
    ///
    /// If this process is killed before it takes place, nothing happened.
    ///
    /// # Errors
    /// [`PushError`] gives it back.
    #[inline]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        let pushed = self.seat.exchange(|seat| pod::put(seat.item(words_of::<T>()), &item));
        pushed.map_err(|why| match why {
            Stuck::Waits => PushError::Full(item),
            Stuck::Damaged => PushError::Damaged(item),
            Stuck::Contended => PushError::Contended(item),
        })
    }

    /// Pushes the first items of a slice, until the queue is full. Returns their number.
    ///
    /// Each of them takes place by itself: items of other producers may come between.
    pub fn push_slice(&mut self, items: &[T]) -> usize {
        items.iter().take_while(|item| self.push(**item).is_ok()).count()
    }

    /// Returns how many items fit into the queue, at least.
    pub fn capacity(&self) -> usize {
        self.seat.geometry().capacity()
    }

    /// Returns about how many items are in the queue: exact while no operation is in progress, but for what dead
    /// processes did last.
    pub fn len(&self) -> usize {
        self.seat.len()
    }

    /// Whether [`len`](Self::len) is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the queue is full.
    pub fn is_full(&self) -> bool {
        self.seat.waits()
    }

    /// Wakes the consumers that sleep in [`Consumer::wait`](super::Consumer::wait), and signals the events of those
    /// that are [armed](super::Consumer::arm): all of them.
    #[inline(always)]
    pub fn wake(&self) {
        self.seat.wake();
    }

    /// Sleeps while the queue is full, until a consumer wakes this side, and not for longer than `timeout`.
    ///
    /// It may return earlier. Without an operating system, it polls once.
    pub fn wait(&mut self, timeout: Duration) {
        self.sleep(timeout, false);
    }

    /// Sleeps as [`wait`](Self::wait) does, and not at all while the other side has [left](Peer::Left).
    pub fn wait_unless_left(&mut self, timeout: Duration) {
        self.sleep(timeout, true);
    }

    fn sleep(&self, timeout: Duration, unless_left: bool) {
        if self.is_full() {
            self.seat.sleep(timeout, unless_left);
        }
    }

    /// Asks the consumers to signal the producers' events when one of them wakes the producers the next time. Returns
    /// whether one will: `false` means that there is room.
    ///
    /// Take the last signal before this, and push again if it returns `false`.
    #[must_use = "nothing is signalled for room that is already there"]
    pub fn arm(&mut self) -> bool {
        self.is_full() && self.seat.arm()
    }

    /// Returns what is known about the consumers.
    pub fn peer(&self) -> Peer {
        self.seat.peer()
    }

    /// Returns the number of its place among those of producers.
    pub fn place(&self) -> usize {
        self.seat.place()
    }

    /// Returns the memory.
    pub fn memory(&self) -> &M {
        self.seat.memory()
    }
}

impl<T, M: Memory> fmt::Debug for Producer<T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("place", &self.seat.place()).finish_non_exhaustive()
    }
}
