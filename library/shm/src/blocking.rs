//! Operations that wait for the other side.

use core::{fmt, hint};
use std::time::{Duration, Instant};

use crate::error::{PopError, PushError, RecordError};
use crate::layout::{Memory, Peer};
use crate::pod::Pod;
use crate::{drop_old, items, mpmc, mpsc, nblfq, records};

/// How often a waiting thread looks at the queue before it sleeps.
const SPINS: u32 = 200;
/// The longest sleep between two looks at whether the other side's process lives.
const SLICE: Duration = Duration::from_millis(20);

/// Why a wait ended without success.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WaitError {
    /// The time is up.
    TimedOut,
    /// Nobody is on the other side any more, a process there died, and nothing is left of it. A successor may take its
    /// place.
    Died,
    /// Nobody is on the other side any more: each handle was dropped, and nothing is left of it. Another one may come.
    Left,
    /// The record is longer than the longest that fits, or than the caller's buffer, which is of this length.
    TooLong {
        /// The greatest length that would be right.
        longest: usize,
    },
    /// The queue's memory was overwritten by a process that does not keep to the protocol.
    Damaged,
}

impl fmt::Display for WaitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut => f.write_str("the other side did nothing in time"),
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

/// What came of an attempt.
enum Attempt<R> {
    Done(Result<R, WaitError>),
    /// The queue has nothing for it.
    Waits,
    /// Others were faster each time: the queue may have something for it.
    Contended,
}

/// Tries until there is a result, which `attempt` gives.
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
        // The system is asked only when a sleep has brought nothing: the question takes as long as a wake. The attempt
        // comes after it: it finds what the other side did before it died or left.
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
    /// [`WaitError`] says why there is none.
    pub fn read_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, Self::read, |_| {})
    }
}

impl<T: Pod, M: Memory> mpmc::Producer<T, M> {
    /// Pushes an item when there is room, and wakes the consumers that sleep.
    ///
    /// # Errors
    /// [`WaitError`] with the item.
    pub fn push_wait(&mut self, item: T, timeout: Duration) -> Result<(), (WaitError, T)> {
        push_wait(self, item, timeout, Self::push, Self::wake)
    }
}

impl<T: Pod, M: Memory> mpmc::Consumer<T, M> {
    /// Pops an item when there is one, and wakes the producers that sleep.
    ///
    /// # Errors
    /// [`WaitError`] says why there is none.
    pub fn pop_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, Self::pop, Self::wake)
    }

    /// Takes the next item when there is one, as [`peek`](Self::peek) does, and wakes the producers that sleep.
    ///
    /// # Errors
    /// [`WaitError`] says why there is none.
    pub fn peek_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, Self::peek, Self::wake)
    }
}

impl<T: Pod, M: Memory> nblfq::Producer<T, M> {
    /// Pushes an item when there is room, and wakes the consumers that sleep.
    ///
    /// # Errors
    /// [`WaitError`] with the item.
    pub fn push_wait(&mut self, item: T, timeout: Duration) -> Result<(), (WaitError, T)> {
        push_wait(self, item, timeout, |producer, item| producer.push(item), Self::wake)
    }
}

impl<T: Pod, M: Memory> nblfq::Consumer<T, M> {
    /// Pops an item when there is one, and wakes the producers that sleep.
    ///
    /// # Errors
    /// [`WaitError`] says why there is none.
    pub fn pop_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, |consumer| consumer.pop(), Self::wake)
    }
}

impl<T: Pod, M: Memory, B: Memory> mpsc::Producer<T, M, B> {
    /// Pushes an item when there is room, and wakes the consumer if it sleeps.
    ///
    /// # Errors
    /// [`WaitError`] with the item.
    pub fn push_wait(&mut self, item: T, timeout: Duration) -> Result<(), (WaitError, T)> {
        push_wait(self, item, timeout, Self::push, Self::wake)
    }
}

impl<T: Pod, M: Memory, B: Memory> mpsc::Consumer<T, M, B> {
    /// Pops an item when there is one, and wakes the producers that sleep.
    ///
    /// # Errors
    /// [`WaitError`] says why there is none.
    pub fn pop_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, Self::pop, Self::wake)
    }

    /// Returns the next item when there is one, as [`peek`](Self::peek) does. It wakes nobody: room comes with the
    /// release, after which [`wake`](Self::wake) does so.
    ///
    /// # Errors
    /// [`WaitError`] says why there is none.
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
    /// [`WaitError`] with the item.
    pub fn push_wait(&mut self, item: T, timeout: Duration) -> Result<(), (WaitError, T)> {
        push_wait(self, item, timeout, Self::push, Self::wake)
    }
}

impl<T: Pod, M: Memory> items::Consumer<T, M> {
    /// Pops an item when there is one, and wakes the producer if it sleeps.
    ///
    /// # Errors
    /// [`WaitError`] says why there is none.
    pub fn pop_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, Self::pop, Self::wake)
    }
}

impl<T: Pod, M: Memory> items::Consumer<T, M> {
    /// Returns the next item when there is one, as [`peek`](Self::peek) does. It wakes nobody: room comes with the
    /// release, after which [`wake`](Self::wake) does so.
    ///
    /// # Errors
    /// [`WaitError`] says why there is none.
    pub fn peek_wait(&mut self, timeout: Duration) -> Result<T, WaitError> {
        pop_wait(self, timeout, Self::peek, |_| {})
    }
}

impl<M: Memory> records::Producer<M> {
    /// Pushes a record when there is room, and wakes the consumer if it sleeps.
    ///
    /// # Errors
    /// [`WaitError`] says why it was not pushed.
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
    /// Pops a record into the first bytes of `buffer` when there is one, and wakes the producer if it sleeps. Returns
    /// the record's length.
    ///
    /// # Errors
    /// [`WaitError`] says why there is none. A record that is longer than the buffer stays in the queue.
    pub fn pop_wait(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, WaitError> {
        let len = pop_record_wait(self, buffer, timeout, Self::pop)?;
        self.wake();
        Ok(len)
    }
}

impl<M: Memory> drop_old::records::Reader<M> {
    /// Reads the next record into the first bytes of `buffer` when there is one. Returns the record's length.
    ///
    /// It says that the producer died if the memory can [tell](Self::peer).
    ///
    /// # Errors
    /// [`WaitError`] says why there is none.
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
