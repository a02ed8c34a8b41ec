//! The first of several operations.

use std::fmt;
use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aqueduct_channel as ours;

use crate::channel::{Kind, Receiver, Sender};
use crate::error::{ReadyTimeoutError, RecvError, SelectTimeoutError, SendError, TryReadyError, TrySelectError};
use crate::timer::Never;

static NEVER: Never = Never;

/// A choice of the first of several operations.
#[derive(Clone, Default)]
pub struct Select<'a>(ours::IndexSelect<'a>);

impl<'a> Select<'a> {
    /// Makes an empty choice. If several operations are possible, it takes a random one.
    #[must_use]
    pub fn new() -> Self {
        Self(ours::IndexSelect::new())
    }

    /// Makes an empty choice. If several operations are possible, it takes the first one.
    #[must_use]
    pub fn new_biased() -> Self {
        Self(ours::IndexSelect::biased())
    }

    /// Adds a send, and returns its index.
    pub fn send<T>(&mut self, s: &'a Sender<T>) -> usize {
        self.0.send(&s.0)
    }

    /// Adds a receive, and returns its index.
    pub fn recv<T>(&mut self, r: &'a Receiver<T>) -> usize {
        match &r.0 {
            Kind::Channel(receiver) => self.0.recv(receiver),
            Kind::Timer(timer, _) => self.0.add(&**timer),
            Kind::Never => self.0.add(&NEVER),
        }
    }

    /// Removes an operation.
    ///
    /// # Panics
    /// If there is no operation with this index.
    pub fn remove(&mut self, index: usize) {
        self.0.remove(index);
    }

    /// Chooses an operation that is possible at once.
    ///
    /// # Errors
    /// [`TrySelectError`] if no operation is possible.
    pub fn try_select(&mut self) -> Result<SelectedOperation<'a>, TrySelectError> {
        self.0.try_select().map(SelectedOperation).ok_or(TrySelectError)
    }

    /// Waits for an operation to be possible, and chooses it.
    ///
    /// # Panics
    /// If there is no operation.
    pub fn select(&mut self) -> SelectedOperation<'a> {
        SelectedOperation(self.0.select())
    }

    /// Waits for an operation to be possible, at most for `timeout`, and chooses it.
    ///
    /// # Errors
    /// [`SelectTimeoutError`] if no operation became possible.
    pub fn select_timeout(&mut self, timeout: Duration) -> Result<SelectedOperation<'a>, SelectTimeoutError> {
        self.0.select_timeout(timeout).map(SelectedOperation).ok_or(SelectTimeoutError)
    }

    /// Waits for an operation to be possible, at most until `deadline`, and chooses it.
    ///
    /// # Errors
    /// [`SelectTimeoutError`] if no operation became possible.
    pub fn select_deadline(&mut self, deadline: Instant) -> Result<SelectedOperation<'a>, SelectTimeoutError> {
        self.0.select_deadline(deadline).map(SelectedOperation).ok_or(SelectTimeoutError)
    }

    /// Returns the index of an operation that is possible.
    ///
    /// # Errors
    /// [`TryReadyError`] if no operation is possible.
    pub fn try_ready(&mut self) -> Result<usize, TryReadyError> {
        self.0.try_ready().ok_or(TryReadyError)
    }

    /// Waits for an operation to be possible, and returns its index.
    ///
    /// # Panics
    /// If there is no operation.
    pub fn ready(&mut self) -> usize {
        self.0.ready()
    }

    /// Waits for an operation to be possible, at most for `timeout`, and returns its index.
    ///
    /// # Errors
    /// [`ReadyTimeoutError`] if no operation became possible.
    pub fn ready_timeout(&mut self, timeout: Duration) -> Result<usize, ReadyTimeoutError> {
        self.0.ready_timeout(timeout).ok_or(ReadyTimeoutError)
    }

    /// Waits for an operation to be possible, at most until `deadline`, and returns its index.
    ///
    /// # Errors
    /// [`ReadyTimeoutError`] if no operation became possible.
    pub fn ready_deadline(&mut self, deadline: Instant) -> Result<usize, ReadyTimeoutError> {
        self.0.ready_deadline(deadline).ok_or(ReadyTimeoutError)
    }
}

impl fmt::Debug for Select<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Select { .. }")
    }
}

/// An operation that has been chosen, and that must be completed.
#[must_use]
pub struct SelectedOperation<'a>(ours::SelectedOperation<'a>);

impl SelectedOperation<'_> {
    /// Returns the operation's index.
    #[must_use]
    pub fn index(&self) -> usize {
        self.0.index()
    }

    /// Sends the message.
    ///
    /// # Errors
    /// [`SendError`] gives the message back if the channel is disconnected.
    ///
    /// # Panics
    /// If the operation is not of this sender.
    pub fn send<T>(self, s: &Sender<T>, msg: T) -> Result<(), SendError<T>> {
        self.0.send(&s.0, msg).map_err(SendError::from)
    }

    /// Returns the message.
    ///
    /// # Errors
    /// [`RecvError`] if the channel is empty and disconnected.
    ///
    /// # Panics
    /// If the operation is not of this receiver.
    pub fn recv<T>(self, r: &Receiver<T>) -> Result<T, RecvError> {
        match &r.0 {
            Kind::Channel(receiver) => self.0.recv(receiver).map_err(RecvError::from),
            Kind::Timer(timer, message) => {
                assert!(self.0.is_of(Arc::as_ptr(timer).cast()), "passed a receiver that wasn't selected");
                // SAFETY: the operation is a timer's, whose message is a time.
                unsafe { self.0.into_token().into_message() }.map(message).ok_or(RecvError)
            }
            Kind::Never => {
                assert!(self.0.is_of(ptr::from_ref(&NEVER).cast()), "passed a receiver that wasn't selected");
                Err(RecvError)
            }
        }
    }
}

impl fmt::Debug for SelectedOperation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("SelectedOperation { .. }")
    }
}
