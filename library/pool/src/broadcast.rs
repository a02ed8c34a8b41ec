//! Calls on all workers.

use std::fmt;
use std::marker::PhantomData;

use crate::global;
use crate::job::{StackJob, shared_job};
use crate::latch::LatchRef;
use crate::registry::Registry;
use crate::sync::Arc;
use crate::worker::{CountLatch, Worker, run_part};

/// The argument of a broadcast's closure.
pub struct BroadcastContext<'a> {
    worker: &'a Worker,
    /// The context stays on its thread.
    _thread: PhantomData<&'a mut dyn Fn()>,
}

impl BroadcastContext<'_> {
    pub(crate) fn with<R>(body: impl FnOnce(BroadcastContext<'_>) -> R) -> R {
        let worker = Worker::current().expect("workers run broadcasts");
        body(BroadcastContext { worker, _thread: PhantomData })
    }

    /// Returns the index of the calling worker.
    #[inline]
    #[must_use]
    pub fn index(&self) -> usize {
        self.worker.index()
    }

    /// Returns the number of workers, which is the number of calls.
    #[inline]
    #[must_use]
    pub fn num_threads(&self) -> usize {
        self.worker.registry().num_threads()
    }
}

impl fmt::Debug for BroadcastContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadcastContext")
            .field("index", &self.index())
            .field("num_threads", &self.num_threads())
            .field("pool_id", &self.worker.registry().id())
            .finish()
    }
}

/// Calls a closure once on each worker of the calling worker's pool, or else of the global pool,
/// and waits for all calls.
///
/// A worker makes the call when it has no other jobs of its own. Returns the results in the order
/// of the workers.
///
/// # Panics
/// If a call panics. All other calls have ended then. If the pool has ended, so in an
/// [exit handler](crate::ThreadPoolBuilder::exit_handler).
pub fn broadcast<R: Send>(body: impl Fn(BroadcastContext<'_>) -> R + Sync) -> Vec<R> {
    broadcast_in(&global::current(), body)
}

/// Calls a closure once on each worker, as [`broadcast()`] does, without waiting. Panics are
/// handled as those of [`spawn`](crate::spawn()).
///
/// # Panics
/// If the pool has ended, as [`broadcast()`].
pub fn spawn_broadcast(body: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static) {
    spawn_broadcast_in(&global::current(), body);
}

pub(crate) fn broadcast_in<R: Send>(
    registry: &Arc<Registry>,
    body: impl Fn(BroadcastContext<'_>) -> R + Sync,
) -> Vec<R> {
    registry.check_broadcasts();
    let undisturbed = registry.shared_body();
    let call = |_| run_part(undisturbed.as_ref(), || BroadcastContext::with(&body));
    let worker = Worker::current();
    let threads = registry.num_threads();
    let latch = CountLatch::new(threads, worker);
    let jobs: Vec<_> = (0..threads).map(|_| StackJob::new(&call, LatchRef::new(&latch))).collect();
    // SAFETY: the jobs stay until the latch is set, which the last job does at its end.
    registry.broadcast(jobs.iter().map(|job| unsafe { job.as_job() }));
    latch.wait(worker);
    // SAFETY: the latch is set.
    jobs.into_iter().map(|job| unsafe { job.take_result() }).collect()
}

pub(crate) fn spawn_broadcast_in(
    registry: &Arc<Registry>,
    body: impl Fn(BroadcastContext<'_>) + Send + Sync + 'static,
) {
    registry.check_broadcasts();
    let threads = registry.num_threads();
    (0..threads).for_each(|_| {
        let is_there = registry.retain();
        debug_assert!(is_there, "it has just been checked, and does not end here");
    });
    let (pool, undisturbed) = (Arc::clone(registry), registry.shared_body());
    let call = move || pool.catch(|| run_part(undisturbed.as_ref(), || BroadcastContext::with(&body)));
    let done = || Worker::current().expect("workers run broadcasts").registry().release();
    // SAFETY: the closures borrow nothing, and each thread runs them once.
    let job = unsafe { shared_job(threads, call, done) };
    registry.broadcast((0..threads).map(|_| job));
}
