//! Sending and receiving in tasks.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::channel::core::{Core, Receiving, Sending};
use crate::channel::queues::{RecvEnd, SendEnd};
use crate::error::{RecvError, SendError};
use crate::event::Waiting;
use crate::select::operations;

/// A future that sends a message; made by `send_async`.
///
/// Dropping it before it is ready drops the message: it is not sent then. No other sender's wake-up
/// is lost. Polled again after it was ready, it is ready, and sends nothing.
#[must_use = "a future does nothing unless it is awaited"]
pub struct SendFuture<'a, E: SendEnd>(pub(crate) Waiting<'a, Sending<'a, E>>);

impl<'a, E: SendEnd> SendFuture<'a, E> {
    /// Makes a send of a message that exists, or of one that will be put into the future.
    pub(crate) fn new(core: &'a Core<E::Left>, end: E, message: Option<E::Message>) -> Self {
        Self(Waiting::new(core.room(), Sending { core, end, message }))
    }
}

// Neither the message nor the end is pinned.
impl<E: SendEnd> Unpin for SendFuture<'_, E> {}

impl<E: SendEnd> Future for SendFuture<'_, E> {
    type Output = Result<(), SendError<E::Message>>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.poll(context)
    }
}

impl<E: SendEnd> fmt::Debug for SendFuture<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendFuture").finish_non_exhaustive()
    }
}

/// A future that receives a message; made by `recv_async`.
///
/// Dropping it before it is ready takes no message from the channel. No other receiver's wake-up is
/// lost. Polled again after it was ready, it receives the next message.
#[must_use = "a future does nothing unless it is awaited"]
pub struct RecvFuture<'a, E, L>(pub(crate) Waiting<'a, Receiving<'a, E, L>>);

impl<'a, E: RecvEnd<Left = L>, L> RecvFuture<'a, E, L> {
    pub(crate) fn new(core: &'a Core<L>, end: E) -> Self {
        Self(Waiting::new(core.messages(), Receiving { core, end }))
    }
}

// The end is not pinned.
impl<E, L> Unpin for RecvFuture<'_, E, L> {}

impl<E: RecvEnd<Left = L>, L> Future for RecvFuture<'_, E, L> {
    type Output = Result<E::Message, RecvError>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.poll(context)
    }
}

impl<E, L> fmt::Debug for RecvFuture<'_, E, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvFuture").finish_non_exhaustive()
    }
}

operations! {
    [E: RecvEnd<Left = L>, L] RecvFuture<'_, E, L> => Result<E::Message, RecvError>;
    [E: SendEnd] SendFuture<'_, E> => Result<(), SendError<E::Message>>;
}
