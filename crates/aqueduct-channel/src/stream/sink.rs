//! Senders as sinks.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_sink::Sink;

use super::owned::Owned;
use crate::error::SendError;
use crate::{Permit, ReserveFuture, Sender};

/// A sender as a sink; made by [`Sender::sink`].
///
/// It is ready when it has reserved room: the message that follows is sent at once, and there is nothing to flush. The
/// room is given back when the sink is closed or dropped. Closing the sink does not close the channel.
///
/// # Errors
/// [`SendError`] if the channel is closed, or all receivers are gone; with the message, if there was one.
///
/// # Panics
/// `start_send` panics unless the sink has said that it is ready.
#[must_use = "a sink does nothing unless it is polled"]
pub struct SendSink<'a, T> {
    // Given back before the future that reserves the next room is dropped.
    permit: Option<Permit<'a, T>>,
    reserving: ReserveFuture<'a, T>,
}

/// A sink that has a sender; made by [`Sender::into_sink`].
///
/// It works as a [`SendSink`] does. Closing it drops the sender: the channel is closed with its last sender. Each send
/// after that fails.
#[must_use = "a sink does nothing unless it is polled"]
pub struct IntoSink<T: 'static>(Option<Owned<Sender<T>, SendSink<'static, T>>>);

impl<T> Sender<T> {
    /// Returns the sender as a sink.
    pub fn sink(&self) -> SendSink<'_, T> {
        SendSink { permit: None, reserving: self.reserve_async() }
    }

    /// Makes the sender a sink.
    pub fn into_sink(self) -> IntoSink<T>
    where
        T: 'static,
    {
        IntoSink(Some(Owned::new(self, |sender| sender.sink())))
    }
}

// No message is pinned.
impl<T> Unpin for SendSink<'_, T> {}
impl<T> Unpin for IntoSink<T> {}

impl<T> Sink<T> for SendSink<'_, T> {
    type Error = SendError<Option<T>>;

    fn poll_ready(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        let this = self.get_mut();
        if this.permit.is_some() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut this.reserving).poll(context).map(|permit| {
            this.permit = Some(permit.map_err(|_| SendError(None))?);
            Ok(())
        })
    }

    fn start_send(self: Pin<&mut Self>, message: T) -> Result<(), Self::Error> {
        let permit = self.get_mut().permit.take().expect("a sink is asked whether it is ready");
        permit.send(message).map_err(|SendError(message)| SendError(Some(message)))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.get_mut().permit = None;
        Poll::Ready(Ok(()))
    }
}

impl<T> Sink<T> for IntoSink<T> {
    type Error = SendError<Option<T>>;

    fn poll_ready(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        match &mut self.get_mut().0 {
            Some(sink) => Pin::new(sink.borrower()).poll_ready(context),
            None => Poll::Ready(Err(SendError(None))),
        }
    }

    fn start_send(self: Pin<&mut Self>, message: T) -> Result<(), Self::Error> {
        match &mut self.get_mut().0 {
            Some(sink) => Pin::new(sink.borrower()).start_send(message),
            None => Err(SendError(Some(message))),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.get_mut().0 = None;
        Poll::Ready(Ok(()))
    }
}

impl<T> fmt::Debug for SendSink<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendSink").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for IntoSink<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoSink").finish_non_exhaustive()
    }
}
