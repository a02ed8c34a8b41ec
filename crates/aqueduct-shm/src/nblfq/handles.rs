//! The handles of both sides. Neither has anything of its own in the memory.

use core::fmt;
use core::time::Duration;

use super::Queue;
use crate::bell;
use crate::cells::{Side, Stuck, bells_of};
use crate::error::{PopError, PushError};
use crate::layout::Memory;
use crate::pod::{self, Pod};

/// A producer's handle. A clone is another one.
#[derive(Clone)]
pub struct Producer<T, M>(pub(super) Queue<T, M>);

/// A consumer's handle. A clone is another one.
#[derive(Clone)]
pub struct Consumer<T, M>(pub(super) Queue<T, M>);

impl<T: Pod, M: Memory> Queue<T, M> {
    /// Sleeps while the side has to wait, until the other side wakes it.
    fn sleep(&self, side: Side, timeout: Duration) {
        if self.ring().waits(side) {
            let [asleep, _] = bells_of(side).map(|word| &self.memory.words()[word]);
            bell::wait_among_others(asleep, timeout, || !self.ring().waits(side));
        }
    }

    /// Makes the other side signal this one's events, unless this one need not wait. Returns whether it will.
    fn arm(&self, side: Side) -> bool {
        let [_, armed] = bells_of(side).map(|word| &self.memory.words()[word]);
        self.ring().waits(side) && bell::arm_among_others(armed, || !self.ring().waits(side))
    }

    /// Wakes the handles of a side that sleep, and signals the events of those that are armed.
    #[inline(always)]
    fn wake(&self, side: Side) {
        let [asleep, armed] = bells_of(side).map(|word| &self.memory.words()[word]);
        bell::ring_all(asleep, armed, || self.memory.signal());
    }
}

impl<T: Pod, M: Memory> Producer<T, M> {
    /// Pushes an item.
    ///
    /// If this process is killed before it takes place, nothing happened.
    ///
    /// # Errors
    /// [`PushError`] gives it back.
    #[inline]
    pub fn push(&self, item: T) -> Result<(), PushError<T>> {
        self.0.ring().exchange(Side::Producer, pod::to_bits(&item)).map(drop).map_err(|why| match why {
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
        self.0.ring().waits(Side::Producer)
    }

    /// Wakes the consumers that sleep in [`Consumer::wait`], and signals the events of those that are
    /// [armed](Consumer::arm): all of them.
    #[inline(always)]
    pub fn wake(&self) {
        self.0.wake(Side::Consumer);
    }

    /// Sleeps while the queue is full, until a consumer wakes this side, and not for longer than `timeout`.
    ///
    /// It may return earlier. Without an operating system, it polls once.
    pub fn wait(&self, timeout: Duration) {
        self.0.sleep(Side::Producer, timeout);
    }

    /// Asks the consumers to signal the producers' events when one of them wakes the producers the next time. Returns
    /// whether one will: `false` means that there is room.
    ///
    /// Take the last signal before this, and push again if it returns `false`.
    #[must_use = "nothing is signalled for room that is already there"]
    pub fn arm(&self) -> bool {
        self.0.arm(Side::Producer)
    }
}

impl<T: Pod, M: Memory> Consumer<T, M> {
    /// Pops an item.
    ///
    /// The queue gives it to nobody a second time: if this process is killed, the item is lost with it.
    ///
    /// # Errors
    /// [`PopError`] says why there is none.
    #[inline]
    pub fn pop(&self) -> Result<T, PopError> {
        match self.0.ring().exchange(Side::Consumer, 0) {
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

    /// Wakes the producers that sleep in [`Producer::wait`], and signals the events of those that are
    /// [armed](Producer::arm): all of them.
    #[inline(always)]
    pub fn wake(&self) {
        self.0.wake(Side::Producer);
    }

    /// Sleeps while the queue is empty, until a producer wakes this side, and not for longer than `timeout`.
    ///
    /// It may return earlier. Without an operating system, it polls once.
    pub fn wait(&self, timeout: Duration) {
        self.0.sleep(Side::Consumer, timeout);
    }

    /// Asks the producers to signal the consumers' events when one of them wakes the consumers the next time. Returns
    /// whether one will: `false` means that there is an item.
    ///
    /// Take the last signal before this, and pop if it returns `false`.
    #[must_use = "nothing is signalled for what is already there"]
    pub fn arm(&self) -> bool {
        self.0.arm(Side::Consumer)
    }
}

macro_rules! both {
    ($($handle:ident)*) => {$(
        impl<T: Pod, M: Memory> $handle<T, M> {
            /// Returns how many items are in the queue, exact while no operation is in progress. It takes time in
            /// proportion to the capacity.
            pub fn len(&self) -> usize {
                self.0.ring().len()
            }

            /// Whether the queue is empty.
            pub fn is_empty(&self) -> bool {
                self.0.ring().waits(Side::Consumer)
            }

            /// Returns how many items fit into the queue, at least.
            pub fn capacity(&self) -> usize {
                self.0.capacity()
            }

            /// Returns the memory.
            pub fn memory(&self) -> &M {
                self.0.memory()
            }
        }

        impl<T, M> fmt::Debug for $handle<T, M> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($handle)).finish_non_exhaustive()
            }
        }
    )*};
}

both! { Producer Consumer }
