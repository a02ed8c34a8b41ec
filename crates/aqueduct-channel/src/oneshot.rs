//! Channels for one message: the answer to a request, for example.
//!
//! ```
//! use aqueduct_channel::{bounded, oneshot};
//!
//! let (requests, requested) = bounded::<(u32, oneshot::Sender<u32>)>(10)?;
//! std::thread::spawn(move || {
//!     for (number, answer) in requested {
//!         // Nobody may wait for the answer any more.
//!         let _ = answer.send(number * number);
//!     }
//! });
//! let (answer, answered) = oneshot::channel();
//! requests.send((12, answer))?;
//! assert_eq!(answered.recv(), Ok(144));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use aqueduct::fences;

use crate::error::{RecvError, RecvTimeoutError, SendError, TryRecvError};
use crate::event::{Attempt, Event, Miss, Waiting};
use crate::sync::{Arc, AtomicUsize, Ordering, Slot};

/// There is no message yet.
const EMPTY: usize = 0;
/// The message is in the slot, and the receiver's.
const FULL: usize = 1;
/// No message comes, or none will be received: one of the handles has gone, or the message has been received.
const CLOSED: usize = 2;

/// What both handles share.
///
/// 1. While the state is EMPTY, the slot is the sender's.
/// 2. The sender leaves EMPTY once, for FULL or, when it goes without a message, for CLOSED. Then it is gone.
/// 3. While the state is FULL, the slot is the receiver's, which leaves FULL for CLOSED.
/// 4. If the receiver goes while the state is EMPTY, it is CLOSED, and the slot stays the sender's.
#[derive(Debug)]
struct Shared<T> {
    state: AtomicUsize,
    message: Slot<T>,
    sent: Event,
}

// SAFETY: one handle at a time has the slot, as the state says, and what goes through it is a `T`.
unsafe impl<T: Send> Sync for Shared<T> {}
// SAFETY: as with `Sync`.
unsafe impl<T: Send> Send for Shared<T> {}

impl<T> Shared<T> {
    /// Ends the sender's part. Returns whether the receiver was there.
    fn leave_empty(&self, state: usize) -> bool {
        // Ordering: Release pairs with the Acquire in `recv` and in the receiver's drop: the message is in the slot.
        let is_received = self.state.compare_exchange(EMPTY, state, Ordering::Release, Ordering::Relaxed).is_ok();
        if is_received {
            self.sent.notify();
        }
        is_received
    }

    /// Tries to receive, once.
    fn recv(&self) -> Result<Result<T, RecvError>, Miss> {
        // Ordering: Acquire pairs with the Release in `leave_empty`.
        match self.state.load(Ordering::Acquire) {
            EMPTY => Err(Miss::Exact),
            FULL => {
                self.state.store(CLOSED, Ordering::Relaxed);
                // SAFETY: the state was FULL, and the only receiver has left it.
                Ok(Ok(unsafe { self.message.take() }))
            }
            _ => Ok(Err(RecvError)),
        }
    }
}

/// Makes a channel for one message.
#[must_use]
pub fn channel<T: Send>() -> (Sender<T>, Receiver<T>) {
    fences::prepare();
    let shared = Arc::new(Shared { state: AtomicUsize::new(EMPTY), message: Slot::new(), sent: Event::new() });
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

/// Sends the message. If it is dropped before, the receiver learns of that.
pub struct Sender<T>(Arc<Shared<T>>);

impl<T> Sender<T> {
    /// Sends the message; never waits.
    ///
    /// # Errors
    /// [`SendError`] gives the message back if the receiver is gone or has closed the channel.
    pub fn send(self, message: T) -> Result<(), SendError<T>> {
        // SAFETY: the state is EMPTY, or CLOSED by the receiver: the slot is the sender's.
        unsafe { self.0.message.put(message) };
        if self.0.leave_empty(FULL) {
            return Ok(());
        }
        // SAFETY: the receiver has gone while the state was EMPTY: the slot is still the sender's, with the message.
        Err(SendError(unsafe { self.0.message.take() }))
    }

    /// Whether the receiver is gone or has closed the channel.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.state.load(Ordering::Relaxed) == CLOSED
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        // Fails after a send.
        self.0.leave_empty(CLOSED);
    }
}

/// Receives the message.
pub struct Receiver<T>(Arc<Shared<T>>);

impl<T> Receiver<T> {
    /// Receives the message; waits for it.
    ///
    /// # Errors
    /// [`RecvError`] if the sender is gone without a message.
    pub fn recv(self) -> Result<T, RecvError> {
        self.recv_until(None).map_err(|_| RecvError)
    }

    /// Receives the message if it is there.
    ///
    /// # Errors
    /// [`TryRecvError::Empty`] if it is not; [`TryRecvError::Disconnected`] if it will not come, or has been received.
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.0.recv().map_or(Err(TryRecvError::Empty), |result| result.map_err(TryRecvError::from))
    }

    /// Keeps the sender from sending. A message that was sent before can be received. Returns whether there was none
    /// and none can come any more.
    pub fn close(&mut self) -> bool {
        // Ordering: Relaxed. A message that is there, `recv` acquires; without one, the slot stays the sender's.
        self.0.state.compare_exchange(EMPTY, CLOSED, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Whether no message will come: it has been received, or the sender is gone, or the channel is closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.state.load(Ordering::Relaxed) == CLOSED
    }

    /// Whether there is no message to be received.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.state.load(Ordering::Relaxed) != FULL
    }

    /// Receives the message; waits for it at most for that long.
    ///
    /// # Errors
    /// [`RecvTimeoutError`] if it did not come, or will not come, or has been received.
    pub fn recv_timeout(&mut self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.recv_until(Instant::now().checked_add(timeout))
    }

    /// Receives the message; waits for it at most until then.
    ///
    /// # Errors
    /// [`RecvTimeoutError`] if it did not come, or will not come, or has been received.
    pub fn recv_deadline(&mut self, deadline: Instant) -> Result<T, RecvTimeoutError> {
        self.recv_until(Some(deadline))
    }

    /// Receives the message; the task waits for it. The future can be dropped at any time.
    ///
    /// # Errors
    /// [`RecvError`] if the sender is gone without a message, or the message has been received.
    pub fn recv_async(&mut self) -> RecvFuture<'_, T> {
        RecvFuture(Waiting::new(&self.0.sent, Receiving(&self.0)))
    }

    fn recv_until(&self, deadline: Option<Instant>) -> Result<T, RecvTimeoutError> {
        match self.0.sent.wait_for(deadline, &mut Receiving(&self.0)) {
            Some(result) => result.map_err(RecvTimeoutError::from),
            None => Err(RecvTimeoutError::Timeout),
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        // Ordering: Acquire pairs with the Release in `leave_empty`.
        if self.0.state.swap(CLOSED, Ordering::Acquire) == FULL {
            // SAFETY: the state was FULL, and the only receiver has left it.
            drop(unsafe { self.0.message.take() });
        }
    }
}

/// Attempts to receive the message.
#[derive(Debug)]
pub(crate) struct Receiving<'a, T>(&'a Shared<T>);

impl<T> Attempt for Receiving<'_, T> {
    type Output = Result<T, RecvError>;

    fn attempt(&mut self) -> Result<Self::Output, Miss> {
        self.0.recv()
    }

    fn is_more(&mut self) -> bool {
        false
    }
}

/// A future that receives the message; made by [`Receiver::recv_async`].
///
/// Dropping it leaves the message to the receiver.
#[must_use = "a future does nothing unless it is awaited"]
pub struct RecvFuture<'a, T>(pub(crate) Waiting<'a, Receiving<'a, T>>);

impl<T> Unpin for RecvFuture<'_, T> {}

impl<T> Future for RecvFuture<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.poll(context)
    }
}

macro_rules! debug {
    ($($name:literal: [$($of:tt)*] $type:ty;)*) => {$(
        impl<$($of)*> fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct($name).finish_non_exhaustive()
            }
        }
    )*};
}

debug! {
    "Sender": [T] Sender<T>;
    "Receiver": [T] Receiver<T>;
    "RecvFuture": [T] RecvFuture<'_, T>;
}
