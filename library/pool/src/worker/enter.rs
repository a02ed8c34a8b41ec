//! Entering a pool: a call on one of its workers, and jobs that a thread adds there.

use super::Worker;
use super::body::Body;
use super::latches::CrossLatch;
use crate::job::{JobRef, StackJob};
use crate::latch::{Latch, LatchRef, LockLatch};
use crate::registry::Registry;
use crate::sync::Arc;

impl Registry {
    /// Returns the calling thread's worker, if it belongs to this pool.
    #[inline]
    pub(crate) fn current_worker(&self) -> Option<&Worker> {
        Worker::current().filter(|worker| std::ptr::eq(worker.registry_pointer(), self))
    }

    /// Returns the body for a job that the calling thread makes for this pool.
    pub(crate) fn shared_body(&self) -> Option<Arc<Body>> {
        self.current_worker().and_then(Worker::share_body)
    }

    /// Adds a job to the calling worker's deque, or else to the queue of injected jobs.
    #[inline]
    pub(crate) fn push_or_inject(&self, worker: Option<&Worker>, job: JobRef) {
        match worker {
            Some(worker) => worker.push(job),
            None => self.inject(job),
        }
    }

    /// Calls `body` on a worker of this pool: the calling thread, if it is one.
    #[inline]
    pub(crate) fn in_worker<R: Send>(&self, body: impl FnOnce(&Worker, bool) -> R + Send) -> R {
        match Worker::current() {
            Some(worker) if std::ptr::eq(worker.registry_pointer(), self) => body(worker, false),
            Some(worker) => self.in_worker_of_another(worker, body),
            None => self.in_worker_of_none(body),
        }
    }

    #[cold]
    fn in_worker_of_none<R: Send>(&self, body: impl FnOnce(&Worker, bool) -> R + Send) -> R {
        let latch = LockLatch::new();
        self.hand_over(body, LatchRef::new(&latch), |_| latch.wait())
    }

    #[cold]
    fn in_worker_of_another<R: Send>(&self, worker: &Worker, body: impl FnOnce(&Worker, bool) -> R + Send) -> R {
        self.hand_over(body, CrossLatch::new(worker), |latch| worker.wait_until(latch.core()))
    }

    /// Injects a call, and waits for its end.
    fn hand_over<L: Latch, R: Send>(
        &self,
        body: impl FnOnce(&Worker, bool) -> R + Send,
        latch: L,
        wait: impl FnOnce(&L),
    ) -> R {
        let call = |is_migrated| body(Worker::current().expect("workers run jobs"), is_migrated);
        let job = StackJob::new(call, latch);
        // SAFETY: the frame stays until the latch is set, which the job does at its end.
        unsafe {
            self.inject(job.as_job());
            wait(job.latch());
            job.take_result()
        }
    }
}
