//! Jobs for which no thread waits.

use crate::job::heap_job;
use crate::registry::Registry;
use crate::sync::Arc;

/// Adds a job to the calling worker's pool, or else to the global pool. The call does not wait for the job.
///
/// A pool ends after its spawned jobs. A worker runs its newest job first.
///
/// # Panics
/// A panic of the job goes to the pool's [panic handler](crate::ThreadPoolBuilder::panic_handler), or else ends the
/// process.
///
/// # Examples
/// ```
/// let (sender, receiver) = std::sync::mpsc::channel();
/// aqueduct_pool::spawn(move || sender.send(7).expect("somebody waits"));
/// assert_eq!(receiver.recv(), Ok(7));
/// ```
pub fn spawn(body: impl FnOnce() + Send + 'static) {
    spawn_in(&Registry::current(), body);
}

/// Adds a job as [`spawn`]. A worker runs the jobs that it added by this function in this order, if no other
/// worker steals them.
pub fn spawn_fifo(body: impl FnOnce() + Send + 'static) {
    spawn_fifo_in(&Registry::current(), body);
}

pub(crate) fn spawn_in(registry: &Arc<Registry>, body: impl FnOnce() + Send + 'static) {
    registry.inject_or_push(job(registry, body));
}

pub(crate) fn spawn_fifo_in(registry: &Arc<Registry>, body: impl FnOnce() + Send + 'static) {
    let job = job(registry, body);
    match registry.current_worker() {
        Some(worker) => worker.push_fifo(job),
        None => registry.inject(job),
    }
}

fn job(registry: &Arc<Registry>, body: impl FnOnce() + Send + 'static) -> crate::job::JobRef {
    registry.retain();
    let registry = Arc::clone(registry);
    // SAFETY: the closure borrows nothing.
    unsafe {
        heap_job(move || {
            registry.catch(body);
            registry.release();
        })
    }
}
