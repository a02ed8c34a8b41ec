//! Waiting of a task.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::attempt::{Attempt, Miss, Unknown};
use super::{CHEAP_TASK_ROUNDS, Event, Waiter, cheap_first};
use crate::spin::spin_in_task;
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
        // Most futures are ready at once: their attempt is compiled into the caller.
        let result = match self.first() {
            Some(Ok(result)) => Some(result),
            Some(Err(miss)) => self.poll_soon(context, miss),
            None => self.poll_again(context),
        };
        result.map_or(Poll::Pending, Poll::Ready)
    }

    /// Makes the first attempt, unless it has been made.
    #[inline(always)]
    fn first(&mut self) -> Option<Result<A::Output, Miss>> {
        self.waiter.is_new().then(|| self.attempt.attempt())
    }

    /// The first attempt has failed.
    #[cold]
    #[inline(never)]
    fn poll_soon(&mut self, context: &Context<'_>, miss: Miss) -> Option<A::Output> {
        if let Some(result) = spin_in_task(cheap_first(CHEAP_TASK_ROUNDS, &mut self.attempt)) {
            return Some(result);
        }
        self.waiter.missed(miss);
        self.poll_again(context)
    }

    #[inline(never)]
    fn poll_again(&mut self, context: &Context<'_>) -> Option<A::Output> {
        self.waiter.poll(Caller::Task(context.waker()), &mut self.attempt)
    }

    /// Makes attempts as [`Waiter::poll`] does. If it returns `None`, the caller will be woken.
    pub(crate) fn poll_by(&mut self, caller: Caller<'_>) -> Option<A::Output> {
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
