//! Sending and receiving in tasks, by handles that threads share.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::buffer::Buffer;
use super::core::{Core, Receiving, Sending};
use crate::error::{RecvError, SendError};
use crate::event::Waiting;

/// A future that sends a message; made by [`Sender::send_async`](crate::Sender::send_async).
///
/// Dropping it before it is ready drops the message: it is not sent then. No other sender's wake-up is lost.
#[must_use = "a future does nothing unless it is awaited"]
pub struct SendFuture<'a, T>(pub(crate) Waiting<'a, Sending<'a, &'a Buffer<T>>>);

impl<'a, T> SendFuture<'a, T> {
    pub(super) fn new(core: &'a Core<()>, buffer: &'a Buffer<T>, message: T) -> Self {
        Self(Waiting::new(core.room(), Sending { core, end: buffer, message: Some(message) }))
    }
}

// The message is not pinned.
impl<T> Unpin for SendFuture<'_, T> {}

impl<T> Future for SendFuture<'_, T> {
    type Output = Result<(), SendError<T>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.poll(context)
    }
}

impl<T> fmt::Debug for SendFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendFuture").finish_non_exhaustive()
    }
}

/// A future that receives a message; made by [`Receiver::recv_async`](crate::Receiver::recv_async).
///
/// Dropping it before it is ready takes no message from the channel. No other receiver's wake-up is lost.
#[must_use = "a future does nothing unless it is awaited"]
pub struct RecvFuture<'a, T>(pub(crate) Waiting<'a, Receiving<'a, &'a Buffer<T>, ()>>);

impl<'a, T> RecvFuture<'a, T> {
    pub(super) fn new(core: &'a Core<()>, buffer: &'a Buffer<T>) -> Self {
        Self(Waiting::new(core.messages(), Receiving { core, end: buffer }))
    }
}

impl<T> Unpin for RecvFuture<'_, T> {}

impl<T> Future for RecvFuture<'_, T> {
    type Output = Result<T, RecvError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.poll(context)
    }
}

impl<T> fmt::Debug for RecvFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvFuture").finish_non_exhaustive()
    }
}
