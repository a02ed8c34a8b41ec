//! Room of a sender that threads share.

use std::fmt;
use std::mem::forget;

use crate::channel::core::Core;
use crate::channel::queues::{Buffer, Room};
use crate::channel::rendezvous::Rendezvous;
use crate::error::SendError;
use crate::event::{Attempt, Miss, attempt_now};

/// Room for one message in a channel; made by [`Sender::reserve`](crate::Sender::reserve),
/// `try_reserve` and `reserve_async`.
///
/// The permit takes a place of the channel until it is used or dropped. Messages are received in
/// the order in which they are sent, and not in that of the permits: no sender waits for a permit
/// that is not used. In a [rendezvous](crate::rendezvous), a permit is a receiver, which waits for
/// the message; if its time is over before, or its future is dropped, the message goes to the next
/// receiver.
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
pub struct Permit<'a, T>(Kind<'a, T>);

enum Kind<'a, T> {
    /// Room in the channel. It is given back first, and then other senders are told.
    Room(&'a Buffer<T>, Room<'a, T>, NotifyOnDrop<'a>),
    /// A receiver that waits for the message.
    Promise(Promise<'a, T>),
}

/// Notifies a sender that waits for room when it is dropped.
struct NotifyOnDrop<'a>(&'a Core<()>);

impl Drop for NotifyOnDrop<'_> {
    fn drop(&mut self) {
        self.0.room().notify();
    }
}

/// A receiver that waits for the message of a sender that has reserved, and is woken if none comes.
struct Promise<'a, T>(&'a Rendezvous<T>, usize);

impl<T> Drop for Promise<'_, T> {
    fn drop(&mut self) {
        self.0.break_promise(self.1);
    }
}

impl<'a, T> Permit<'a, T> {
    /// Room that has been reserved in this buffer.
    pub(crate) fn room(core: &'a Core<()>, buffer: &'a Buffer<T>, room: Room<'a, T>) -> Self {
        Self(Kind::Room(buffer, room, NotifyOnDrop(core)))
    }

    /// A receiver that has been chosen.
    pub(crate) fn promise(rendezvous: &'a Rendezvous<T>, receiver: usize) -> Self {
        Self(Kind::Promise(Promise(rendezvous, receiver)))
    }

    /// Sends a message, without waiting.
    ///
    /// # Errors
    /// [`SendError`] gives the message back if the channel is closed, or all receivers are gone; in an unbounded
    /// channel, also if there is no memory.
    pub fn send(self, message: T) -> Result<(), SendError<T>> {
        match self.0 {
            Kind::Room(_, _, NotifyOnDrop(core)) if core.is_closed() => Err(SendError(message)),
            Kind::Room(mut buffer, room, tells) => {
                let core = tells.0;
                forget(tells);
                buffer.push_into(room, message).map_err(SendError)?;
                core.pushed(&mut buffer)
            }
            Kind::Promise(promise) => {
                let Promise(rendezvous, receiver) = promise;
                forget(promise);
                rendezvous.keep(receiver, message)
            }
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
    pub(crate) core: &'a Core<()>,
    pub(crate) buffer: &'a Buffer<T>,
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
