//! Room that the only sender of a channel reserves.
//!
//! Nobody else takes the room that it has found, so a permit has nothing to give back.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use super::core::{Core, attempt_now};
use super::ends::SoleSendEnd;
use super::sided::Sender;
use crate::SelectCase;
use crate::error::{SendError, SendTimeoutError, TrySendError};
use crate::event::{Attempt, Miss, Waiting};

/// Room for one message in a channel with one sender; made by [`reserve`](Sender::reserve), `try_reserve` and
/// `reserve_async`.
///
/// It borrows the sender, and can be dropped without use.
///
/// # Examples
/// A message is made only if there is room for it:
/// ```
/// let (mut sender, mut receiver) = aqueduct_channel::spsc::bounded(1)?;
/// let permit = sender.reserve()?;
/// permit.send("expensive")?;
/// assert_eq!(receiver.recv(), Ok("expensive"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a permit that is not used sends nothing"]
pub struct Permit<'a, P: SoleSendEnd> {
    core: &'a Core<P::Left>,
    producer: &'a mut P,
}

impl<P: SoleSendEnd> Permit<'_, P> {
    /// Sends a message, without waiting.
    ///
    /// # Errors
    /// [`SendError`] gives the message back if the channel is closed, or all receivers are gone.
    pub fn send(self, message: P::Message) -> Result<(), SendError<P::Message>> {
        match self.core.try_send(self.producer, message) {
            Ok(()) => Ok(()),
            Err(TrySendError::Disconnected(message)) => Err(SendError(message)),
            Err(TrySendError::Full(_)) => unreachable!("nobody else takes the room"),
        }
    }
}

impl<P: SoleSendEnd> fmt::Debug for Permit<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").finish_non_exhaustive()
    }
}

/// Attempts to find room.
pub(crate) struct Finding<'a, P: SoleSendEnd> {
    pub(crate) core: &'a Core<P::Left>,
    /// Nothing when room has been found.
    pub(crate) producer: Option<&'a mut P>,
}

impl<'a, P: SoleSendEnd> Attempt for Finding<'a, P> {
    type Output = Result<Permit<'a, P>, SendError<()>>;

    fn attempt(&mut self) -> Result<Self::Output, Miss> {
        if self.core.is_closed() {
            return Ok(Err(SendError(())));
        }
        let Some(producer) = &mut self.producer else { return Err(Miss::Exact) };
        if let Err(error) = producer.find_room() {
            return Err(if error.is_full() { Miss::Exact } else { Miss::Inexact });
        }
        match self.producer.take() {
            Some(producer) => Ok(Ok(Permit { core: self.core, producer })),
            None => Err(Miss::Exact),
        }
    }

    fn attempt_now(&mut self) -> Option<Self::Output> {
        attempt_now(|| self.attempt())
    }

    fn is_more(&mut self) -> bool {
        // No other sender waits.
        false
    }

    fn is_ready(&mut self) -> bool {
        self.core.is_closed() || self.producer.as_mut().is_some_and(|producer| producer.find_room().is_ok())
    }
}

impl<P: SoleSendEnd> Sender<P> {
    fn finding(&mut self) -> Finding<'_, P> {
        Finding { core: &self.core, producer: Some(&mut self.producer) }
    }

    /// Reserves room for a message; waits for it.
    ///
    /// # Errors
    /// [`SendError`] if the channel is closed, or all receivers are gone.
    pub fn reserve(&mut self) -> Result<Permit<'_, P>, SendError<()>> {
        self.reserve_until(None).map_err(|_| SendError(()))
    }

    /// Reserves room for a message if there is any.
    ///
    /// # Errors
    /// [`TrySendError`] if the channel is full or closed, or all receivers are gone.
    pub fn try_reserve(&mut self) -> Result<Permit<'_, P>, TrySendError<()>> {
        let result = self.finding().attempt_now();
        result.map_or(Err(TrySendError::Full(())), |result| result.map_err(TrySendError::from))
    }

    /// Reserves room for a message; waits for it at most until then. If the deadline has passed, it tries once.
    ///
    /// # Errors
    /// [`SendTimeoutError`] if there was no room in time, or the channel is closed, or all receivers are gone.
    pub fn reserve_deadline(&mut self, deadline: Instant) -> Result<Permit<'_, P>, SendTimeoutError<()>> {
        self.reserve_until(Some(deadline))
    }

    fn reserve_until(&mut self, deadline: Option<Instant>) -> Result<Permit<'_, P>, SendTimeoutError<()>> {
        let mut finding = self.finding();
        let result = finding.core.room().wait_for(deadline, &mut finding);
        result.map_or(Err(SendTimeoutError::Timeout(())), |result| result.map_err(SendTimeoutError::from))
    }

    /// Returns a reservation for an [`IndexSelect`](crate::IndexSelect).
    pub fn reserve_case(&mut self) -> SelectCase<'_, Result<Permit<'_, P>, SendError<()>>>
    where
        P: Send,
        P::Left: Send,
    {
        let finding = self.finding();
        SelectCase::new(finding.core.room(), finding)
    }

    /// Reserves room for a message; the task waits for it.
    ///
    /// The future can be dropped at any time: the room stays free.
    ///
    /// # Errors
    /// [`SendError`] if the channel is closed, or all receivers are gone.
    pub fn reserve_async(&mut self) -> ReserveFuture<'_, P> {
        self.producer.pause_never();
        let finding = self.finding();
        ReserveFuture(Waiting::new(finding.core.room(), finding))
    }
}

/// A future that reserves room; made by [`Sender::reserve_async`].
///
/// Dropping it before it is ready reserves nothing. Polled again after it was ready, it waits for the end of the
/// channel.
#[must_use = "a future does nothing unless it is awaited"]
pub struct ReserveFuture<'a, P: SoleSendEnd>(pub(crate) Waiting<'a, Finding<'a, P>>);

// The end is not pinned.
impl<P: SoleSendEnd> Unpin for ReserveFuture<'_, P> {}

impl<'a, P: SoleSendEnd> Future for ReserveFuture<'a, P> {
    type Output = Result<Permit<'a, P>, SendError<()>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.poll(context)
    }
}

impl<P: SoleSendEnd> fmt::Debug for ReserveFuture<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReserveFuture").finish_non_exhaustive()
    }
}
