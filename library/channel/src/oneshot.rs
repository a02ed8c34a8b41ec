//! Channels for one message: the answer to a request, for example.
//!
//! ```
//! use aqueduct_channel::{bounded, oneshot};
//!
//! let (requests, requested) = bounded::<(u32, oneshot::Sender<u32>)>(10)?;
//! std::thread::spawn(move || {
//!     for (number, answer) in requested {
//!         // The client may have dropped its receiver.
//!         let _ = answer.send(number * number);
//!     }
//! });
//! let (answer, answered) = oneshot::channel();
//! requests.send((12, answer))?;
//! assert_eq!(answered.recv(), Ok(144));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod shared;

use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::SelectCase;
use crate::error::{RecvError, RecvTimeoutError, SendError, TryRecvError};
use crate::event::{Attempt, Miss};
use crate::select::Signal;
use crate::spin::spin;
use crate::sync::{has_passed, park};
use crate::wake::Caller;
use shared::{Link, Shared};

/// Makes a channel for one message.
#[must_use]
pub fn channel<T: Send>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = Link::pair();
    (Sender(sender), Receiver(receiver))
}

/// Sends the message. If it is dropped before, the receiver gets an error.
pub struct Sender<T>(Link<T>);

impl<T> Sender<T> {
    /// Sends the message; never waits.
    ///
    /// # Errors
    /// [`SendError`] gives the message back if the receiver is gone or has closed the channel.
    pub fn send(self, message: T) -> Result<(), SendError<T>> {
        let link = Link::copy(&self.0);
        mem::forget(self);
        // SAFETY: the sender was there, and is gone with this call.
        unsafe { Shared::send(link, message) }.map_err(SendError)
    }

    /// Whether the receiver is gone or has closed the channel.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.is_refused()
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        // SAFETY: the sender was there, and is gone with this call.
        unsafe { Shared::end(Link::copy(&self.0)) };
    }
}

/// Receives the message.
pub struct Receiver<T>(Link<T>);

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

    /// Prevents the sender from sending. A message that was sent before can be received. Returns
    /// true if there was none and none can come any more.
    pub fn close(&mut self) -> bool {
        self.0.close()
    }

    /// Whether no message will come: it has been received, or the sender is gone, or the channel is
    /// closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.is_over()
    }

    /// Whether there is no message to be received.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Receives the message; waits for it at most for that long.
    ///
    /// # Errors
    /// [`RecvTimeoutError`] if it did not come, or will not come, or has been received.
    pub fn recv_timeout(&mut self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.recv_until(Instant::now().checked_add(timeout))
    }

    /// Receives the message; waits for it at most until then. If the deadline has passed, it tries
    /// once.
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
        RecvFuture(Awaiting(&self.0))
    }

    /// Returns the receive as a case of an [`IndexSelect`](crate::IndexSelect). If it is chosen
    /// again, its result is the end of the channel.
    ///
    /// It allocates an event on which threads wait, and which the sender notifies.
    /// [`Select`](crate::Select) over [`recv_async`](Self::recv_async) needs none.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_channel::{IndexSelect, bounded, oneshot};
    ///
    /// let (_jobs, job) = bounded::<u32>(10)?;
    /// let (answer, mut answered) = oneshot::channel();
    /// answer.send("yes")?;
    /// let case = answered.recv_case();
    /// let mut select = IndexSelect::new();
    /// let (_, answered) = (select.recv(&job), select.case(&case));
    /// let chosen = select.select();
    /// assert_eq!(chosen.index(), answered);
    /// assert_eq!(chosen.complete(&case), Ok("yes"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recv_case(&mut self) -> SelectCase<'_, Result<T, RecvError>>
    where
        T: Send,
    {
        let signal = Signal::new();
        let listening = Listening { awaiting: Awaiting(&self.0), waker: signal.waker() };
        SelectCase::with_signal(signal, listening)
    }

    fn recv_until(&self, deadline: Option<Instant>) -> Result<T, RecvTimeoutError> {
        let result = match self.0.recv() {
            Some(result) => Some(result),
            None if has_passed(deadline) => None,
            None => spin(deadline, || self.0.recv()).or_else(|| self.park_until(deadline)),
        };
        result.map_or(Err(RecvTimeoutError::Timeout), |result| result.map_err(RecvTimeoutError::from))
    }

    #[cold]
    fn park_until(&self, deadline: Option<Instant>) -> Option<Result<T, RecvError>> {
        let mut awaiting = Awaiting(&self.0);
        loop {
            if let Some(result) = awaiting.poll_by(Caller::Thread) {
                return Some(result);
            }
            if park(deadline) {
                return awaiting.give_up();
            }
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        // SAFETY: the receiver was there, and is gone with this call.
        unsafe { Shared::drop_receiver(Link::copy(&self.0)) };
    }
}

/// A receiver's wait for the message.
pub(crate) struct Awaiting<'a, T>(&'a Link<T>);

impl<T> Awaiting<'_, T> {
    pub(crate) fn attempt(&mut self) -> Option<Result<T, RecvError>> {
        self.0.recv()
    }

    pub(crate) fn attempt_now(&mut self) -> Option<Result<T, RecvError>> {
        self.0.recv()
    }

    /// Makes attempts. If it returns `None`, the caller will be woken.
    pub(crate) fn poll_by(&mut self, caller: Caller<'_>) -> Option<Result<T, RecvError>> {
        self.0.recv().or_else(|| self.0.wait(caller))
    }

    pub(crate) fn give_up(&mut self) -> Option<Result<T, RecvError>> {
        self.0.withdraw();
        self.0.recv()
    }

    pub(crate) fn leave(&mut self) {
        self.0.withdraw();
    }
}

impl<T> Drop for Awaiting<'_, T> {
    fn drop(&mut self) {
        self.0.withdraw();
    }
}

/// Attempts of a select by index to receive the message. A select that is dropped leaves its waker
/// for the next one.
struct Listening<'a, T> {
    awaiting: Awaiting<'a, T>,
    waker: Waker,
}

impl<T> Attempt for Listening<'_, T> {
    type Output = Result<T, RecvError>;

    fn attempt(&mut self) -> Result<Self::Output, Miss> {
        if self.is_ready() { self.awaiting.attempt().ok_or(Miss::Exact) } else { Err(Miss::Exact) }
    }

    fn attempt_now(&mut self) -> Option<Self::Output> {
        self.awaiting.attempt_now()
    }

    fn is_more(&mut self) -> bool {
        self.is_ready()
    }

    fn is_ready(&mut self) -> bool {
        self.awaiting.0.watch(Caller::Task(&self.waker))
    }
}

/// A future that receives the message; made by [`Receiver::recv_async`].
///
/// Dropping it leaves the message to the receiver.
#[must_use = "a future does nothing unless it is awaited"]
pub struct RecvFuture<'a, T>(pub(crate) Awaiting<'a, T>);

impl<T> Unpin for RecvFuture<'_, T> {}

impl<T> Future for RecvFuture<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.poll_by(Caller::Task(context.waker())).map_or(Poll::Pending, Poll::Ready)
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

crate::select::operations! {
    [T] RecvFuture<'_, T> => Result<T, RecvError>;
}
