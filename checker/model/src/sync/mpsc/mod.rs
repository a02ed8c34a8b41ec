//! Channels with many senders and one receiver, as in `std::sync::mpsc`: without a bound, and with
//! one.
//!
//! The sending of a message synchronizes with its receipt. To send, and to find a
//! channel empty, is as strong as a `SeqCst` operation, as it is in `std`.

mod channel;
mod sync_sender;

use std::cell::Cell;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::Duration;

use crate::hint::{self, await_here};
use crate::runtime::driver;

use channel::{Channel, Life};
pub use sync_sender::{SyncSender, sync_channel};

/// The sending end of a channel. Clones are further senders.
pub struct Sender<T> {
    channel: Arc<Channel<T>>,
    life: Arc<Life>,
}

/// The receiving end of a channel.
pub struct Receiver<T> {
    channel: Arc<Channel<T>>,
    /// The number of messages that have been received. One thread at a time receives.
    received: Cell<usize>,
}

// A panic leaves no message half sent or half received.
impl<T> UnwindSafe for Sender<T> {}
impl<T> RefUnwindSafe for Sender<T> {}
impl<T> UnwindSafe for Receiver<T> {}
impl<T> RefUnwindSafe for Receiver<T> {}

/// Makes a channel for values of one type.
#[must_use]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (channel, life) = Channel::new(None);
    (Sender { channel: Arc::clone(&channel), life }, Receiver { channel, received: Cell::new(0) })
}

impl<T> Sender<T> {
    /// Sends a value.
    ///
    /// # Errors
    /// The value, if the receiver was dropped.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        self.channel.send(value).map_err(SendError)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self { channel: Arc::clone(&self.channel), life: self.life.branch() }
    }
}

impl<T> Drop for Sender<T> {
    #[track_caller]
    fn drop(&mut self) {
        let _shield = driver::shield();
        self.life.end();
    }
}

impl<T> Receiver<T> {
    /// Waits for a value.
    ///
    /// # Errors
    /// [`RecvError`] if there is none, and no sender is left.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        let next = self.received.get();
        let slot = self.channel.slot(next);
        let mut filled;
        if let Some(room) = self.channel.meeting() {
            room.begin_wait(next);
        }
        // A slot that was empty while there were senders may be full after they were dropped, so it
        // is read again.
        await_here!({
            filled = slot.is_filled_by_now();
            filled || self.channel.is_closed_by_now() && !self.channel.has_sent(next)
        });
        if filled { Ok(self.take()) } else { Err(RecvError) }
    }

    /// Waits for a value, or less: the model explores both, whatever the time is.
    ///
    /// # Errors
    /// [`RecvTimeoutError`] if there is none.
    #[track_caller]
    pub fn recv_timeout(&self, _timeout: Duration) -> Result<T, RecvTimeoutError> {
        let next = self.received.get();
        if let Some(room) = self.channel.meeting() {
            room.begin_wait(next);
            if !room.end_wait(next) {
                // A sender has claimed this receiver, so a message comes.
                let slot = self.channel.slot(next);
                await_here!(slot.is_filled_by_now());
                return Ok(self.take());
            }
        }
        // The time may be over at any moment, so only whether a value has come by then is explored.
        self.try_recv().map_err(|error| match error {
            TryRecvError::Empty => {
                hint::time_out();
                RecvTimeoutError::Timeout
            }
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        })
    }

    /// Takes a value that has been sent.
    ///
    /// # Errors
    /// [`TryRecvError`] if there is none.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let next = self.received.get();
        let slot = self.channel.slot(next);
        let mut filled;
        let mut abandoned = false;
        // The channel is empty if the next message has not been sent. A sent message is waited for,
        // because its sender is about to fill the slot. The senders are read before their
        // messages, so no message is missed when there are none.
        await_here!({
            filled = slot.is_filled();
            filled || {
                abandoned = self.channel.is_closed();
                !self.channel.has_sent(next)
            }
        });
        match (filled, abandoned) {
            (true, _) => Ok(self.take()),
            (false, true) => Err(TryRecvError::Disconnected),
            (false, false) => Err(TryRecvError::Empty),
        }
    }

    /// Returns the values until no sender is left. It waits for each.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self }
    }

    /// Returns the values in the channel. It ends where [`Self::try_recv`] finds none.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { receiver: self }
    }

    /// Returns the next value, which is in its slot.
    #[track_caller]
    fn take(&self) -> T {
        let next = self.received.get();
        self.received.set(next + 1);
        self.channel.receive(next)
    }
}

/// The values of a channel until no sender is left: [`Receiver::iter`].
#[derive(Debug)]
pub struct Iter<'a, T> {
    receiver: &'a Receiver<T>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

/// The values that are in a channel: [`Receiver::try_iter`].
#[derive(Debug)]
pub struct TryIter<'a, T> {
    receiver: &'a Receiver<T>,
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}

/// The values of a channel until no sender is left, for an owner of its receiver.
#[derive(Debug)]
pub struct IntoIter<T> {
    receiver: Receiver<T>,
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { receiver: self }
    }
}

impl<T> Drop for Receiver<T> {
    #[track_caller]
    fn drop(&mut self) {
        let shield = driver::shield();
        let left = self.channel.close(self.received.get());
        drop(shield);
        drop(left);
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
