//! Handles of tasks.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::mem;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll};

use super::error::TaskError;
use super::raw::{self, Head, Host, Runnable, abort};

/// The handle of a task that runs on a pool: a future of the task's result.
///
/// - `task.await` returns the result, or an error if the task was aborted or has panicked.
/// - [`join`](Self::join) waits for the result without `await`.
/// - [`abort`](Self::abort) requests that the future is dropped, and
///   [`abort_handle`](Self::abort_handle) returns a handle that can do so.
/// - [`detach`](Self::detach) lets the task run without a handle.
/// - A handle that is dropped aborts its task.
///
/// A worker drops an aborted future, and not in the middle of a poll. A task that has ended keeps
/// its result.
///
/// # Examples
/// ```
/// use aqueduct_pool::task;
///
/// let sum = task::block_on(async {
///     let one = task::spawn(async { 1 });
///     let two = task::spawn(async { 2 });
///     one.await.expect("it does not panic") + two.await.expect("it does not panic")
/// });
/// assert_eq!(sum, 3);
/// ```
#[must_use = "a task is aborted when its handle is dropped; `detach` lets it run"]
pub struct Task<T> {
    head: NonNull<Head>,
    /// Whether the result has been taken.
    is_taken: bool,
    _result: PhantomData<fn() -> T>,
}

// SAFETY: a handle shares only the task's word with other threads; the result moves to the handle's
// thread.
unsafe impl<T: Send> Send for Task<T> {}
// SAFETY: a shared handle only aborts the task, and reads its word.
unsafe impl<T: Send> Sync for Task<T> {}

impl<T> Unpin for Task<T> {}

/// Makes a task that is scheduled. Its job has to be run.
pub fn new<F, H>(future: F, host: H) -> (Runnable, Task<F::Output>)
where
    F: Future<Output: Send + 'static> + Send + 'static,
    H: Host,
{
    let (job, head) = raw::allocate(future, host);
    // The state begins with a reference for the handle.
    (job, Task { head, is_taken: false, _result: PhantomData })
}

impl<T> Task<T> {
    pub(super) fn head_pointer(&self) -> NonNull<Head> {
        self.head
    }

    fn head(&self) -> &Head {
        // SAFETY: the handle is a reference.
        unsafe { self.head.as_ref() }
    }

    /// Requests that the future is dropped, unless the task ends first. Does not wait for the drop;
    /// `await` does.
    ///
    /// # Examples
    /// ```
    /// use aqueduct_pool::task;
    ///
    /// let task = task::spawn(std::future::pending::<()>());
    /// task.abort();
    /// assert!(task.join().expect_err("it never ends").is_aborted());
    /// ```
    pub fn abort(&self) {
        abort(self.head);
    }

    /// Returns another handle that can abort the task.
    pub fn abort_handle(&self) -> AbortHandle {
        self.head().state.retain();
        AbortHandle(self.head)
    }

    /// Lets the task run. Its result is dropped; a panic goes to the pool's
    /// [panic handler](crate::ThreadPoolBuilder::panic_handler), if there is one.
    pub fn detach(self) {
        let head = self.head;
        let is_taken = self.is_taken;
        mem::forget(self);
        // SAFETY: the handle is a reference until the end of this function.
        if unsafe { head.as_ref() }.state.detach().is_completed() && !is_taken {
            // SAFETY: the result has not been taken, and this was the handle.
            unsafe { raw::drop_result(head) };
        }
        raw::release(head);
    }

    /// Whether the task has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.head().state.look().is_completed()
    }

    /// Takes the result of a task that has ended.
    fn take(&mut self) -> Poll<Result<T, TaskError>> {
        self.is_taken = true;
        // SAFETY: the task is completed, and this is the first time.
        Poll::Ready(unsafe { raw::take_result(self.head) })
    }
}

impl<T> Future for Task<T> {
    type Output = Result<T, TaskError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        assert!(!self.is_taken, "a task gives its result once");
        let mut before = self.head().state.look();
        if !before.is_completed() && before.is_awaited() {
            before = self.head().state.await_no_more();
        }
        if before.is_completed() {
            return self.take();
        }
        // SAFETY: this is the handle, and it has cleared the bit, or the bit was not set.
        unsafe { self.head().put_waker(context.waker().clone()) };
        if self.head().state.await_it().is_completed() {
            return self.take();
        }
        Poll::Pending
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        if !self.is_taken {
            let before = self.head().state.abandon();
            if before.is_completed() {
                // SAFETY: the result has not been taken, and this is the handle.
                unsafe { raw::drop_result(self.head) };
            } else if before.is_idle() {
                raw::schedule(self.head);
            }
        }
        raw::release(self.head);
    }
}

impl<T> fmt::Debug for Task<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("is_finished", &self.is_finished()).finish_non_exhaustive()
    }
}

/// A handle that can abort a [`Task`].
pub struct AbortHandle(NonNull<Head>);

// SAFETY: the handle uses only the task's word.
unsafe impl Send for AbortHandle {}
// SAFETY: the handle uses only the task's word.
unsafe impl Sync for AbortHandle {}

impl AbortHandle {
    /// Requests that the future is dropped, unless the task ends first.
    pub fn abort(&self) {
        abort(self.0);
    }

    /// Whether the task has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        // SAFETY: this is a reference of the task.
        unsafe { self.0.as_ref() }.state.look().is_completed()
    }
}

impl Clone for AbortHandle {
    fn clone(&self) -> Self {
        // SAFETY: this is a reference of the task.
        unsafe { self.0.as_ref() }.state.retain();
        Self(self.0)
    }
}

impl Drop for AbortHandle {
    fn drop(&mut self) {
        raw::release(self.0);
    }
}

impl fmt::Debug for AbortHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AbortHandle").field("is_finished", &self.is_finished()).finish_non_exhaustive()
    }
}
