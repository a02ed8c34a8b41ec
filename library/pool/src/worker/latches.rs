//! Latches that hold a reference to the worker that waits for them.

use super::Worker;
use super::body::Body;
use super::membership::run_part;
use crate::latch::{CoreLatch, Latch, LockLatch};
use crate::registry::Registry;
use crate::sync::{Arc, AtomicUsize, Ordering};

/// A latch in a worker's frame, set by threads of the worker's pool.
#[derive(Debug)]
pub(crate) struct SpinLatch {
    core: CoreLatch,
    worker: *const Worker,
    /// The body that the worker was in when it made the latch. A frame below the latch's keeps it.
    body: *const Arc<Body>,
}

impl SpinLatch {
    #[inline(always)]
    pub(crate) fn new(worker: &Worker) -> Self {
        Self { core: CoreLatch::new(), worker, body: worker.body_place() }
    }

    #[inline(always)]
    pub(crate) fn core(&self) -> &CoreLatch {
        &self.core
    }
}

impl Latch for SpinLatch {
    #[inline]
    unsafe fn set(this: *const Self) {
        // SAFETY: the latch is not set yet, so its frame and the worker exist; the pool outlives
        // the caller, which is one of its workers.
        unsafe {
            let worker = (*this).worker;
            let (registry, index) = ((*worker).registry_pointer(), (*worker).index());
            if CoreLatch::set(&raw const (*this).core) {
                (*registry).sleep().wake(index);
            }
        }
    }

    #[inline(always)]
    fn around<R>(&self, run: impl FnOnce() -> R) -> R {
        // SAFETY: the place lies in a frame below the latch's, which stays until the latch is set.
        run_part(unsafe { self.body.as_ref() }, run)
    }
}

/// A latch in a worker's frame, set by a thread of another pool.
#[derive(Debug)]
pub(crate) struct CrossLatch {
    core: CoreLatch,
    registry: Arc<Registry>,
    index: usize,
}

impl CrossLatch {
    pub(crate) fn new(worker: &Worker) -> Self {
        Self { core: CoreLatch::new(), registry: Arc::clone(worker.registry()), index: worker.index() }
    }

    pub(super) fn core(&self) -> &CoreLatch {
        &self.core
    }
}

impl Latch for CrossLatch {
    unsafe fn set(this: *const Self) {
        // SAFETY: the latch is not set yet, so its frame exists.
        let (registry, index) = unsafe { (Arc::clone(&(*this).registry), (*this).index) };
        // SAFETY: the latch is not set yet. The clone keeps the pool alive, whose worker may go on
        // at once.
        if unsafe { CoreLatch::set(&raw const (*this).core) } {
            registry.sleep().wake(index);
        }
    }
}

/// A latch that is set when a number of jobs are done.
#[derive(Debug)]
pub(crate) struct CountLatch {
    left: AtomicUsize,
    end: End,
}

/// The latch for the kind of thread that waits.
#[derive(Debug)]
enum End {
    /// For a worker, which runs jobs while it waits.
    Worker(CrossLatch),
    /// For any other thread, which runs none.
    Thread(LockLatch),
}

impl CountLatch {
    /// Makes a latch for `count` jobs. `owner` waits for them, or else the calling thread, which is
    /// not a worker.
    pub(crate) fn new(count: usize, owner: Option<&Worker>) -> Self {
        let end = match owner {
            Some(worker) => End::Worker(CrossLatch::new(worker)),
            None => End::Thread(LockLatch::new()),
        };
        Self { left: AtomicUsize::new(count), end }
    }

    /// Adds a job. The caller runs a job that this latch counts.
    pub(crate) fn add(&self) {
        // Ordering: Relaxed. The caller's own job keeps the count above 0.
        let before = self.left.fetch_add(1, Ordering::Relaxed);
        debug_assert!(before > 0, "the latch has been set");
    }

    /// Waits until all jobs are done.
    pub(crate) fn wait(&self, owner: Option<&Worker>) {
        match (&self.end, owner) {
            (End::Worker(latch), Some(worker)) => worker.wait_until(latch.core()),
            (End::Thread(latch), _) => latch.wait(),
            (End::Worker(_), None) => unreachable!("the worker that made the latch waits for it"),
        }
    }
}

impl Latch for CountLatch {
    unsafe fn set(this: *const Self) {
        // Ordering: Release pairs with the Acquire of the last job, which sets the inner latch;
        // without it, results of other jobs are read before they are written.
        // SAFETY: this job has not been subtracted, so the latch exists.
        if unsafe { (*this).left.fetch_sub(1, Ordering::AcqRel) } != 1 {
            return;
        }
        // SAFETY: all other jobs are done with the latch, and its owner waits for the inner latch.
        unsafe {
            match &(*this).end {
                End::Worker(latch) => Latch::set(&raw const *latch),
                End::Thread(latch) => Latch::set(&raw const *latch),
            }
        }
    }
}
