//! Reservations of room, by senders of both kinds.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use super::channel::Channel;
use super::sided::Sender;
use super::{shared, tasks};
use crate::SelectCase;
use crate::channel::permits::{Finding, Permit, Reserving, SolePermit};
use crate::channel::queues::SoleSendEnd;
use crate::error::{SendError, SendTimeoutError, TrySendError};
use crate::event::{Attempt, Waiting};
use crate::select::{Operation, operations, wait_until};

impl<T> shared::Sender<T> {
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
        let result = match self.channel() {
            Channel::Buffered(core, buffer) => Reserving { core, buffer }.attempt_now(),
            Channel::Rendezvous(_) => self.reserve_async().attempt_now().done(),
        };
        result.map_or(Err(TrySendError::Full(())), |result| result.map_err(TrySendError::from))
    }

    /// Reserves room for a message; waits for it at most until then. If the deadline has passed, it
    /// tries once.
    ///
    /// # Errors
    /// [`SendTimeoutError`] if there was no room in time, or the channel is closed, or all receivers are gone.
    pub fn reserve_deadline(&self, deadline: Instant) -> Result<Permit<'_, T>, SendTimeoutError<()>> {
        self.reserve_until(Some(deadline))
    }

    fn reserve_until(&self, deadline: Option<Instant>) -> Result<Permit<'_, T>, SendTimeoutError<()>> {
        let result = match self.channel() {
            Channel::Buffered(core, buffer) => core.room().wait_for(deadline, &mut Reserving { core, buffer }),
            Channel::Rendezvous(_) => wait_until(&mut self.reserve_async(), deadline),
        };
        result.map_or(Err(SendTimeoutError::Timeout(())), |result| result.map_err(SendTimeoutError::from))
    }

    /// Reserves room for a message; the task waits for it.
    ///
    /// The future can be dropped at any time: it reserves nothing then, and no other sender's
    /// wake-up is lost.
    ///
    /// # Errors
    /// [`SendError`] if the channel is closed, or all receivers are gone.
    ///
    /// # Examples
    /// `select!` of an asynchronous runtime drops the futures that are not chosen. A message that
    /// waits for its permit is not lost with such a future:
    /// ```
    /// use aqueduct_channel::Sender;
    ///
    /// async fn relay(sender: &Sender<String>, message: String) -> Result<(), Box<dyn std::error::Error>> {
    ///     let permit = sender.reserve_async().await.map_err(|_| "closed")?;
    ///     permit.send(message).map_err(|_| "closed")?;
    ///     Ok(())
    /// }
    /// ```
    pub fn reserve_async(&self) -> tasks::ReserveFuture<'_, T> {
        tasks::ReserveFuture::new(self.channel())
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
    pub fn reserve(&mut self) -> Result<SolePermit<'_, P>, SendError<()>> {
        self.reserve_until(None).map_err(|_| SendError(()))
    }

    /// Reserves room for a message if there is any.
    ///
    /// # Errors
    /// [`TrySendError`] if the channel is full or closed, or all receivers are gone.
    pub fn try_reserve(&mut self) -> Result<SolePermit<'_, P>, TrySendError<()>> {
        let result = self.finding().attempt_now();
        result.map_or(Err(TrySendError::Full(())), |result| result.map_err(TrySendError::from))
    }

    /// Reserves room for a message; waits for it at most until then. If the deadline has passed, it
    /// tries once.
    ///
    /// # Errors
    /// [`SendTimeoutError`] if there was no room in time, or the channel is closed, or all receivers are gone.
    pub fn reserve_deadline(&mut self, deadline: Instant) -> Result<SolePermit<'_, P>, SendTimeoutError<()>> {
        self.reserve_until(Some(deadline))
    }

    fn reserve_until(&mut self, deadline: Option<Instant>) -> Result<SolePermit<'_, P>, SendTimeoutError<()>> {
        let mut finding = self.finding();
        let result = finding.core.room().wait_for(deadline, &mut finding);
        result.map_or(Err(SendTimeoutError::Timeout(())), |result| result.map_err(SendTimeoutError::from))
    }

    /// Returns a reservation for an [`IndexSelect`](crate::IndexSelect).
    pub fn reserve_case(&mut self) -> SelectCase<'_, Result<SolePermit<'_, P>, SendError<()>>>
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
/// Dropping it before it is ready reserves nothing. Polled again after it was ready, it waits for
/// the end of the channel.
#[must_use = "a future does nothing unless it is awaited"]
pub struct ReserveFuture<'a, P: SoleSendEnd>(pub(crate) Waiting<'a, Finding<'a, P>>);

// The end is not pinned.
impl<P: SoleSendEnd> Unpin for ReserveFuture<'_, P> {}

impl<'a, P: SoleSendEnd> Future for ReserveFuture<'a, P> {
    type Output = Result<SolePermit<'a, P>, SendError<()>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.poll(context)
    }
}

impl<P: SoleSendEnd> fmt::Debug for ReserveFuture<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReserveFuture").finish_non_exhaustive()
    }
}

operations! {
    ['a, P: SoleSendEnd] ReserveFuture<'a, P> => Result<SolePermit<'a, P>, SendError<()>>;
}
