//! The sending end of a channel with a bound.

use std::cell::Cell;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use super::channel::{Channel, Life, Room};
use super::{Receiver, SendError, TrySendError};
use crate::runtime::driver;

/// The sending end of a channel that holds a limited number of values. Clones are further senders.
pub struct SyncSender<T> {
    channel: Arc<Channel<T>>,
    life: Arc<Life>,
}

// A panic leaves no message half sent.
impl<T> UnwindSafe for SyncSender<T> {}
impl<T> RefUnwindSafe for SyncSender<T> {}

/// Makes a channel that holds up to `bound` values. With a bound of 0 it is a rendezvous channel: a
/// sender waits until its value is received.
#[must_use]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let (channel, life) = Channel::new(Some(bound));
    (SyncSender { channel: Arc::clone(&channel), life }, Receiver { channel, received: Cell::new(0) })
}

impl<T> SyncSender<T> {
    fn room(&self) -> &Room {
        self.channel.room.as_ref().expect("a channel with this end has a bound")
    }

    /// Sends a value; waits while the channel is full, or for the receiver if the bound is 0.
    ///
    /// # Errors
    /// The value, if the receiver was dropped.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        self.channel.send_into(self.room(), value).map_err(SendError)
    }

    /// Sends a value if the channel is not full, or, with a bound of 0, if the receiver waits.
    ///
    /// # Errors
    /// [`TrySendError`] with the value.
    #[track_caller]
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        self.channel.try_send_into(self.room(), value)
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        Self { channel: Arc::clone(&self.channel), life: self.life.branch() }
    }
}

impl<T> Drop for SyncSender<T> {
    #[track_caller]
    fn drop(&mut self) {
        let _shield = driver::shield();
        self.life.end();
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncSender").finish_non_exhaustive()
    }
}
