//! Sending, receiving and reserving in tasks, by handles that threads share.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::channel::Channel;
use crate::channel::core::{Receiving, Sending};
use crate::channel::permits::{Permit, Reserving};
use crate::channel::queues::Buffer;
use crate::channel::rendezvous::{self, RecvMeeting, SendMeeting};
use crate::error::{RecvError, SendError};
use crate::event::Waiting;
use crate::select::{Case, Operation, Progress, sealed};
use crate::wake::Caller;

/// A future that sends a message; made by [`Sender::send_async`](crate::Sender::send_async).
///
/// Dropping it before it is ready drops the message: it is not sent then, unless a receiver of a
/// rendezvous has just taken it. No other sender's wake-up is lost. Polled again after it was
/// ready, it is ready, and sends nothing.
///
/// A future that has waited and is *forgotten* ([`std::mem::forget`]) keeps its place in the queue
/// of waiters: it may get the next wake-up for a sender, which is then lost. Drop futures.
#[must_use = "a future does nothing unless it is awaited"]
pub struct SendFuture<'a, T>(SendKind<'a, T>);

enum SendKind<'a, T> {
    Buffered(Waiting<'a, Sending<'a, &'a Buffer<T>>>),
    Rendezvous(SendMeeting<'a, T>),
}

impl<'a, T> SendFuture<'a, T> {
    pub(super) fn new(channel: &'a Channel<T>, message: T) -> Self {
        Self(match channel {
            Channel::Buffered(core, buffer) => {
                let sending = Sending { core, end: buffer, message: Some(message) };
                SendKind::Buffered(Waiting::new(core.room(), sending))
            }
            Channel::Rendezvous(rendezvous) => SendKind::Rendezvous(SendMeeting::new(rendezvous, Some(message))),
        })
    }
}

/// A future that receives a message; made by [`Receiver::recv_async`](crate::Receiver::recv_async).
///
/// Dropping it before it is ready takes no message from the channel: one that a sender has just
/// handed to it goes to the next receiver. No other receiver's wake-up is lost. Polled again after
/// it was ready, it receives the next message.
///
/// A future that has waited and is *forgotten* ([`std::mem::forget`]) keeps its place in the queue
/// of waiters: it may get the next wake-up for a receiver, which is then lost. Drop futures.
#[must_use = "a future does nothing unless it is awaited"]
pub struct RecvFuture<'a, T>(RecvKind<'a, T>);

enum RecvKind<'a, T> {
    Buffered(Waiting<'a, Receiving<'a, &'a Buffer<T>, ()>>),
    Rendezvous(RecvMeeting<'a, T>),
}

impl<'a, T> RecvFuture<'a, T> {
    pub(super) fn new(channel: &'a Channel<T>) -> Self {
        Self(match channel {
            Channel::Buffered(core, buffer) => {
                RecvKind::Buffered(Waiting::new(core.messages(), Receiving { core, end: buffer }))
            }
            Channel::Rendezvous(rendezvous) => RecvKind::Rendezvous(RecvMeeting::new(rendezvous)),
        })
    }
}

/// A future that reserves room for a message; made by
/// [`Sender::reserve_async`](crate::Sender::reserve_async).
///
/// Dropping it before it is ready reserves nothing. No other sender's wake-up is lost. Polled again
/// after it was ready, it reserves room for another message.
#[must_use = "a future does nothing unless it is awaited"]
pub struct ReserveFuture<'a, T>(ReserveKind<'a, T>);

enum ReserveKind<'a, T> {
    Buffered(Waiting<'a, Reserving<'a, T>>),
    Rendezvous(SendMeeting<'a, T>),
}

impl<'a, T> ReserveFuture<'a, T> {
    pub(super) fn new(channel: &'a Channel<T>) -> Self {
        Self(match channel {
            Channel::Buffered(core, buffer) => {
                ReserveKind::Buffered(Waiting::new(core.room(), Reserving { core, buffer }))
            }
            Channel::Rendezvous(rendezvous) => ReserveKind::Rendezvous(SendMeeting::new(rendezvous, None)),
        })
    }
}

/// A send that has met a receiver, or the end of the channel.
fn sent<T>(meeting: &mut SendMeeting<'_, T>, result: Result<Option<usize>, SendError<()>>) -> Result<(), SendError<T>> {
    match (result, meeting.message.take()) {
        (Err(_), Some(message)) => Err(SendError(message)),
        _ => Ok(()),
    }
}

/// A sender that has met a receiver, or the end of the channel.
fn reserved<'a, T>(
    meeting: &SendMeeting<'a, T>,
    result: Result<Option<usize>, SendError<()>>,
) -> Result<Permit<'a, T>, SendError<()>> {
    match result? {
        Some(receiver) => Ok(Permit::promise(meeting.rendezvous(), receiver)),
        None => Err(SendError(())),
    }
}

macro_rules! tasks {
    ($($name:literal: [$life:lifetime] $future:ident, $kind:ident => $output:ty, $met:expr;)*) => {$(
        // Neither the message nor the channel is pinned.
        impl<T> Unpin for $future<'_, T> {}

        impl<T> sealed::Sealed for $future<'_, T> {}

        impl<$life, T> Operation for $future<$life, T> {
            type Output = $output;

            fn attempt(&mut self) -> Progress<$output> {
                match &mut self.0 {
                    $kind::Buffered(waiting) => waiting.attempt().into(),
                    $kind::Rendezvous(meeting) => meeting.attempt().map(|result| $met(meeting, result)),
                }
            }

            fn attempt_now(&mut self) -> Progress<$output> {
                match &mut self.0 {
                    $kind::Buffered(waiting) => waiting.attempt_now().into(),
                    $kind::Rendezvous(meeting) => meeting.attempt_now().map(|result| $met(meeting, result)),
                }
            }

            fn poll_by(&mut self, caller: Caller<'_>, case: Case<'_>) -> Progress<$output> {
                match &mut self.0 {
                    $kind::Buffered(waiting) => waiting.poll_by(caller).into(),
                    $kind::Rendezvous(meeting) => meeting.poll_by(caller, case).map(|result| $met(meeting, result)),
                }
            }

            fn give_up(&mut self) -> Progress<$output> {
                match &mut self.0 {
                    $kind::Buffered(waiting) => waiting.give_up().into(),
                    $kind::Rendezvous(meeting) => meeting.give_up().map(|result| $met(meeting, result)),
                }
            }

            fn leave(&mut self) {
                match &mut self.0 {
                    $kind::Buffered(waiting) => waiting.leave(),
                    $kind::Rendezvous(meeting) => meeting.leave(),
                }
            }

            fn meets(&self) -> bool {
                matches!(self.0, $kind::Rendezvous(_))
            }
        }

        impl<$life, T> Future for $future<$life, T> {
            type Output = $output;

            #[inline]
            fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<$output> {
                match &mut self.get_mut().0 {
                    $kind::Buffered(waiting) => waiting.poll(context),
                    $kind::Rendezvous(meeting) => rendezvous::poll(meeting, context).map(|result| $met(meeting, result)),
                }
            }
        }

        impl<T> fmt::Debug for $future<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct($name).finish_non_exhaustive()
            }
        }
    )*};
}

tasks! {
    "SendFuture": ['a] SendFuture, SendKind => Result<(), SendError<T>>, sent;
    "RecvFuture": ['a] RecvFuture, RecvKind => Result<T, RecvError>, |_: &RecvMeeting<'_, T>, result| result;
    "ReserveFuture": ['a] ReserveFuture, ReserveKind => Result<Permit<'a, T>, SendError<()>>, reserved;
}
