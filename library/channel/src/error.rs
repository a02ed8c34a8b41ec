//! Errors of channels. A send that fails gives the message back.

use std::error::Error;
use std::fmt;

/// The channel is closed: the message comes back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SendError<T>(pub T);

/// Reason why a message was not sent at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TrySendError<T> {
    /// The channel has no room.
    Full(T),
    /// The channel is closed, or all receivers are gone.
    Disconnected(T),
}

/// Reason why a message was not sent in time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SendTimeoutError<T> {
    /// There was no room in that time.
    Timeout(T),
    /// The channel is closed, or all receivers are gone.
    Disconnected(T),
}

/// The channel is closed, or all senders are gone, and every message has been received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecvError;

/// Reason why no message was received at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TryRecvError {
    /// The channel has no message.
    Empty,
    /// The channel is closed, or all senders are gone, and every message has been received.
    Disconnected,
}

/// Reason why no message was received in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecvTimeoutError {
    /// No message came in that time.
    Timeout,
    /// The channel is closed, or all senders are gone, and every message has been received.
    Disconnected,
}

/// Reason why no space for a record was reserved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReserveError {
    /// All receivers are gone.
    Disconnected,
    /// The record is longer than any that the channel can carry.
    TooLong {
        /// The length asked for, in bytes.
        len: usize,
        /// The length of the longest possible record, in bytes.
        longest: usize,
    },
}

/// Reason why no space for a record was reserved at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TryReserveError {
    /// The channel has no room for the record now.
    Full,
    /// All receivers are gone.
    Disconnected,
    /// The record is longer than any that the channel can carry.
    TooLong {
        /// The length asked for, in bytes.
        len: usize,
        /// The length of the longest possible record, in bytes.
        longest: usize,
    },
}

/// Reason why no space for a record was reserved in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReserveTimeoutError {
    /// There was no room in that time.
    Timeout,
    /// All receivers are gone.
    Disconnected,
    /// The record is longer than any that the channel can carry.
    TooLong {
        /// The length asked for, in bytes.
        len: usize,
        /// The length of the longest possible record, in bytes.
        longest: usize,
    },
}

impl From<ReserveError> for TryReserveError {
    fn from(error: ReserveError) -> Self {
        match error {
            ReserveError::Disconnected => Self::Disconnected,
            ReserveError::TooLong { len, longest } => Self::TooLong { len, longest },
        }
    }
}

impl From<ReserveError> for ReserveTimeoutError {
    fn from(error: ReserveError) -> Self {
        match error {
            ReserveError::Disconnected => Self::Disconnected,
            ReserveError::TooLong { len, longest } => Self::TooLong { len, longest },
        }
    }
}

impl ReserveTimeoutError {
    /// Whether the time is over.
    #[must_use]
    pub const fn is_timeout(self) -> bool {
        matches!(self, Self::Timeout)
    }

    /// Converts the error of a wait without a limit.
    pub(crate) fn without_time(self) -> ReserveError {
        match self {
            Self::Timeout => unreachable!("there is no deadline"),
            Self::Disconnected => ReserveError::Disconnected,
            Self::TooLong { len, longest } => ReserveError::TooLong { len, longest },
        }
    }
}

impl<T> SendError<T> {
    /// Returns the message.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> TrySendError<T> {
    /// Returns the message.
    pub fn into_inner(self) -> T {
        match self {
            Self::Full(message) | Self::Disconnected(message) => message,
        }
    }

    /// Whether the channel had no room.
    pub const fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }

    /// Whether the channel is closed.
    pub const fn is_disconnected(&self) -> bool {
        matches!(self, Self::Disconnected(_))
    }
}

impl<T> SendTimeoutError<T> {
    /// Returns the message.
    pub fn into_inner(self) -> T {
        match self {
            Self::Timeout(message) | Self::Disconnected(message) => message,
        }
    }

    /// Whether the time is over.
    pub const fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout(_))
    }

    /// Whether the channel is closed.
    pub const fn is_disconnected(&self) -> bool {
        matches!(self, Self::Disconnected(_))
    }
}

impl TryRecvError {
    /// Whether the channel had no message.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        matches!(self, Self::Empty)
    }

    /// Whether the channel is closed and has no message.
    #[must_use]
    pub const fn is_disconnected(self) -> bool {
        matches!(self, Self::Disconnected)
    }
}

impl RecvTimeoutError {
    /// Whether the time is over.
    #[must_use]
    pub const fn is_timeout(self) -> bool {
        matches!(self, Self::Timeout)
    }

    /// Whether the channel is closed and has no message.
    #[must_use]
    pub const fn is_disconnected(self) -> bool {
        matches!(self, Self::Disconnected)
    }
}

impl<T> From<SendError<T>> for TrySendError<T> {
    fn from(SendError(message): SendError<T>) -> Self {
        Self::Disconnected(message)
    }
}

impl<T> From<SendError<T>> for SendTimeoutError<T> {
    fn from(SendError(message): SendError<T>) -> Self {
        Self::Disconnected(message)
    }
}

impl From<RecvError> for TryRecvError {
    fn from(_: RecvError) -> Self {
        Self::Disconnected
    }
}

impl From<RecvError> for RecvTimeoutError {
    fn from(_: RecvError) -> Self {
        Self::Disconnected
    }
}

/// `Display` and `Error`; for errors with a message, `Debug` without it.
macro_rules! texts {
    ($([$($of:ident)?] $error:ty { $($variant:pat => $name:literal, $text:literal;)* })*) => {$(
        impl$(<$of>)? fmt::Display for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($variant => $text,)* })
            }
        }

        impl$(<$of>)? Error for $error {}
        texts!(@debug [$($of)?] $error { $($variant => $name;)* });
    )*};
    (@debug [] $error:ty { $($variant:pat => $name:literal;)* }) => {};
    (@debug [$of:ident] $error:ty { $($variant:pat => $name:literal;)* }) => {
        impl<$of> fmt::Debug for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($variant => $name,)* })
            }
        }
    };
}

texts! {
    [T] SendError<T> { Self(_) => "SendError(..)", "the channel is closed"; }
    [T] TrySendError<T> {
        Self::Full(_) => "Full(..)", "the channel is full";
        Self::Disconnected(_) => "Disconnected(..)", "the channel is closed";
    }
    [T] SendTimeoutError<T> {
        Self::Timeout(_) => "Timeout(..)", "the channel had no room in time";
        Self::Disconnected(_) => "Disconnected(..)", "the channel is closed";
    }
    [] RecvError { Self => "", "the channel is closed and empty"; }
    [] ReserveError {
        Self::Disconnected => "", "all receivers are gone";
        Self::TooLong { .. } => "", "no record of this channel can be that long";
    }
    [] TryReserveError {
        Self::Full => "", "the channel is full";
        Self::Disconnected => "", "all receivers are gone";
        Self::TooLong { .. } => "", "no record of this channel can be that long";
    }
    [] ReserveTimeoutError {
        Self::Timeout => "", "the channel had no room in time";
        Self::Disconnected => "", "all receivers are gone";
        Self::TooLong { .. } => "", "no record of this channel can be that long";
    }
    [] TryRecvError {
        Self::Empty => "", "the channel is empty";
        Self::Disconnected => "", "the channel is closed and empty";
    }
    [] RecvTimeoutError {
        Self::Timeout => "", "no message came in time";
        Self::Disconnected => "", "the channel is closed and empty";
    }
}
