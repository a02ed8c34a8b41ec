//! Blocking operations: they wait for the other side.

use core::{fmt, hint};
use std::time::{Duration, Instant};

use crate::error::{PopError, PushError, RecordError};
use crate::layout::{Memory, Peer};
use crate::pod::Pod;
use crate::{drop_old, items, mpmc, mpsc, nblfq, records};

/// Number of spins: looks at the queue before a waiting thread sleeps.
const SPINS: u32 = 200;
/// The longest sleep between two checks whether the other side's process lives.
const SLICE: Duration = Duration::from_millis(20);

/// Why a wait ended without success.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WaitError {
    /// The timeout has passed.
    TimedOut,
    /// The other side has no live handle, a process there died, and the queue has nothing left of
    /// it. A successor may take its place.
    Died,
    /// The other side has no handle: each was dropped, and the queue has nothing left of it.
    /// Another process may take that side.
    Left,
    /// The record is longer than the longest that fits, or than the caller's buffer.
    TooLong {
        /// The greatest length that fits.
        longest: usize,
    },
    /// The queue's memory was overwritten by a process that does not keep to the protocol.
    Damaged,
}

impl fmt::Display for WaitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut => f.write_str("the other side did nothing before the timeout"),
            Self::Died => f.write_str("the process of the other side died"),
            Self::Left => f.write_str("the other side has left"),
            Self::TooLong { longest } => write!(f, "the record has more than {longest} bytes"),
            Self::Damaged => {
                f.write_str("the queue's memory was overwritten by a process that does not keep to the protocol")
            }
        }
    }
}

impl core::error::Error for WaitError {}

/// A handle that can wait.
trait Waits {
    fn sleep(&mut self, timeout: Duration);
    fn other(&self) -> Peer;
}

/// Result of an attempt.
enum Attempt<R> {
    Done(Result<R, WaitError>),
    /// The queue is empty, or full.
    Waits,
    /// Other handles overtook it in each attempt: the queue need not be empty, or full.
    Contended,
}

/// Repeats `attempt` until it returns a result, the timeout has passed, or the other side is gone.
fn until<H: Waits, R>(
    handle: &mut H,
    timeout: Duration,
    mut attempt: impl FnMut(&mut H) -> Attempt<R>,
) -> Result<R, WaitError> {
    for _ in 0..SPINS {
        if let Attempt::Done(result) = attempt(handle) {
            return result;
        }
        hint::spin_loop();
    }
    let start = Instant::now();
    loop {
        let left = timeout.saturating_sub(start.elapsed());
        if !left.is_zero() {
            handle.sleep(left.min(SLICE));
            if let Attempt::Done(result) = attempt(handle) {
                return result;
            }
        }
        // The system is asked only after a fruitless sleep: that costs as much as a wake. The
        // attempt comes afterwards: it finds what the other side did before it died or left.
        let other = handle.other();
        match (attempt(handle), other) {
            (Attempt::Done(result), _) => return result,
            (Attempt::Waits, Peer::Died) => return Err(WaitError::Died),
            (Attempt::Waits, Peer::Left) => return Err(WaitError::Left),
            _ => {}
        }
        if left.is_zero() {
            return Err(WaitError::TimedOut);
        }
    }
}

macro_rules! waits {
    ($($handle:ty, [$($generics:tt)*];)*) => {$(
        impl<$($generics)*> Waits for $handle {
            fn sleep(&mut self, timeout: Duration) {
                self.wait_unless_left(timeout);
            }

            fn other(&self) -> Peer {
                self.peer()
            }
        }
    )*};
}

waits! {
    items::Producer<T, M>, [T: Pod, M: Memory];
    items::Consumer<T, M>, [T: Pod, M: Memory];
    records::Producer<M>, [M: Memory];
    records::Consumer<M>, [M: Memory];
    mpsc::Producer<T, M, B>, [T: Pod, M: Memory, B: Memory];
    mpsc::Consumer<T, M, B>, [T: Pod, M: Memory, B: Memory];
    mpmc::Producer<T, M>, [T: Pod, M: Memory];
    mpmc::Consumer<T, M>, [T: Pod, M: Memory];
    drop_old::Reader<T, M>, [T: Pod, M: Memory];
    drop_old::records::Reader<M>, [M: Memory];
    nblfq::Producer<T, M>, [T: Pod, M: Memory];
    nblfq::Consumer<T, M>, [T: Pod, M: Memory];
}

impl<T: Pod, M: Memory> drop_old::Reader<T, M> {
    /// Reads the next item when there is one.
    ///
    /// # Errors
    /// [`WaitError`], with the reason.
    pub fn read_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, Self::read, |_| {})
    }
}

impl<T: Pod, M: Memory> mpmc::Producer<T, M> {
    /// Pushes an item when there is room, and wakes the consumers that sleep.
    ///
    /// # Errors
    /// [`WaitError`], with the reason, and the item.
    pub fn push_wait(&mut self, item: T, timeout: Duration) -> Result<(), (WaitError, T)> {
        push_wait(self, item, timeout, Self::push, Self::wake)
    }
}

impl<T: Pod, M: Memory> mpmc::Consumer<T, M> {
    /// Pops an item when there is one, and wakes the producers that sleep.
    ///
    /// # Errors
    /// [`WaitError`], with the reason.
    pub fn pop_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, Self::pop, Self::wake)
    }

    /// Takes the next item when there is one, as [`peek`](Self::peek) does, and wakes the producers
    /// that sleep.
    ///
    /// # Errors
    /// [`WaitError`], with the reason.
    pub fn peek_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, Self::peek, Self::wake)
    }
}

impl<T: Pod, M: Memory> nblfq::Producer<T, M> {
    /// Pushes an item when there is room, and wakes the consumers that sleep.
    ///
    /// # Errors
    /// [`WaitError`], with the reason, and the item.
    pub fn push_wait(&mut self, item: T, timeout: Duration) -> Result<(), (WaitError, T)> {
        push_wait(self, item, timeout, |producer, item| producer.push(item), Self::wake)
    }
}

impl<T: Pod, M: Memory> nblfq::Consumer<T, M> {
    /// Pops an item when there is one, and wakes the producers that sleep.
    ///
    /// # Errors
    /// [`WaitError`], with the reason.
    pub fn pop_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, |consumer| consumer.pop(), Self::wake)
    }
}

impl<T: Pod, M: Memory, B: Memory> mpsc::Producer<T, M, B> {
    /// Pushes an item when there is room, and wakes the consumer if it sleeps.
    ///
    /// # Errors
    /// [`WaitError`], with the reason, and the item.
    pub fn push_wait(&mut self, item: T, timeout: Duration) -> Result<(), (WaitError, T)> {
        push_wait(self, item, timeout, Self::push, Self::wake)
    }
}

impl<T: Pod, M: Memory, B: Memory> mpsc::Consumer<T, M, B> {
    /// Pops an item when there is one, and wakes the producers that sleep.
    ///
    /// # Errors
    /// [`WaitError`], with the reason.
    pub fn pop_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, Self::pop, Self::wake)
    }

    /// Returns the next item when there is one, as [`peek`](Self::peek) does. It wakes no producer,
    /// because it makes no room: call [`wake`](Self::wake) after the release.
    ///
    /// # Errors
    /// [`WaitError`], with the reason.
    pub fn peek_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, Self::peek, |_| {})
    }
}

fn push_wait<H: Waits, T: Pod>(
    handle: &mut H,
    item: T,
    timeout: Duration,
    push: impl Fn(&mut H, T) -> Result<(), PushError<T>>,
    wake: impl Fn(&H),
) -> Result<(), (WaitError, T)> {
    let pushed = until(handle, timeout, |handle| match push(handle, item) {
        Ok(()) => Attempt::Done(Ok(())),
        Err(PushError::Full(_)) => Attempt::Waits,
        Err(PushError::Contended(_)) => Attempt::Contended,
        Err(PushError::Damaged(_)) => Attempt::Done(Err(WaitError::Damaged)),
    });
    if pushed.is_ok() {
        wake(handle);
    }
    pushed.map_err(|why| (why, item))
}

fn pop_wait<H: Waits, T>(
    handle: &mut H,
    timeout: Duration,
    pop: impl Fn(&mut H) -> Result<T, PopError>,
    wake: impl Fn(&H),
) -> Result<T, WaitError> {
    let item = until(handle, timeout, |handle| match pop(handle) {
        Ok(item) => Attempt::Done(Ok(item)),
        Err(PopError::Empty) => Attempt::Waits,
        Err(PopError::Contended) => Attempt::Contended,
        Err(_) => Attempt::Done(Err(WaitError::Damaged)),
    })?;
    wake(handle);
    Ok(item)
}

impl<T: Pod, M: Memory> items::Producer<T, M> {
    /// Pushes an item when there is room, and wakes the consumer if it sleeps.
    ///
    /// # Errors
    /// [`WaitError`], with the reason, and the item.
    pub fn push_wait(&mut self, item: T, timeout: Duration) -> Result<(), (WaitError, T)> {
        push_wait(self, item, timeout, Self::push, Self::wake)
    }
}

impl<T: Pod, M: Memory> items::Consumer<T, M> {
    /// Pops an item when there is one, and wakes the producer if it sleeps.
    ///
    /// # Errors
    /// [`WaitError`], with the reason.
    pub fn pop_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, Self::pop, Self::wake)
    }
}

impl<T: Pod, M: Memory> items::Consumer<T, M> {
    /// Returns the next item when there is one, as [`peek`](Self::peek) does. It wakes no producer,
    /// because it makes no room: call [`wake`](Self::wake) after the release.
    ///
    /// # Errors
    /// [`WaitError`], with the reason.
    pub fn peek_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, Self::peek, |_| {})
    }
}

impl<M: Memory> records::Producer<M> {
    /// Pushes a record when there is room, and wakes the consumer if it sleeps.
    ///
    /// # Errors
    /// [`WaitError`], with the reason.
    pub fn push_wait(&mut self, record: &[u8], timeout: Duration) -> Result<(), WaitError> {
        until(self, timeout, |producer| match producer.push(record) {
            Ok(()) => Attempt::Done(Ok(())),
            Err(RecordError::Full) => Attempt::Waits,
            Err(RecordError::TooLong { longest }) => Attempt::Done(Err(WaitError::TooLong { longest })),
            Err(RecordError::Damaged) => Attempt::Done(Err(WaitError::Damaged)),
        })?;
        self.wake();
        Ok(())
    }
}

impl<M: Memory> records::Consumer<M> {
    /// Pops a record into the first bytes of `buffer` when there is one, and wakes the producer if
    /// it sleeps. Returns the record's length.
    ///
    /// # Errors
    /// [`WaitError`], with the reason. A record that is longer than the buffer stays in the queue.
    pub fn pop_wait(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, WaitError> {
        let len = pop_record_wait(self, buffer, timeout, Self::pop)?;
        self.wake();
        Ok(len)
    }
}

impl<M: Memory> drop_old::records::Reader<M> {
    /// Reads the next record into the first bytes of `buffer` when there is one. Returns the
    /// record's length.
    ///
    /// It returns [`Died`](WaitError::Died) only if the memory [knows](Self::peer) whether the
    /// producer's process lives.
    ///
    /// # Errors
    /// [`WaitError`], with the reason.
    pub fn read_wait(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, WaitError> {
        pop_record_wait(self, buffer, timeout, Self::read)
    }
}

fn pop_record_wait<H: Waits>(
    handle: &mut H,
    buffer: &mut [u8],
    timeout: Duration,
    pop: impl Fn(&mut H, &mut [u8]) -> Result<usize, PopError>,
) -> Result<usize, WaitError> {
    let longest = buffer.len();
    until(handle, timeout, |handle| match pop(handle, buffer) {
        Ok(len) => Attempt::Done(Ok(len)),
        Err(PopError::Empty) => Attempt::Waits,
        Err(PopError::Contended) => Attempt::Contended,
        Err(PopError::TooLong { .. }) => Attempt::Done(Err(WaitError::TooLong { longest })),
        Err(PopError::Damaged) => Attempt::Done(Err(WaitError::Damaged)),
    })
}
