//! Making of tasks on a pool.

use std::future::Future;

use super::handle::{self, Task};
use super::list;
use super::raw::{Host, Place, Runnable};
use crate::global;
use crate::job::JobRef;
use crate::registry::Registry;
use crate::sync::Arc;
use crate::unwind::Payload;
use crate::worker::{Body, Worker, run_part};

/// Makes a task of the calling worker's pool, or else of the global pool.
///
/// A worker runs the new task next, unless the caller makes further tasks.
///
/// # Panics
/// A panic of the future becomes the task's [result](super::TaskError).
///
/// # Examples
/// ```
/// use aqueduct_pool::task;
///
/// let task = task::spawn(async { 7 });
/// assert_eq!(task.join().expect("it does not panic"), 7);
/// ```
pub fn spawn<F>(future: F) -> Task<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    match Worker::current() {
        Some(worker) => spawn_in(worker.registry(), future),
        None => spawn_in(global::registry(), future),
    }
}

pub(crate) fn spawn_in<F>(registry: &Arc<Registry>, future: F) -> Task<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    // Before the task is in the list: the thread that removes it releases the share.
    if !registry.retain() {
        return abort_at_once(future);
    }
    let worker = registry.current_worker();
    let shard = worker.map_or(0, Worker::index);
    let undisturbed = worker.and_then(Worker::share_body);
    let mut future = Some(future);
    let made = registry.seats()[shard].tasks.list.enter(|place| {
        let home = Home { registry: Arc::clone(registry), shard, place, body: undisturbed.clone() };
        let made = handle::new(future.take().expect("the only call"), home);
        (made.1.head_pointer(), made)
    });
    match made {
        Some((Runnable(job), task)) => {
            make_ready(registry, undisturbed, job, Place::Next);
            task
        }
        None => {
            registry.release();
            abort_at_once(future.take().expect("it has not been used"))
        }
    }
}

/// Puts a task's job into the body of which the task is a part, or else into a queue of the pool.
fn make_ready(registry: &Registry, body: Option<Arc<Body>>, mut job: JobRef, place: Place) {
    if let Some(body) = body {
        match Body::push(&body, job) {
            Ok(()) => return,
            Err(back) => job = back,
        }
    }
    match registry.current_worker() {
        Some(worker) => worker.push_task(job, place),
        None => registry.inject(job),
    }
}

/// Makes a task that is already aborted.
fn abort_at_once<F>(future: F) -> Task<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    let (job, task) = handle::new(future, EndedPool);
    task.abort();
    job.run();
    task
}

/// The pool of a task, and the task's place in the pool's lists.
struct Home {
    registry: Arc<Registry>,
    /// The seat whose list has the task, and the index in that list.
    shard: usize,
    place: list::Place,
    /// The body of which the task is a part.
    body: Option<Arc<Body>>,
}

impl Host for Home {
    unsafe fn schedule(this: *const Self, Runnable(job): Runnable, place: Place) {
        // SAFETY: the task exists until a worker can find the job.
        let (registry, body) = unsafe { (Arc::as_ptr(&(*this).registry), (*this).body.clone()) };
        // SAFETY: the caller is a worker of the pool, which outlives the call, or holds a reference
        // of the task; or else the body, which the call has, keeps the pool.
        make_ready(unsafe { &*registry }, body, job, place);
    }

    fn around<R>(&self, run: impl FnOnce() -> R) -> R {
        run_part(self.body.as_ref(), run)
    }

    fn finished(&self) {
        self.registry.seats()[self.shard].tasks.list.leave(self.place);
        self.registry.release();
    }

    fn lost_panic(&self, payload: Payload) {
        self.registry.lose_panic(payload);
    }
}

/// The host of tasks of a pool that has ended.
struct EndedPool;

impl Host for EndedPool {
    unsafe fn schedule(_: *const Self, _: Runnable, _: Place) {
        unreachable!("its future is never polled")
    }

    fn finished(&self) {}

    fn lost_panic(&self, _: Payload) {}
}
