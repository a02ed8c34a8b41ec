//! Lanes, one sub-queue for each producer, and the consumer of all lanes. Their page is
//! [`mpsc`](crate::mpsc).

use alloc::vec::Vec;
use core::fmt;
use core::time::Duration;

use crate::bell;
use crate::error::{PopError, PushError};
use crate::items;
use crate::layout::{Memory, Peer, head};
use crate::peer;
use crate::pod::Pod;
use crate::sync::Word;

/// Number of items that the consumer takes from a lane before it turns to the next one.
const RUN: u32 = 16;

/// A producer's handle: a lane of its own.
pub struct Producer<T, M: Memory, B: Memory> {
    lane: items::Producer<T, M>,
    bell: B,
}

impl<T: Pod, M: Memory, B: Memory> Producer<T, M, B> {
    /// Makes a producer that pushes into `lane`. `bell` is the memory on whose futex the consumer
    /// sleeps: that of any queue.
    pub fn new(lane: items::Producer<T, M>, bell: B) -> Self {
        Self { lane, bell }
    }

    /// Pushes an item.
    ///
    /// # Errors
    /// [`PushError`] gives the item back: the lane is full, or damaged.
    #[inline(always)]
    pub fn push(&mut self, item: T) -> Result<(), PushError<T>> {
        self.lane.push(item)
    }

    /// Pushes the first items of a slice, until the queue is full. Returns their number.
    pub fn push_slice(&mut self, items: &[T]) -> usize {
        self.lane.push_slice(items)
    }

    /// Sleeps while the lane is full, until the consumer wakes this side, and not for longer than
    /// `timeout`.
    pub fn wait(&mut self, timeout: Duration) {
        self.lane.wait(timeout);
    }

    /// Sleeps as [`wait`](Self::wait) does, and not at all while the consumer has
    /// [left](Peer::Left).
    pub fn wait_unless_left(&mut self, timeout: Duration) {
        self.lane.wait_unless_left(timeout);
    }

    /// Returns the consumer's state, as far as it is known.
    pub fn peer(&self) -> Peer {
        self.lane.peer()
    }

    /// Returns the lane.
    pub fn lane(&self) -> &items::Producer<T, M> {
        &self.lane
    }
}

impl<T, M: Memory, B: Memory> Producer<T, M, B> {
    /// Wakes the consumer if it sleeps, and signals its event if it is [armed](Consumer::arm).
    #[inline(always)]
    pub fn wake(&self) {
        bell::ring(&self.bell.words()[head::CONSUMER_SLEEPS], || self.lane.memory().signal());
    }
}

impl<T, M: Memory, B: Memory> Drop for Producer<T, M, B> {
    fn drop(&mut self) {
        // The consumer sleeps on `bell`, and the lane's drop would wake the lane's own word.
        self.lane.leave();
        self.wake();
    }
}

impl<T, M: Memory, B: Memory> fmt::Debug for Producer<T, M, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Producer").field("lane", &self.lane).finish_non_exhaustive()
    }
}

/// The consumer's handle, which pops from all lanes.
pub struct Consumer<T, M: Memory, B: Memory> {
    lanes: Vec<items::Consumer<T, M>>,
    bell: B,
    /// Lane that the next pop tries first, and how many items were popped from it in a row.
    next: usize,
    run: u32,
}

impl<T: Pod, M: Memory, B: Memory> Consumer<T, M, B> {
    /// Makes a consumer of all lanes. `bell` is the memory on whose futex it sleeps: the one of all
    /// producers.
    pub fn new(lanes: impl IntoIterator<Item = items::Consumer<T, M>>, bell: B) -> Self {
        Self { lanes: lanes.into_iter().collect(), bell, next: 0, run: 0 }
    }

    /// Turns to the next lane.
    #[inline]
    fn turn_to_next(&mut self) {
        self.run = 0;
        self.next += 1;
        if self.next >= self.lanes.len() {
            self.next = 0;
        }
    }

    /// Pops an item, which is delivered at most once.
    ///
    /// # Errors
    /// [`Empty`](PopError::Empty), or [`Damaged`](PopError::Damaged) if a lane is damaged and no
    /// other one has an item.
    #[inline]
    pub fn pop(&mut self) -> Result<T, PopError> {
        let item = self.find(items::Consumer::pop)?;
        self.run += 1;
        Ok(item)
    }

    /// Returns the next item, which stays in its lane until [`release`](Self::release): each call
    /// returns the same one.
    ///
    /// If this process is killed before that, its successor gets the item again.
    ///
    /// # Errors
    /// Those of [`pop`](Self::pop).
    #[inline]
    pub fn peek(&mut self) -> Result<T, PopError> {
        self.find(items::Consumer::peek)
    }

    /// Removes the item that [`peek`](Self::peek) returned. Returns whether there was one.
    #[inline]
    pub fn release(&mut self) -> bool {
        let was_there = self.lanes[self.next].release();
        self.run += u32::from(was_there);
        was_there
    }

    /// Takes an item from the first lane that has one, in a round from `next` on. `next` is that
    /// lane afterwards.
    #[inline(always)]
    fn find(&mut self, take: impl Fn(&mut items::Consumer<T, M>) -> Result<T, PopError>) -> Result<T, PopError> {
        let mut found = PopError::Empty;
        if self.run >= RUN {
            self.turn_to_next();
        }
        for _ in 0..self.lanes.len() {
            match take(&mut self.lanes[self.next]) {
                Ok(item) => return Ok(item),
                Err(PopError::Empty) => {}
                Err(why) => found = why,
            }
            self.turn_to_next();
        }
        Err(found)
    }

    /// Pops items to the start of a slice. Returns their number.
    pub fn pop_slice(&mut self, items: &mut [T]) -> usize {
        let mut count = 0;
        for _ in 0..self.lanes.len() {
            count += self.lanes[self.next].pop_slice(&mut items[count..]);
            // The next call starts with another lane.
            self.turn_to_next();
            if count == items.len() {
                break;
            }
        }
        count
    }

    /// Whether no lane has an item.
    pub fn is_empty(&mut self) -> bool {
        self.lanes.iter_mut().all(items::Consumer::is_empty)
    }

    /// Sleeps while all lanes are empty, until a producer wakes this side, and not for longer than
    /// `timeout`.
    pub fn wait(&mut self, timeout: Duration) {
        self.sleep(timeout, false);
    }

    /// Sleeps as [`wait`](Self::wait) does, and not at all while the producers have
    /// [left](Peer::Left).
    pub fn wait_unless_left(&mut self, timeout: Duration) {
        self.sleep(timeout, true);
    }

    fn sleep(&mut self, timeout: Duration, unless_left: bool) {
        if self.is_empty() {
            let Self { lanes, bell, .. } = self;
            bell::wait(&bell.words()[head::CONSUMER_SLEEPS], timeout, || {
                lanes.iter_mut().any(|lane| !lane.is_empty()) || unless_left && peer::has_left(producers(lanes))
            });
        }
    }

    /// Returns the state of the producers, as far as it is known.
    pub fn peer(&self) -> Peer {
        let ask = |lane: &items::Consumer<T, M>| lane.memory().peer(peer::recorded_by(lane.producer()));
        peer::of(|| producers(&self.lanes), |_| self.lanes.iter().map(ask).fold(Peer::Absent, peer::combined))
    }

    /// Arms this side's event: a producer signals it at its next wake. Returns whether it is armed:
    /// `false` means that a lane has an item.
    ///
    /// Clear the event before this call, and pop all items if it returns `false`.
    #[must_use = "nothing is signalled for items that are already there"]
    pub fn arm(&mut self) -> bool {
        self.is_empty() && {
            let Self { lanes, bell, .. } = self;
            bell::arm(&bell.words()[head::CONSUMER_SLEEPS], || lanes.iter_mut().any(|lane| !lane.is_empty()))
        }
    }

    /// Wakes each producer that sleeps.
    pub fn wake(&self) {
        self.lanes.iter().for_each(items::Consumer::wake);
    }

    /// Returns the lanes.
    pub fn lanes(&self) -> &[items::Consumer<T, M>] {
        &self.lanes
    }
}

/// The words of the lanes' producers.
fn producers<T: Pod, M: Memory>(lanes: &[items::Consumer<T, M>]) -> impl Iterator<Item = &Word> {
    lanes.iter().map(items::Consumer::producer)
}

impl<T, M: Memory, B: Memory> fmt::Debug for Consumer<T, M, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer").field("lanes", &self.lanes).finish_non_exhaustive()
    }
}
