//! Waiting in a task.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::attempt::{Attempt, Unknown};
use super::{Caller, Event, Waiter};

/// A future that repeats an attempt until it succeeds.
#[derive(Debug)]
pub(crate) struct Waiting<'a, A> {
    waiter: Waiter<'a>,
    attempt: A,
}

impl<'a, A: Attempt> Waiting<'a, A> {
    pub(crate) fn new(event: &'a Event, attempt: A) -> Self {
        Self { waiter: Waiter::new(event), attempt }
    }

    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<A::Output> {
        let Self { waiter, attempt } = self;
        waiter.poll(Caller::Task(context.waker()), attempt).map_or(Poll::Pending, Poll::Ready)
    }
}

/// A future that repeats an attempt; made by [`Event::wait_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Wait<'a, F>(pub(super) Waiting<'a, Unknown<F>>);

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
