//! Waiting in a task.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::attempt::{Attempt, Unknown};
use super::{Event, Waiter};
use crate::wake::Caller;

/// A future that repeats an attempt until it succeeds.
#[derive(Debug)]
pub(crate) struct Waiting<'a, A> {
    waiter: Waiter<'a>,
    pub(crate) attempt: A,
}

impl<'a, A: Attempt> Waiting<'a, A> {
    pub(crate) fn new(event: &'a Event, attempt: A) -> Self {
        Self { waiter: Waiter::new(event), attempt }
    }

    #[inline(always)]
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<A::Output> {
        self.poll_by(Caller::Task(context.waker())).map_or(Poll::Pending, Poll::Ready)
    }

    /// Makes attempts as [`Waiter::poll`]. After `None` the caller will be woken.
    #[inline(always)]
    pub(crate) fn poll_by(&mut self, caller: Caller<'_>) -> Option<A::Output> {
        // Most futures are ready at once: their attempt is compiled into the caller.
        if self.waiter.is_new() {
            match self.attempt.attempt() {
                Ok(result) => return Some(result),
                Err(miss) => self.waiter.missed(miss),
            }
        }
        self.poll_again(caller)
    }

    #[inline(never)]
    fn poll_again(&mut self, caller: Caller<'_>) -> Option<A::Output> {
        self.waiter.poll(caller, &mut self.attempt)
    }

    /// Makes one attempt, for a caller that has not waited yet.
    pub(crate) fn attempt(&mut self) -> Option<A::Output> {
        self.attempt.attempt().ok()
    }

    /// Makes one attempt, for a caller that does not wait.
    pub(crate) fn attempt_now(&mut self) -> Option<A::Output> {
        self.attempt.attempt_now()
    }

    pub(crate) fn leave(&mut self) {
        self.waiter.leave();
    }

    pub(crate) fn give_up(&mut self) -> Option<A::Output> {
        self.waiter.give_up(&mut self.attempt)
    }
}

/// A future that repeats an attempt; made by [`Event::wait_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Wait<'a, F>(pub(crate) Waiting<'a, Unknown<F>>);

// No attempt is pinned.
impl<F> Unpin for Wait<'_, F> {}

impl<R, F: FnMut() -> Option<R>> Future for Wait<'_, F> {
    type Output = R;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<R> {
        self.get_mut().0.poll(context)
    }
}

impl<F> fmt::Debug for Wait<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wait").finish_non_exhaustive()
    }
}
