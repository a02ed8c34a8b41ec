//! Waits for a future in code that is not `async`.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Wake, Waker};

use super::error::TaskError;
use super::handle::Task;
use crate::latch::CoreLatch;
use crate::registry::Registry;
use crate::sync::{Arc, AtomicBool, Ordering, Sleeper, park};
use crate::worker::Worker;

/// Runs a future on the calling thread, and returns its result.
///
/// A thread that is not a worker sleeps while the future waits. A worker runs its pool's jobs and
/// tasks meanwhile, within its stack frame, up to
/// [`max_nested_jobs`](crate::ThreadPoolBuilder::max_nested_jobs) of them within each other. Beyond
/// that number, it runs its own jobs and the task that it made or woke last, and leaves the others
/// to other workers. If all workers wait in this way, one of them runs a further job or task each
/// millisecond. So the tasks on which the future depends run at any depth, as long as the stack has
/// room. The wait ends only after the job that the worker began last. In
/// [`undisturbed`](crate::undisturbed), a worker runs only the jobs and tasks of that call.
///
/// # Panics
/// If the future panics.
///
/// # Deadlocks
/// A job that a worker runs meanwhile must not wait for an action of the caller after the
/// `block_on`. In a task, use `await` instead.
///
/// # Examples
/// ```
/// assert_eq!(aqueduct_pool::task::block_on(async { 1 + 1 }), 2);
/// ```
pub fn block_on<F: Future>(future: F) -> F::Output {
    match Worker::current() {
        Some(worker) => block_on_worker(worker, future),
        None => block_on_thread(future),
    }
}

impl<T> Task<T> {
    /// Waits for the result. A worker runs other jobs and tasks meanwhile, as in [`block_on`].
    ///
    /// # Errors
    /// If the task panicked, or was aborted.
    ///
    /// # Panics
    /// If the result was taken before.
    pub fn join(self) -> Result<T, TaskError> {
        block_on(self)
    }
}

/// Runs a future on the calling thread, which is a worker of this pool or no worker at all.
pub(crate) fn block_on_in<F: Future<Output: Send> + Send>(registry: &Registry, future: F) -> F::Output {
    match registry.current_worker() {
        Some(worker) => block_on_worker(worker, future),
        None => registry.in_worker(|worker, _| block_on_worker(worker, future)),
    }
}

fn block_on_thread<F: Future>(future: F) -> F::Output {
    let signal = std::sync::Arc::new(ThreadSignal { is_woken: AtomicBool::new(false), thread: Sleeper::current() });
    drive(future, &Waker::from(std::sync::Arc::clone(&signal)), || signal.wait())
}

fn block_on_worker<F: Future>(worker: &Worker, future: F) -> F::Output {
    let registry = Arc::clone(worker.registry());
    let signal = std::sync::Arc::new(WorkerSignal { latch: CoreLatch::new(), registry, index: worker.index() });
    drive(future, &Waker::from(std::sync::Arc::clone(&signal)), || {
        worker.wait_for_waker(&signal.latch);
        signal.latch.reset();
    })
}

/// Polls the future until it has a result, and waits between polls.
fn drive<F: Future>(future: F, waker: &Waker, wait: impl Fn()) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(waker);
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut context) {
            return result;
        }
        wait();
    }
}

/// Wakes a thread that is not a worker.
struct ThreadSignal {
    is_woken: AtomicBool,
    thread: Sleeper,
}

impl ThreadSignal {
    fn wait(&self) {
        // Ordering: Acquire pairs with the Release of `wake_by_ref`; without it, the poll does not
        // see what the waker's thread did before.
        while !self.is_woken.swap(false, Ordering::Acquire) {
            park();
        }
    }
}

impl Wake for ThreadSignal {
    fn wake(self: std::sync::Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &std::sync::Arc<Self>) {
        // Ordering: Release pairs with the Acquire of `wait`.
        if !self.is_woken.swap(true, Ordering::Release) {
            self.thread.wake();
        }
    }
}

/// Wakes a worker.
struct WorkerSignal {
    latch: CoreLatch,
    registry: Arc<Registry>,
    index: usize,
}

impl Wake for WorkerSignal {
    fn wake(self: std::sync::Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &std::sync::Arc<Self>) {
        // SAFETY: the latch lies in this `Arc`.
        if unsafe { CoreLatch::set(&raw const self.latch) } {
            self.registry.sleep().wake(self.index);
        }
    }
}
