//! A send and a receive of a rendezvous, as operations.

use std::task::{Context, Poll};

use super::{Met, Rendezvous};
use crate::error::{RecvError, SendError};
use crate::select::{Case, Operation, Progress, Stay, sealed};
use crate::wake::Caller;

/// Repeats a meeting whose partner withdraws, until it is complete or the task has to wait.
#[inline(never)]
pub(crate) fn poll<M: Operation>(meeting: &mut M, context: &mut Context<'_>) -> Poll<M::Output> {
    loop {
        match meeting.poll_by(Caller::Task(context.waker()), None) {
            Progress::Done(result) => return Poll::Ready(result),
            Progress::Missed | Progress::Bound => return Poll::Pending,
            Progress::Broken => {}
        }
    }
}

/// Sends a message, or finds a receiver for a message that will be made.
#[derive(Debug)]
pub(crate) struct SendMeeting<'a, T> {
    rendezvous: &'a Rendezvous<T>,
    place: Option<usize>,
    /// True if the message will be made later.
    reserves: bool,
    /// The message, unless it is in the channel's list, or will be made later.
    pub(crate) message: Option<T>,
}

impl<'a, T> SendMeeting<'a, T> {
    /// Makes a send of a message that exists, or of one that will be made.
    pub(crate) fn new(rendezvous: &'a Rendezvous<T>, message: Option<T>) -> Self {
        Self { rendezvous, place: None, reserves: message.is_none(), message }
    }

    pub(crate) fn rendezvous(&self) -> &'a Rendezvous<T> {
        self.rendezvous
    }

    fn send(&mut self, stay: Stay<'_>, case: Case<'_>) -> Progress<Result<Met, SendError<()>>> {
        // Without its message, a send would be a reservation whose promise is never kept.
        if !self.reserves && self.message.is_none() && self.place.is_none() {
            return Progress::Done(Ok(None));
        }
        self.rendezvous.send(&mut self.place, &mut self.message, stay, case)
    }
}

impl<T> sealed::Sealed for SendMeeting<'_, T> {}

impl<T> Operation for SendMeeting<'_, T> {
    type Output = Result<Met, SendError<()>>;

    fn attempt(&mut self) -> Progress<Self::Output> {
        self.send(Stay::Soon, None)
    }

    fn attempt_now(&mut self) -> Progress<Self::Output> {
        self.send(Stay::Never, None)
    }

    fn poll_by(&mut self, caller: Caller<'_>, case: Case<'_>) -> Progress<Self::Output> {
        self.send(Stay::Listed(caller), case)
    }

    fn give_up(&mut self) -> Progress<Self::Output> {
        self.rendezvous.give_up_send(&mut self.place, &mut self.message)
    }

    fn leave(&mut self) {
        if !self.rendezvous.withdraw_send(&mut self.place, &mut self.message) {
            self.rendezvous.leave_send(&mut self.place);
        }
    }

    fn meets(&self) -> bool {
        true
    }
}

impl<T> Drop for SendMeeting<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if self.place.is_some() {
            self.rendezvous.leave_send(&mut self.place);
        }
    }
}

/// Receives a message.
#[derive(Debug)]
pub(crate) struct RecvMeeting<'a, T> {
    rendezvous: &'a Rendezvous<T>,
    place: Option<usize>,
}

impl<'a, T> RecvMeeting<'a, T> {
    pub(crate) fn new(rendezvous: &'a Rendezvous<T>) -> Self {
        Self { rendezvous, place: None }
    }
}

impl<T> sealed::Sealed for RecvMeeting<'_, T> {}

impl<T> Operation for RecvMeeting<'_, T> {
    type Output = Result<T, RecvError>;

    fn attempt(&mut self) -> Progress<Self::Output> {
        self.rendezvous.recv(&mut self.place, Stay::Soon, None)
    }

    fn attempt_now(&mut self) -> Progress<Self::Output> {
        self.rendezvous.recv(&mut self.place, Stay::Never, None)
    }

    fn poll_by(&mut self, caller: Caller<'_>, case: Case<'_>) -> Progress<Self::Output> {
        self.rendezvous.recv(&mut self.place, Stay::Listed(caller), case)
    }

    fn give_up(&mut self) -> Progress<Self::Output> {
        self.rendezvous.give_up_recv(&mut self.place)
    }

    fn leave(&mut self) {
        self.rendezvous.leave_recv(&mut self.place);
    }

    fn meets(&self) -> bool {
        true
    }
}

impl<T> Drop for RecvMeeting<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if self.place.is_some() {
            self.leave();
        }
    }
}
