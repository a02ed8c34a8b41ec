//! Senders and receivers.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aqueduct_channel as ours;
use aqueduct_channel::internal::rendezvous_of_threads;

use crate::error::{RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError};
use crate::iter::{IntoIter, Iter, TryIter};
use crate::timer::{Timer, sleep_until};

/// Makes a channel for any number of messages.
#[must_use]
pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = ours::unbounded();
    (Sender(sender), Receiver(Kind::Channel(receiver)))
}

/// Makes a channel for `cap` messages. With a capacity of 0, each send meets a receive.
///
/// # Panics
/// If the memory does not suffice for `cap` messages.
#[must_use]
pub fn bounded<T>(cap: usize) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = match cap {
        // Only selects reserve, and they are threads.
        0 => rendezvous_of_threads(),
        _ => ours::bounded(cap).unwrap_or_else(|error| panic!("a channel for {cap} messages: {error}")),
    };
    (Sender(sender), Receiver(Kind::Channel(receiver)))
}

fn timer(first: Option<Instant>, period: Option<Duration>) -> Receiver<Instant> {
    // A time beyond the clock's range never comes.
    Receiver(first.map_or(Kind::Never, |first| Kind::Timer(Arc::new(Timer::new(first, period)), |time| time)))
}

/// Makes a receiver that gets one message after `duration`.
#[must_use]
pub fn after(duration: Duration) -> Receiver<Instant> {
    timer(Instant::now().checked_add(duration), None)
}

/// Makes a receiver that gets one message at `when`.
#[must_use]
pub fn at(when: Instant) -> Receiver<Instant> {
    timer(Some(when), None)
}

/// Makes a receiver that gets no message, and does not end.
#[must_use]
pub const fn never<T>() -> Receiver<T> {
    Receiver(Kind::Never)
}

/// Makes a receiver that gets a message each time that `duration` has passed.
#[must_use]
pub fn tick(duration: Duration) -> Receiver<Instant> {
    timer(Instant::now().checked_add(duration), Some(duration))
}

/// A sending handle.
pub struct Sender<T>(pub(crate) ours::Sender<T>);

impl<T> UnwindSafe for Sender<T> {}
impl<T> RefUnwindSafe for Sender<T> {}

impl<T> Sender<T> {
    /// Sends a message if that is possible at once.
    ///
    /// # Errors
    /// [`TrySendError`] gives the message back.
    pub fn try_send(&self, msg: T) -> Result<(), TrySendError<T>> {
        self.0.try_send(msg).map_err(TrySendError::from)
    }

    /// Sends a message, and waits until that is possible.
    ///
    /// # Errors
    /// [`SendError`] gives the message back if the channel is disconnected.
    pub fn send(&self, msg: T) -> Result<(), SendError<T>> {
        self.0.send(msg).map_err(SendError::from)
    }

    /// Sends a message, and waits at most for `timeout`.
    ///
    /// # Errors
    /// [`SendTimeoutError`] gives the message back.
    pub fn send_timeout(&self, msg: T, timeout: Duration) -> Result<(), SendTimeoutError<T>> {
        self.0.send_timeout(msg, timeout).map_err(SendTimeoutError::from)
    }

    /// Sends a message, and waits at most until `deadline`.
    ///
    /// # Errors
    /// [`SendTimeoutError`] gives the message back.
    pub fn send_deadline(&self, msg: T, deadline: Instant) -> Result<(), SendTimeoutError<T>> {
        self.0.send_deadline(msg, deadline).map_err(SendTimeoutError::from)
    }

    /// Whether the channel has no message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the channel has no room.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.0.is_full()
    }

    /// Returns the number of messages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the capacity, if there is a limit.
    #[must_use]
    pub fn capacity(&self) -> Option<usize> {
        self.0.capacity()
    }

    /// Whether both handles belong to one channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        self.0.same_channel(&other.0)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Sender { .. }")
    }
}

/// A receiving handle.
pub struct Receiver<T>(pub(crate) Kind<T>);

pub(crate) enum Kind<T> {
    Channel(ours::Receiver<T>),
    /// The function makes a message of a time: `T` is `Instant`.
    Timer(Arc<Timer>, fn(Instant) -> T),
    Never,
}

impl<T> UnwindSafe for Receiver<T> {}
impl<T> RefUnwindSafe for Receiver<T> {}

impl<T> Receiver<T> {
    /// Receives a message if there is one.
    ///
    /// # Errors
    /// [`TryRecvError`] tells why there is no message.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.0 {
            Kind::Channel(receiver) => receiver.try_recv().map_err(TryRecvError::from),
            Kind::Timer(timer, message) => timer.try_recv().map(message).ok_or(TryRecvError::Empty),
            Kind::Never => Err(TryRecvError::Empty),
        }
    }

    /// Receives a message, and waits for one if necessary.
    ///
    /// # Errors
    /// [`RecvError`] if the channel is empty and disconnected.
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.0 {
            Kind::Channel(receiver) => receiver.recv().map_err(RecvError::from),
            Kind::Timer(..) | Kind::Never => self.recv_until(None).map_err(|_| RecvError),
        }
    }

    /// Receives a message, and waits for one at most for `timeout`.
    ///
    /// # Errors
    /// [`RecvTimeoutError`] tells why there was no message.
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.recv_until(Instant::now().checked_add(timeout))
    }

    /// Receives a message, and waits for one at most until `deadline`.
    ///
    /// # Errors
    /// [`RecvTimeoutError`] tells why there was no message.
    pub fn recv_deadline(&self, deadline: Instant) -> Result<T, RecvTimeoutError> {
        self.recv_until(Some(deadline))
    }

    fn recv_until(&self, deadline: Option<Instant>) -> Result<T, RecvTimeoutError> {
        match &self.0 {
            Kind::Channel(receiver) => match deadline {
                Some(deadline) => receiver.recv_deadline(deadline).map_err(RecvTimeoutError::from),
                None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            },
            Kind::Timer(timer, message) => timer.recv_until(deadline).map(message),
            Kind::Never => {
                sleep_until(deadline);
                Err(RecvTimeoutError::Timeout)
            }
        }
    }

    /// Whether the channel has no message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Kind::Channel(receiver) => receiver.is_empty(),
            Kind::Timer(timer, _) => !timer.has_message(),
            Kind::Never => true,
        }
    }

    /// Whether the channel has no room.
    #[must_use]
    pub fn is_full(&self) -> bool {
        match &self.0 {
            Kind::Channel(receiver) => receiver.is_full(),
            Kind::Timer(timer, _) => timer.has_message(),
            Kind::Never => true,
        }
    }

    /// Returns the number of messages.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Kind::Channel(receiver) => receiver.len(),
            Kind::Timer(timer, _) => usize::from(timer.has_message()),
            Kind::Never => 0,
        }
    }

    /// Returns the capacity, if there is a limit.
    #[must_use]
    pub fn capacity(&self) -> Option<usize> {
        match &self.0 {
            Kind::Channel(receiver) => receiver.capacity(),
            Kind::Timer(..) => Some(1),
            Kind::Never => Some(0),
        }
    }

    /// Returns an iterator that waits for messages, and ends when the channel is empty and
    /// disconnected.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter(self)
    }

    /// Returns an iterator over the messages that have come.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter(self)
    }

    /// Whether both handles belong to one channel.
    #[must_use]
    pub fn same_channel(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Channel(one), Kind::Channel(other)) => one.same_channel(other),
            (Kind::Timer(one, _), Kind::Timer(other, _)) => Arc::ptr_eq(one, other),
            (Kind::Never, Kind::Never) => true,
            _ => false,
        }
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Kind::Channel(receiver) => Kind::Channel(receiver.clone()),
            Kind::Timer(timer, message) => Kind::Timer(Arc::clone(timer), *message),
            Kind::Never => Kind::Never,
        })
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Receiver { .. }")
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
        IntoIter(self)
    }
}
