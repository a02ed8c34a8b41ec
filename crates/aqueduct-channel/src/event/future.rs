//! Waiting in a task.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::{Caller, Event, Miss, Waiter};

/// A future that repeats an attempt; made by [`Event::wait_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Wait<'a, A> {
    waiter: Waiter<'a>,
    attempt: A,
    is_started: bool,
}

impl<'a, A> Wait<'a, A> {
    pub(super) fn new(event: &'a Event, attempt: A) -> Self {
        Self { waiter: Waiter::new(event), attempt, is_started: false }
    }
}

// No attempt is pinned.
impl<A> Unpin for Wait<'_, A> {}

impl<R, A: FnMut() -> Option<R>> Future for Wait<'_, A> {
    type Output = R;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<R> {
        let Self { waiter, attempt, is_started } = self.get_mut();
        if !std::mem::replace(is_started, true)
            && let Some(result) = attempt()
        {
            return Poll::Ready(result);
        }
        let mut attempt = || attempt().ok_or(Miss::Inexact);
        match waiter.poll(Caller::Task(context.waker()), Miss::Inexact, &mut attempt, &|| true) {
            Some(result) => Poll::Ready(result),
            None => Poll::Pending,
        }
    }
}

impl<A> fmt::Debug for Wait<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wait").field("waiter", &self.waiter).finish_non_exhaustive()
    }
}
