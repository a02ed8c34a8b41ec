//! Room that is reserved before the message is there.

use std::fmt;
use std::time::Instant;

use super::buffer::{Buffer, Room};
use super::core::{Core, attempt_now};
use super::rendezvous::Rendezvous;
use super::shared::{Channel, Sender};
use super::tasks::ReserveFuture;
use crate::error::{SendError, SendTimeoutError, TrySendError};
use crate::event::{Attempt, Miss};
use crate::select::{Operation, wait_until};

/// Room for one message in a channel; made by [`Sender::reserve`], `try_reserve` and `reserve_async`.
///
/// The permit takes a place of the channel until it is used or dropped. Messages are received in the order in which
/// they are sent, and not in that of the permits: no sender waits for a permit that is not used. In a channel without
/// room, a permit is a receiver, which waits for the message; if its time is over before, or its future is dropped, the
/// message goes to the next receiver.
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
pub struct Permit<'a, T>(Option<Kind<'a, T>>);

enum Kind<'a, T> {
    /// Room in the channel.
    Room(&'a Core<()>, &'a Buffer<T>, Room<'a, T>),
    /// A receiver that waits for the message.
    Promise(&'a Rendezvous<T>, usize),
}

impl<'a, T> Permit<'a, T> {
    /// Room that has been reserved in this buffer.
    pub(super) fn room(core: &'a Core<()>, buffer: &'a Buffer<T>, room: Room<'a, T>) -> Self {
        Self(Some(Kind::Room(core, buffer, room)))
    }

    /// A receiver that has been chosen.
    pub(crate) fn promise(rendezvous: &'a Rendezvous<T>, receiver: usize) -> Self {
        Self(Some(Kind::Promise(rendezvous, receiver)))
    }

    /// Sends a message, without waiting.
    ///
    /// # Errors
    /// [`SendError`] gives the message back if the channel is closed, or all receivers are gone; in an unbounded
    /// channel, also if there is no memory.
    pub fn send(mut self, message: T) -> Result<(), SendError<T>> {
        if matches!(self.0, Some(Kind::Room(core, ..)) if core.is_closed()) {
            return Err(SendError(message));
        }
        match self.0.take() {
            Some(Kind::Room(core, mut buffer, room)) => {
                buffer.push_into(room, message).map_err(SendError)?;
                core.pushed(&mut buffer)
            }
            Some(Kind::Promise(rendezvous, receiver)) => rendezvous.keep(receiver, message),
            None => unreachable!("a permit is used once"),
        }
    }
}

impl<T> Drop for Permit<'_, T> {
    fn drop(&mut self) {
        match self.0.take() {
            Some(Kind::Room(core, _, room)) => {
                drop(room);
                core.room().notify();
            }
            Some(Kind::Promise(rendezvous, receiver)) => rendezvous.break_promise(receiver),
            // It has been used.
            None => {}
        }
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
            Ok(room) => Ok(Ok(Permit::room(core, buffer, room))),
            Err(error) => Err(if error.is_full() { Miss::Exact } else { Miss::Inexact }),
        }
    }

    fn attempt_now(&mut self) -> Option<Self::Output> {
        attempt_now(|| self.attempt())
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
        let result = match self.channel() {
            Channel::Buffered(core, buffer) => Reserving { core, buffer }.attempt_now(),
            Channel::Meeting(_) => self.reserve_async().attempt_now().done(),
        };
        result.map_or(Err(TrySendError::Full(())), |result| result.map_err(TrySendError::from))
    }

    /// Reserves room for a message; waits for it at most until then. If the deadline has passed, it tries once.
    ///
    /// # Errors
    /// [`SendTimeoutError`] if there was no room in time, or the channel is closed, or all receivers are gone.
    pub fn reserve_deadline(&self, deadline: Instant) -> Result<Permit<'_, T>, SendTimeoutError<()>> {
        self.reserve_until(Some(deadline))
    }

    fn reserve_until(&self, deadline: Option<Instant>) -> Result<Permit<'_, T>, SendTimeoutError<()>> {
        let result = match self.channel() {
            Channel::Buffered(core, buffer) => core.room().wait_for(deadline, &mut Reserving { core, buffer }),
            Channel::Meeting(_) => wait_until(&mut self.reserve_async(), deadline),
        };
        result.map_or(Err(SendTimeoutError::Timeout(())), |result| result.map_err(SendTimeoutError::from))
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
        ReserveFuture::new(self.channel())
    }
}
