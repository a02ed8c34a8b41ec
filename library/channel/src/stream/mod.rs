//! `Stream` and `Sink` of the futures crates (feature `futures`).
//!
//! Each receiver has `stream`, which borrows it, and `into_stream`, which takes it along; each
//! sender has `sink` and `into_sink`. Senders of [`broadcast`] and [`latest`], which never wait,
//! are sinks themselves.
//!
//! ```
//! use aqueduct_channel::{Receiver, Sender, bounded};
//! use futures_util::StreamExt;
//!
//! async fn double(from: Receiver<u32>, to: Sender<u32>) {
//!     // The sink reserves room before the stream takes a message.
//!     let _ = from.stream().map(|number| Ok(2 * number)).forward(to.sink()).await;
//! }
//!
//! let ((input, from), (to, output)) = (bounded(4)?, bounded(4)?);
//! (1..=3).try_for_each(|number| input.send(number))?;
//! drop(input);
//! futures_util::FutureExt::now_or_never(double(from, to));
//! assert_eq!(output.iter().collect::<Vec<_>>(), [2, 4, 6]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Streams and sinks can be dropped at any time: no message is lost, and no wake-up of another
//! handle. (A sink of a [handle](handles) that is not flushed may hold a message, which is dropped
//! with it.) A stream or sink that has returned `Pending` waits in the queue of its channel until
//! it is polled again or dropped: the next wake-up may be its own.

mod owned;
mod sink;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::stream::{FusedStream, Stream};

use crate::channel::handles;
use crate::error::RecvError;
use crate::{broadcast, latest};
use owned::Owned;
pub use sink::{HandleSink, IntoSink, SendSink};

mod sealed {
    use super::{Future, RecvError};

    /// Futures that receive one message each time that they are ready.
    pub trait Receiving: Future<Output = Result<Self::Message, RecvError>> + Unpin {
        type Message;
    }

    /// Receivers.
    pub trait Streams: 'static {
        type Receiving: Receiving;

        fn receiving(&'static mut self) -> Self::Receiving;
    }
}

use sealed::{Receiving, Streams};

/// The messages of a channel until its end; made by a receiver's `stream`.
///
/// Each message is received when the stream returns it, and not before.
#[must_use = "a stream does nothing unless it is polled"]
pub struct RecvStream<F> {
    receiving: F,
    is_over: bool,
}

impl<F: Receiving> RecvStream<F> {
    fn new(receiving: F) -> Self {
        Self { receiving, is_over: false }
    }
}

impl<F: Receiving> Stream for RecvStream<F> {
    type Item = F::Message;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<F::Message>> {
        let this = self.get_mut();
        if this.is_over {
            return Poll::Ready(None);
        }
        let result = Pin::new(&mut this.receiving).poll(context);
        this.is_over = matches!(result, Poll::Ready(Err(_)));
        result.map(Result::ok)
    }
}

impl<F: Receiving> FusedStream for RecvStream<F> {
    fn is_terminated(&self) -> bool {
        self.is_over
    }
}

impl<F> fmt::Debug for RecvStream<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvStream").finish_non_exhaustive()
    }
}

/// The messages of a channel until its end, with the receiver; made by a receiver's `into_stream`.
#[must_use = "a stream does nothing unless it is polled"]
pub struct IntoStream<R: Streams>(Owned<R, RecvStream<R::Receiving>>);

impl<R: Streams> IntoStream<R> {
    fn new(receiver: R) -> Self {
        Self(Owned::new(receiver, |receiver| RecvStream::new(receiver.receiving())))
    }
}

impl<R: Streams> Stream for IntoStream<R> {
    type Item = <R::Receiving as Receiving>::Message;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(self.get_mut().0.borrower()).poll_next(context)
    }
}

impl<R: Streams> fmt::Debug for IntoStream<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntoStream").finish_non_exhaustive()
    }
}

macro_rules! streams {
    ($([$($of:tt)*] $receiver:ty, $message:ty, [$($mut:tt)?] $future:ty, $owned:ty;)*) => {$(
        impl<'a, $($of)*> Receiving for $future {
            type Message = $message;
        }

        impl<$($of)*> Streams for $receiver
        where
            $receiver: 'static,
        {
            type Receiving = $owned;

            fn receiving(&'static mut self) -> $owned {
                self.recv_async()
            }
        }

        impl<$($of)*> $receiver {
            /// Returns the messages as a stream, which ends when the channel is closed and empty.
            pub fn stream<'a>(&'a $($mut)? self) -> RecvStream<$future> {
                RecvStream::new(self.recv_async())
            }

            /// Makes the receiver a stream, which ends when the channel is closed and empty.
            pub fn into_stream(self) -> IntoStream<Self>
            where
                Self: 'static,
            {
                IntoStream::new(self)
            }
        }
    )*};
}

streams! {
    [T] crate::Receiver<T>, T, [] crate::RecvFuture<'a, T>, crate::RecvFuture<'static, T>;
    [C: handles::RecvEnd] handles::Receiver<C>, C::Message, [mut] handles::RecvFuture<'a, &'a mut Option<C>, C>,
        handles::RecvFuture<'static, &'static mut Option<C>, C>;
    [T: Clone] broadcast::Receiver<T>, T, [mut] broadcast::RecvFuture<'a, T>, broadcast::RecvFuture<'static, T>;
    [T: Clone] latest::Receiver<T>, T, [mut] latest::RecvFuture<'a, T>, latest::RecvFuture<'static, T>;
}
