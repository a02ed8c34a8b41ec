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
    /// If this process is killed before its compare-exchange, nothing has happened.
    ///
    /// # Errors
    /// [`PushError`] gives the item back: the queue is full, damaged or contended.
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
    /// Each item is pushed by a compare-exchange of its own: items of other producers may lie in
    /// between.
    pub fn push_slice(&mut self, items: &[T]) -> usize {
        items.iter().take_while(|item| self.push(**item).is_ok()).count()
    }

    /// Returns how many items fit into the queue, at least.
    pub fn capacity(&self) -> usize {
        self.seat.geometry().capacity()
    }

    /// Returns the approximate number of items in the queue. It is exact while no operation is in
    /// progress and no process was killed in one.
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

    /// Wakes the consumers that sleep in [`Consumer::wait`](super::Consumer::wait), and signals the
    /// events of those that are [armed](super::Consumer::arm): all of them.
    #[inline(always)]
    pub fn wake(&self) {
        self.seat.wake();
    }

    /// Sleeps while the queue is full, until a consumer wakes this side, and not for longer than
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
        if self.is_full() {
            self.seat.sleep(timeout, unless_left);
        }
    }

    /// Arms the producers' events: a consumer signals them at its next wake. Returns whether they
    /// are armed: `false` means that there is room.
    ///
    /// Clear the event before this call, and push again if it returns `false`.
    #[must_use = "nothing is signalled for room that is already there"]
    pub fn arm(&mut self) -> bool {
        self.is_full() && self.seat.arm()
    }

    /// Returns the state of the consumers, as far as it is known.
    pub fn peer(&self) -> Peer {
        self.seat.peer()
    }

    /// Returns the number of this handle's place among the producers' places.
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
