//! Jobs for which no thread waits.

use crate::global;
use crate::job::{JobRef, heap_job};
use crate::registry::Registry;
use crate::sync::Arc;
use crate::worker::{Worker, run_part};

/// Adds a job to the calling worker's pool, or else to the global pool. The call does not wait for
/// the job.
///
/// A pool ends after its spawned jobs. A worker runs its newest job first. If the pool has ended,
/// the call runs the job: in an [exit handler](crate::ThreadPoolBuilder::exit_handler), and on a
/// thread that was [used](crate::ThreadPoolBuilder::use_current_thread) as a worker.
///
/// # Panics
/// A panic of the job goes to the pool's [panic handler](crate::ThreadPoolBuilder::panic_handler),
/// or else ends the process.
///
/// # Examples
/// ```
/// let (sender, receiver) = std::sync::mpsc::channel();
/// aqueduct_pool::spawn(move || sender.send(7).expect("the receiver waits"));
/// assert_eq!(receiver.recv(), Ok(7));
/// ```
pub fn spawn(body: impl FnOnce() + Send + 'static) {
    spawn_in(&global::current(), body);
}

/// Adds a job as [`spawn`]. A worker runs the jobs that it added by this function in this order, if
/// no other worker steals them.
pub fn spawn_fifo(body: impl FnOnce() + Send + 'static) {
    spawn_fifo_in(&global::current(), body);
}

pub(crate) fn spawn_in(registry: &Arc<Registry>, body: impl FnOnce() + Send + 'static) {
    let worker = registry.current_worker();
    if let Some(job) = job(registry, worker, body) {
        registry.push_or_inject(worker, job);
    }
}

pub(crate) fn spawn_fifo_in(registry: &Arc<Registry>, body: impl FnOnce() + Send + 'static) {
    let worker = registry.current_worker();
    match (job(registry, worker, body), worker) {
        (None, _) => {}
        (Some(job), Some(worker)) => worker.push_fifo(job),
        (Some(job), None) => registry.inject(job),
    }
}

/// Makes a job. If the pool has ended, runs it.
fn job(registry: &Arc<Registry>, worker: Option<&Worker>, body: impl FnOnce() + Send + 'static) -> Option<JobRef> {
    if !registry.retain() {
        registry.catch(body);
        return None;
    }
    let (pool, undisturbed) = (Arc::clone(registry), worker.and_then(Worker::share_body));
    let run = {
        let registry = Arc::clone(registry);
        move || registry.catch(|| run_part(undisturbed.as_ref(), body))
    };
    // SAFETY: the closures borrow nothing.
    Some(unsafe { heap_job(run, move || pool.release()) })
}
