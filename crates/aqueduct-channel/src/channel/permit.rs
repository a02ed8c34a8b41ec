//! Room that is reserved before the message is there.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use super::buffer::Buffer;
use super::core::{Core, attempt_now};
use super::shared::Sender;
use crate::error::{SendError, SendTimeoutError, TrySendError};
use crate::event::{Attempt, Miss, Waiting};

/// Room for one message in a channel; made by [`Sender::reserve`], `try_reserve` and `reserve_async`.
///
/// The permit takes a place of the channel until it is used or dropped. Messages are received in the order in which they
/// are sent, and not in that of the permits: nobody waits for a permit that is not used.
///
/// # Examples
/// A message is made only if there is room for it:
/// ```
/// use aqueduct_channel::bounded;
///
/// let (sender, receiver) = bounded(1)?;
/// let permit = sender.reserve()?;
/// assert!(sender.is_full() && sender.try_reserve().is_err());
/// permit.send("expensive")?;
/// assert_eq!(receiver.recv(), Ok("expensive"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "room is reserved until the permit is dropped"]
pub struct Permit<'a, T> {
    core: &'a Core<()>,
    buffer: &'a Buffer<T>,
}

impl<T> Permit<'_, T> {
    /// Sends a message, without waiting.
    ///
    /// # Errors
    /// [`SendError`] gives the message back if the channel is closed, or all receivers are gone; in an unbounded
    /// channel, also if there is no memory.
    pub fn send(self, message: T) -> Result<(), SendError<T>> {
        let (core, mut buffer) = (self.core, self.buffer);
        if core.is_closed() {
            return Err(SendError(message));
        }
        std::mem::forget(self);
        buffer.push_reserved(message).map_err(SendError)?;
        core.pushed(&mut buffer)
    }
}

impl<T> Drop for Permit<'_, T> {
    fn drop(&mut self) {
        self.buffer.release();
        self.core.room().notify();
    }
}

impl<T> fmt::Debug for Permit<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").finish_non_exhaustive()
    }
}

/// Attempts to reserve room.
pub(crate) struct Reserving<'a, T> {
    pub(super) core: &'a Core<()>,
    pub(super) buffer: &'a Buffer<T>,
}

impl<'a, T> Attempt for Reserving<'a, T> {
    type Output = Result<Permit<'a, T>, SendError<()>>;

    fn attempt(&mut self) -> Result<Self::Output, Miss> {
        let Self { core, buffer } = *self;
        if core.is_closed() {
            return Ok(Err(SendError(())));
        }
        match buffer.reserve() {
            Ok(()) => Ok(Ok(Permit { core, buffer })),
            Err(error) => Err(if error.is_full() { Miss::Exact } else { Miss::Inexact }),
        }
    }

    fn is_more(&mut self) -> bool {
        !self.buffer.is_full()
    }
}

impl<T> Sender<T> {
    /// Reserves room for a message; waits for it.
    ///
    /// # Errors
    /// [`SendError`] if the channel is closed, or all receivers are gone.
    pub fn reserve(&self) -> Result<Permit<'_, T>, SendError<()>> {
        self.reserve_until(None).map_err(|_| SendError(()))
    }

    /// Reserves room for a message if there is any.
    ///
    /// # Errors
    /// [`TrySendError`] if the channel is full or closed, or all receivers are gone.
    pub fn try_reserve(&self) -> Result<Permit<'_, T>, TrySendError<()>> {
        let mut reserving = self.reserving();
        match attempt_now(|| reserving.attempt()) {
            Some(result) => result.map_err(TrySendError::from),
            None => Err(TrySendError::Full(())),
        }
    }

    /// Reserves room for a message; waits for it at most until then. If the deadline has passed, it tries once.
    ///
    /// # Errors
    /// [`SendTimeoutError`] if there was no room in time, or the channel is closed, or all receivers are gone.
    pub fn reserve_deadline(&self, deadline: Instant) -> Result<Permit<'_, T>, SendTimeoutError<()>> {
        self.reserve_until(Some(deadline))
    }

    fn reserve_until(&self, deadline: Option<Instant>) -> Result<Permit<'_, T>, SendTimeoutError<()>> {
        let mut reserving = self.reserving();
        match reserving.core.room().wait_for(deadline, &mut reserving) {
            Some(result) => result.map_err(SendTimeoutError::from),
            None => Err(SendTimeoutError::Timeout(())),
        }
    }

    /// Reserves room for a message; the task waits for it.
    ///
    /// The future can be dropped at any time: it reserves nothing then, and no other sender's wake-up is lost.
    ///
    /// # Errors
    /// [`SendError`] if the channel is closed, or all receivers are gone.
    ///
    /// # Examples
    /// `select!` of an asynchronous runtime drops the futures that are not chosen. A message that waits for its permit
    /// is not lost with such a future:
    /// ```
    /// use aqueduct_channel::Sender;
    ///
    /// async fn relay(sender: &Sender<String>, message: String) -> Result<(), Box<dyn std::error::Error>> {
    ///     let permit = sender.reserve_async().await.map_err(|_| "closed")?;
    ///     permit.send(message).map_err(|_| "closed")?;
    ///     Ok(())
    /// }
    /// ```
    pub fn reserve_async(&self) -> ReserveFuture<'_, T> {
        let reserving = self.reserving();
        ReserveFuture(Waiting::new(reserving.core.room(), reserving))
    }
}

/// A future that reserves room for a message; made by [`Sender::reserve_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct ReserveFuture<'a, T>(pub(crate) Waiting<'a, Reserving<'a, T>>);

impl<T> Unpin for ReserveFuture<'_, T> {}

impl<'a, T> Future for ReserveFuture<'a, T> {
    type Output = Result<Permit<'a, T>, SendError<()>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.poll(context)
    }
}

impl<T> fmt::Debug for ReserveFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReserveFuture").finish_non_exhaustive()
    }
}
