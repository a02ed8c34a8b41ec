//! Room that the only sender of a channel reserves.
//!
//! No other sender takes the room that it has found, so a permit has nothing to give back.

use std::fmt;

use crate::channel::core::Core;
use crate::channel::queues::SoleSendEnd;
use crate::error::{SendError, TrySendError};
use crate::event::{Attempt, Miss, attempt_now};

/// Room for one message in a channel with one sender; made by
/// [`reserve`](crate::handles::Sender::reserve), `try_reserve` and `reserve_async`.
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
            Err(TrySendError::Full(_)) => unreachable!("no other sender takes the room"),
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
    /// `None` when room has been found.
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
