//! Errors, with crossbeam-channel's names and texts.

use std::error::Error;
use std::fmt;

use aqueduct_channel::error as ours;

/// The message could not be sent, because the channel is disconnected.
#[derive(PartialEq, Eq, Clone, Copy)]
pub struct SendError<T>(pub T);

/// The reason for which a message could not be sent at once.
#[derive(PartialEq, Eq, Clone, Copy)]
pub enum TrySendError<T> {
    /// The channel is full, or has no capacity and no receiver waits.
    Full(T),
    /// The channel is disconnected.
    Disconnected(T),
}

/// The reason for which a message could not be sent in time.
#[derive(PartialEq, Eq, Clone, Copy)]
pub enum SendTimeoutError<T> {
    /// The channel was full for all of the time, or no receiver came.
    Timeout(T),
    /// The channel is disconnected.
    Disconnected(T),
}

/// A message could not be received, because the channel is empty and disconnected.
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub struct RecvError;

/// The reason for which a message could not be received at once.
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub enum TryRecvError {
    /// The channel is empty.
    Empty,
    /// The channel is empty and disconnected.
    Disconnected,
}

/// The reason for which a message could not be received in time.
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub enum RecvTimeoutError {
    /// The channel was empty for all of the time.
    Timeout,
    /// The channel is empty and disconnected.
    Disconnected,
}

/// No operation could be completed at once.
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub struct TrySelectError;

/// No operation could be completed in time.
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub struct SelectTimeoutError;

/// No operation was ready at once.
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub struct TryReadyError;

/// No operation was ready in time.
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
pub struct ReadyTimeoutError;

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

    /// Whether the channel was full.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }

    /// Whether the channel is disconnected.
    pub fn is_disconnected(&self) -> bool {
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
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout(_))
    }

    /// Whether the channel is disconnected.
    pub fn is_disconnected(&self) -> bool {
        matches!(self, Self::Disconnected(_))
    }
}

impl TryRecvError {
    /// Whether the channel was empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    /// Whether the channel is disconnected.
    #[must_use]
    pub fn is_disconnected(&self) -> bool {
        matches!(self, Self::Disconnected)
    }
}

impl RecvTimeoutError {
    /// Whether the time is over.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout)
    }

    /// Whether the channel is disconnected.
    #[must_use]
    pub fn is_disconnected(&self) -> bool {
        matches!(self, Self::Disconnected)
    }
}

macro_rules! conversions {
    ($([$($of:ident)?] $from:ty => $to:ty { $($pattern:pat => $value:expr,)* })*) => {$(
        impl$(<$of>)? From<$from> for $to {
            fn from(error: $from) -> Self {
                match error { $($pattern => $value,)* }
            }
        }
    )*};
}

conversions! {
    [T] SendError<T> => TrySendError<T> { SendError(message) => Self::Disconnected(message), }
    [T] SendError<T> => SendTimeoutError<T> { SendError(message) => Self::Disconnected(message), }
    [] RecvError => TryRecvError { RecvError => Self::Disconnected, }
    [] RecvError => RecvTimeoutError { RecvError => Self::Disconnected, }
    [T] ours::SendError<T> => SendError<T> { ours::SendError(message) => Self(message), }
    [T] ours::TrySendError<T> => TrySendError<T> {
        ours::TrySendError::Full(message) => Self::Full(message),
        ours::TrySendError::Disconnected(message) => Self::Disconnected(message),
    }
    [T] ours::SendTimeoutError<T> => SendTimeoutError<T> {
        ours::SendTimeoutError::Timeout(message) => Self::Timeout(message),
        ours::SendTimeoutError::Disconnected(message) => Self::Disconnected(message),
    }
    [] ours::RecvError => RecvError { ours::RecvError => Self, }
    [] ours::TryRecvError => TryRecvError {
        ours::TryRecvError::Empty => Self::Empty,
        ours::TryRecvError::Disconnected => Self::Disconnected,
    }
    [] ours::RecvTimeoutError => RecvTimeoutError {
        ours::RecvTimeoutError::Timeout => Self::Timeout,
        ours::RecvTimeoutError::Disconnected => Self::Disconnected,
    }
}

macro_rules! texts {
    ($trait:ident: $([$($of:ident)?] $error:ty { $($variant:pat => $text:literal,)* })*) => {$(
        impl$(<$of>)? fmt::$trait for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self { $($variant => $text,)* })
            }
        }
    )*};
}

// Messages need not be `Debug`.
texts! { Debug:
    [T] SendError<T> { Self(_) => "SendError(..)", }
    [T] TrySendError<T> { Self::Full(_) => "Full(..)", Self::Disconnected(_) => "Disconnected(..)", }
    [T] SendTimeoutError<T> { _ => "SendTimeoutError(..)", }
}

texts! { Display:
    [T] SendError<T> { _ => "sending on a disconnected channel", }
    [T] TrySendError<T> {
        Self::Full(_) => "sending on a full channel",
        Self::Disconnected(_) => "sending on a disconnected channel",
    }
    [T] SendTimeoutError<T> {
        Self::Timeout(_) => "timed out waiting on send operation",
        Self::Disconnected(_) => "sending on a disconnected channel",
    }
    [] RecvError { _ => "receiving on an empty and disconnected channel", }
    [] TryRecvError {
        Self::Empty => "receiving on an empty channel",
        Self::Disconnected => "receiving on an empty and disconnected channel",
    }
    [] RecvTimeoutError {
        Self::Timeout => "timed out waiting on receive operation",
        Self::Disconnected => "channel is empty and disconnected",
    }
    [] TrySelectError { _ => "all operations in select would block", }
    [] SelectTimeoutError { _ => "timed out waiting on select", }
    [] TryReadyError { _ => "no operation is ready", }
    [] ReadyTimeoutError { _ => "no operation was ready in time", }
}

impl<T: Send> Error for SendError<T> {}
impl<T: Send> Error for TrySendError<T> {}
impl<T: Send> Error for SendTimeoutError<T> {}
impl Error for RecvError {}
impl Error for TryRecvError {}
impl Error for RecvTimeoutError {}
impl Error for TrySelectError {}
impl Error for SelectTimeoutError {}
impl Error for TryReadyError {}
impl Error for ReadyTimeoutError {}
