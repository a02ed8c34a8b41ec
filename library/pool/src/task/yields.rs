//! A future that lets other tasks run first.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Lets the ready tasks run first: the calling task goes behind the other tasks of its worker.
///
/// # Examples
/// ```
/// use aqueduct_pool::task;
///
/// task::block_on(async {
///     for _ in 0..3 {
///         task::yield_now().await;
///     }
/// });
/// ```
pub fn yield_now() -> YieldNow {
    YieldNow { has_yielded: false }
}

/// The future of [`yield_now`].
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct YieldNow {
    has_yielded: bool,
}

impl Future for YieldNow {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.has_yielded {
            return Poll::Ready(());
        }
        self.has_yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
