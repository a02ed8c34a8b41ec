//! The handles of both sides. They have no places in the memory, but are counted there.

use core::fmt;
use core::time::Duration;

use super::Queue;
use crate::bell;
use crate::cells::{Side, Stuck, bells_of};
use crate::error::{PopError, PushError};
use crate::layout::{Memory, Peer, head};
use crate::peer;
use crate::pod::{self, Pod};
use crate::sync::{Ordering, Word};

/// A producer's handle. A clone is another producer.
pub struct Producer<T, M: Memory>(Handle<T, M>);

/// A consumer's handle. A clone is another consumer.
pub struct Consumer<T, M: Memory>(Handle<T, M>);

/// A handle of a side, which is counted in the memory until it is dropped.
struct Handle<T, M: Memory> {
    queue: Queue<T, M>,
    side: Side,
    /// True if the kernel has a lock for the handle, so that its death is found.
    is_kept: bool,
}

impl<T, M: Memory> Handle<T, M> {
    fn new(queue: Queue<T, M>, side: Side, is_kept: bool) -> Self {
        let handle = Self { queue, side, is_kept };
        // Ordering: Relaxed. The count publishes nothing but that a handle was made.
        handle.count().fetch_add(ONE_MORE_HANDLE, Ordering::Relaxed);
        handle
    }

    /// The word that counts the handles of this side and kind.
    fn count(&self) -> &Word {
        let [kept, others] = self.queue.counts(self.side);
        if self.is_kept { kept } else { others }
    }

    /// The state of the other side, as far as it is known.
    fn peer(&self) -> Peer {
        let counts = || self.queue.counts(self.side.other());
        peer::of(
            || counts().into_iter(),
            |_| {
                let [kept, others] = counts().map(peer::recorded_by);
                peer::combined(self.queue.memory().peer(kept), others)
            },
        )
    }

    /// Sleeps while this side has to wait, until the other side wakes it.
    fn sleep(&self, timeout: Duration, unless_left: bool)
    where
        T: Pod,
    {
        let (queue, side) = (&self.queue, self.side);
        if queue.ring().waits(side) {
            let [asleep, _] = queue.bells(side);
            bell::wait_among_others(asleep, timeout, || {
                !queue.ring().waits(side) || unless_left && peer::has_left(queue.counts(side.other()).into_iter())
            });
        }
    }

    /// Arms this side's events, unless this side need not wait. Returns whether they are armed.
    fn arm(&self) -> bool
    where
        T: Pod,
    {
        let (queue, side) = (&self.queue, self.side);
        let [_, armed] = queue.bells(side);
        queue.ring().waits(side) && bell::arm_among_others(armed, || !queue.ring().waits(side))
    }

    /// Wakes the handles of the other side that sleep, and signals the events of those that are
    /// armed.
    #[inline(always)]
    fn wake(&self) {
        let [asleep, armed] = self.queue.bells(self.side.other());
        bell::ring_all(asleep, armed, || self.queue.memory().signal());
    }
}

/// Increment of a count for a new handle: 1 in the low half ([`OWNER`](crate::layout::OWNER)), the
/// handles that are live, and 1 in the high half, those ever made.
const ONE_MORE_HANDLE: u64 = 1 << 32 | 1;

impl<T, M: Memory> Drop for Handle<T, M> {
    fn drop(&mut self) {
        // Ordering: Release pairs with the acquire of `peer::of`: a side that sees that all have
        // left sees all their operations.
        self.count().fetch_sub(1, Ordering::Release);
        self.wake();
    }
}

impl<T, M: Memory + Clone> Clone for Handle<T, M> {
    fn clone(&self) -> Self {
        Self::new(self.queue.clone(), self.side, self.is_kept)
    }
}

impl<T: Pod, M: Memory> Queue<T, M> {
    /// Makes a producer's handle.
    pub fn producer(&self) -> Producer<T, M>
    where
        M: Clone,
    {
        self.producer_in(self.memory.clone(), false)
    }

    /// Makes a consumer's handle.
    pub fn consumer(&self) -> Consumer<T, M>
    where
        M: Clone,
    {
        self.consumer_in(self.memory.clone(), false)
    }

    /// Makes a producer's handle. `memory` may be another handle of the queue's memory. `is_kept`
    /// is true if the kernel has a lock for the handle.
    pub(crate) fn producer_in<N: Memory>(&self, memory: N, is_kept: bool) -> Producer<T, N> {
        Producer::of(Queue::of(memory, self.geometry), is_kept)
    }

    /// Makes a consumer's handle. `memory` may be another handle of the queue's memory. `is_kept`
    /// is true if the kernel has a lock for the handle.
    pub(crate) fn consumer_in<N: Memory>(&self, memory: N, is_kept: bool) -> Consumer<T, N> {
        Consumer::of(Queue::of(memory, self.geometry), is_kept)
    }
}

impl<T, M: Memory> Queue<T, M> {
    /// The words that count a side's handles: those that hold a lock of the kernel, and the others.
    fn counts(&self, side: Side) -> [&Word; 2] {
        let first = match side {
            Side::Producer => head::PRODUCERS_HERE,
            Side::Consumer => head::CONSUMERS_HERE,
        };
        [first, first + 1].map(|word| &self.memory().words()[word])
    }

    /// The word on which handles of a side sleep, and the word in which they arm their events.
    #[inline(always)]
    fn bells(&self, side: Side) -> [&Word; 2] {
        bells_of(side).map(|word| &self.memory().words()[word])
    }
}

impl<T: Pod, M: Memory> Producer<T, M> {
    /// Pushes an item.
    ///
    /// If this process is killed before its compare-exchange, nothing has happened.
    ///
    /// # Errors
    /// [`PushError`] gives the item back: the queue is full, damaged or contended.
    #[inline]
    pub fn push(&self, item: T) -> Result<(), PushError<T>> {
        self.0.queue.ring().exchange(Side::Producer, pod::to_bits(&item)).map(drop).map_err(|why| match why {
            Stuck::Waits => PushError::Full(item),
            Stuck::Damaged => PushError::Damaged(item),
            Stuck::Contended => PushError::Contended(item),
        })
    }

    /// Pushes the first items of a slice one by one, until the queue is full. Returns their number.
    pub fn push_slice(&self, items: &[T]) -> usize {
        items.iter().take_while(|item| self.push(**item).is_ok()).count()
    }

    /// Whether the queue is full.
    pub fn is_full(&self) -> bool {
        self.0.queue.ring().waits(Side::Producer)
    }

    /// Wakes the consumers that sleep in [`Consumer::wait`], and signals the events of those that
    /// are [armed](Consumer::arm): all of them.
    #[inline(always)]
    pub fn wake(&self) {
        self.0.wake();
    }

    /// Sleeps while the queue is full, until a consumer wakes this side, and not for longer than
    /// `timeout`.
    ///
    /// It may return earlier. Without an operating system, it polls once.
    pub fn wait(&self, timeout: Duration) {
        self.0.sleep(timeout, false);
    }

    /// Arms the producers' events: a consumer signals them at its next wake. Returns whether they
    /// are armed: `false` means that there is room.
    ///
    /// Clear the event before this call, and push again if it returns `false`.
    #[must_use = "nothing is signalled for room that is already there"]
    pub fn arm(&self) -> bool {
        self.0.arm()
    }
}

impl<T: Pod, M: Memory> Consumer<T, M> {
    /// Pops an item.
    ///
    /// The item is delivered at most once: if this process is killed, it is lost with the process.
    ///
    /// # Errors
    /// [`Empty`](PopError::Empty), [`Damaged`](PopError::Damaged), or
    /// [`Contended`](PopError::Contended).
    #[inline]
    pub fn pop(&self) -> Result<T, PopError> {
        match self.0.queue.ring().exchange(Side::Consumer, 0) {
            Ok(bits) => Ok(pod::of_bits(bits)),
            Err(Stuck::Waits) => Err(PopError::Empty),
            Err(Stuck::Damaged) => Err(PopError::Damaged),
            Err(Stuck::Contended) => Err(PopError::Contended),
        }
    }

    /// Pops items one by one to the start of a slice. Returns their number.
    pub fn pop_slice(&self, items: &mut [T]) -> usize {
        items.iter_mut().map_while(|item| self.pop().ok().map(|popped| *item = popped)).count()
    }

    /// Wakes the producers that sleep in [`Producer::wait`], and signals the events of those that
    /// are [armed](Producer::arm): all of them.
    #[inline(always)]
    pub fn wake(&self) {
        self.0.wake();
    }

    /// Sleeps while the queue is empty, until a producer wakes this side, and not for longer than
    /// `timeout`.
    ///
    /// It may return earlier. Without an operating system, it polls once.
    pub fn wait(&self, timeout: Duration) {
        self.0.sleep(timeout, false);
    }

    /// Arms the consumers' events: a producer signals them at its next wake. Returns whether they
    /// are armed: `false` means that there is an item.
    ///
    /// Clear the event before this call, and pop if it returns `false`.
    #[must_use = "nothing is signalled for items that are already there"]
    pub fn arm(&self) -> bool {
        self.0.arm()
    }
}

macro_rules! both {
    ($($handle:ident)*) => {$(
        impl<T: Pod, M: Memory> $handle<T, M> {
            pub(super) fn of(queue: Queue<T, M>, is_kept: bool) -> Self {
                Self(Handle::new(queue, Side::$handle, is_kept))
            }

            /// Sleeps as [`wait`](Self::wait) does, and not at all while the other side has
            /// [left](Peer::Left).
            pub fn wait_unless_left(&self, timeout: Duration) {
                self.0.sleep(timeout, true);
            }

            /// Returns the state of the other side, as far as it is known. In a region, whether a
            /// handle's process lives is known if `take_producer` or `take_consumer` made the
            /// handle.
            pub fn peer(&self) -> Peer {
                self.0.peer()
            }

            /// Returns the number of items in the queue, exact while no operation is in progress.
            /// It takes O(capacity) time.
            pub fn len(&self) -> usize {
                self.0.queue.ring().len()
            }

            /// Whether the queue is empty.
            pub fn is_empty(&self) -> bool {
                self.0.queue.ring().waits(Side::Consumer)
            }

            /// Returns how many items fit into the queue, at least.
            pub fn capacity(&self) -> usize {
                self.0.queue.capacity()
            }

            /// Returns the memory.
            pub fn memory(&self) -> &M {
                self.0.queue.memory()
            }
        }

        impl<T, M: Memory + Clone> Clone for $handle<T, M> {
            fn clone(&self) -> Self {
                Self(self.0.clone())
            }
        }

        impl<T, M: Memory> fmt::Debug for $handle<T, M> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($handle)).finish_non_exhaustive()
            }
        }
    )*};
}

both! { Producer Consumer }
