//! Senders as sinks.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_sink::Sink;

use super::owned::Owned;
use crate::channel::handles::{self, SendEnd};
use crate::error::SendError;
use crate::select::Operation;
use crate::{Permit, ReserveFuture, Sender, broadcast, latest};

/// A sender as a sink; made by [`Sender::sink`].
///
/// It is ready when it has reserved room: the message that follows is sent at once, and there is
/// nothing to flush. The room is given back when the sink is closed or dropped. Closing the sink
/// does not close the channel.
///
/// # Errors
/// [`SendError`] if the channel is closed, or all receivers are gone; with the message, if there was one.
///
/// # Panics
/// `start_send` panics unless the sink has returned that it is ready.
#[must_use = "a sink does nothing unless it is polled"]
pub struct SendSink<'a, T> {
    // Given back before the future that reserves the next room is dropped.
    permit: Option<Permit<'a, T>>,
    reserving: ReserveFuture<'a, T>,
}

/// A sender of one thread as a sink; made by [`handles::Sender::sink`].
///
/// It is ready when it holds no message. A message that finds no room stays in the sink, which
/// waits when it is polled for the next message, or to be flushed or closed. A message in the sink
/// is dropped with it.
///
/// # Errors
/// [`SendError`] if the channel is closed, or all receivers are gone; with the message, if there was one.
///
/// # Panics
/// `start_send` panics if the sink holds a message, that is, unless it has returned that it is
/// ready.
#[must_use = "a sink does nothing unless it is polled"]
pub struct HandleSink<'a, P: SendEnd>(handles::SendFuture<'a, &'a mut P>);

/// A sink that has a sender; made by [`Sender::into_sink`] and [`handles::Sender::into_sink`].
///
/// It works as the sender's `sink` does. Closing it drops the sender: the channel is closed with
/// its last sender. Each send after that fails.
#[must_use = "a sink does nothing unless it is polled"]
pub struct IntoSink<S: Sinks>(Option<Owned<S, S::Sink>>);

mod sealed {
    use super::{SendError, Sink};

    /// Senders.
    pub trait Sinks: 'static {
        type Message;
        type Sink: Sink<Self::Message, Error = SendError<Option<Self::Message>>> + Unpin;

        fn as_sink(&'static mut self) -> Self::Sink;
    }
}

use sealed::Sinks;

impl<T: 'static> Sinks for Sender<T> {
    type Message = T;
    type Sink = SendSink<'static, T>;

    fn as_sink(&'static mut self) -> Self::Sink {
        self.sink()
    }
}

impl<P: SendEnd + 'static> Sinks for handles::Sender<P> {
    type Message = P::Message;
    type Sink = HandleSink<'static, P>;

    fn as_sink(&'static mut self) -> Self::Sink {
        self.sink()
    }
}

impl<T> Sender<T> {
    /// Returns the sender as a sink.
    pub fn sink(&self) -> SendSink<'_, T> {
        SendSink { permit: None, reserving: self.reserve_async() }
    }

    /// Makes the sender a sink.
    pub fn into_sink(self) -> IntoSink<Self>
    where
        T: 'static,
    {
        IntoSink::new(self)
    }
}

impl<P: SendEnd> handles::Sender<P> {
    /// Returns the sender as a sink.
    pub fn sink(&mut self) -> HandleSink<'_, P> {
        HandleSink(self.sending_soon(None))
    }

    /// Makes the sender a sink.
    pub fn into_sink(self) -> IntoSink<Self>
    where
        P: 'static,
    {
        IntoSink::new(self)
    }
}

impl<S: Sinks> IntoSink<S> {
    fn new(sender: S) -> Self {
        Self(Some(Owned::new(sender, S::as_sink)))
    }
}

// No message is pinned.
impl<T> Unpin for SendSink<'_, T> {}
impl<P: SendEnd> Unpin for HandleSink<'_, P> {}
impl<S: Sinks> Unpin for IntoSink<S> {}

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
        let this = self.get_mut();
        this.permit = None;
        // A reservation that waits would get a receiver that no thread serves.
        this.reserving.leave();
        Poll::Ready(Ok(()))
    }
}

impl<P: SendEnd> Sink<P::Message> for HandleSink<'_, P> {
    type Error = SendError<Option<P::Message>>;

    fn poll_ready(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        let sent = self.get_mut().0.0.poll(context);
        sent.map(|sent| sent.map_err(|SendError(message)| SendError(Some(message))))
    }

    fn start_send(self: Pin<&mut Self>, message: P::Message) -> Result<(), Self::Error> {
        let waiting = &mut self.get_mut().0.0;
        let place = &mut waiting.attempt.message;
        assert!(place.is_none(), "a sink is asked whether it is ready");
        *place = Some(message);
        match waiting.attempt() {
            Some(Err(SendError(message))) => Err(SendError(Some(message))),
            Some(Ok(())) | None => Ok(()),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.poll_ready(context)
    }

    fn poll_close(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.poll_ready(context)
    }
}

impl<S: Sinks> Sink<S::Message> for IntoSink<S> {
    type Error = SendError<Option<S::Message>>;

    fn poll_ready(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        match &mut self.get_mut().0 {
            Some(sink) => Pin::new(sink.borrower()).poll_ready(context),
            None => Poll::Ready(Err(SendError(None))),
        }
    }

    fn start_send(self: Pin<&mut Self>, message: S::Message) -> Result<(), Self::Error> {
        match &mut self.get_mut().0 {
            Some(sink) => Pin::new(sink.borrower()).start_send(message),
            None => Err(SendError(Some(message))),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        match &mut self.get_mut().0 {
            Some(sink) => Pin::new(sink.borrower()).poll_flush(context),
            None => Poll::Ready(Ok(())),
        }
    }

    fn poll_close(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        let flushed = self.as_mut().poll_flush(context);
        if flushed.is_ready() {
            self.get_mut().0 = None;
        }
        flushed
    }
}

impl<T> fmt::Debug for SendSink<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendSink").finish_non_exhaustive()
    }
}

impl<P: SendEnd> fmt::Debug for HandleSink<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandleSink").finish_non_exhaustive()
    }
}

impl<S: Sinks> fmt::Debug for IntoSink<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoSink").finish_non_exhaustive()
    }
}

/// Senders that never wait are sinks themselves: always ready, with nothing to flush. Closing such
/// a sink does nothing.
macro_rules! sinks {
    ($($sender:ty;)*) => {$(
        impl<T> Sink<T> for $sender {
            type Error = SendError<T>;

            fn poll_ready(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Result<(), SendError<T>>> {
                Poll::Ready(Ok(()))
            }

            fn start_send(self: Pin<&mut Self>, message: T) -> Result<(), SendError<T>> {
                self.send(message)
            }

            fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Result<(), SendError<T>>> {
                Poll::Ready(Ok(()))
            }

            fn poll_close(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<Result<(), SendError<T>>> {
                Poll::Ready(Ok(()))
            }
        }
    )*};
}

sinks! {
    broadcast::Sender<T>;
    latest::Sender<T>;
}
