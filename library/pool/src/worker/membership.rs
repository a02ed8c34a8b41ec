//! Membership of a body: how a worker begins one, or runs a part of it.

use super::Worker;
use super::body::{Body, Membership};
use crate::job::Marker;
use crate::sync::Arc;
use crate::task::raw::Place;

/// State of the mark below a member's part of its deque.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// The deque was empty.
    Needless,
    /// A job without effect.
    Job,
    /// The deque had no room for a mark, so the member takes no jobs out of its deque while it
    /// waits, and pushes none that it does not take back.
    NoRoom,
}

/// A worker's membership of a body, until this is dropped.
struct Within<'a> {
    worker: &'a Worker,
    /// The membership that this one replaces.
    before: Membership,
    mark: Mark,
}

impl<'a> Within<'a> {
    fn new(worker: &'a Worker, body: &'a Arc<Body>) -> Self {
        let mark = match worker.has_jobs() {
            false => Mark::Needless,
            true if worker.push_mark() => Mark::Job,
            true => Mark::NoRoom,
        };
        let now = Membership { body, has_no_room: mark == Mark::NoRoom };
        Self { worker, before: worker.replace_membership(now), mark }
    }
}

impl Drop for Within<'_> {
    fn drop(&mut self) {
        self.worker.replace_membership(self.before);
        if self.mark == Mark::Job
            && let Some(job) = self.worker.pop()
            && job != Marker::job()
        {
            // Jobs are left. The mark stays below them, and has no effect.
            self.worker.push_newest(job);
        }
    }
}

/// Calls `run`, a part of a body, or of none.
#[inline(always)]
pub(crate) fn run_part<R>(body: Option<&Arc<Body>>, run: impl FnOnce() -> R) -> R {
    match body {
        None => run(),
        Some(body) => run_within(body, run),
    }
}

/// Calls `run`, a part of the body. The calling worker is a member meanwhile.
#[cold]
fn run_within<R>(body: &Arc<Body>, run: impl FnOnce() -> R) -> R {
    // Any thread may drop a future. A thread outside of the pool waits as if outside of the body.
    let worker = body.registry().current_worker();
    let is_member = |worker: &&Worker| worker.body().is_some_and(|current| Arc::ptr_eq(current, body));
    let _within = worker.filter(|worker| !is_member(worker)).map(|worker| Within::new(worker, body));
    run()
}

impl Worker {
    /// Calls `body`. Waits in `body` run no work from before the call, nor from elsewhere.
    pub(crate) fn undisturbed<R>(&self, body: impl FnOnce() -> R) -> R {
        if self.current_body().is_some() { body() } else { begin(self, body) }
    }
}

/// Calls `body` as the body of an `undisturbed` on this worker.
fn begin<R>(worker: &Worker, body: impl FnOnce() -> R) -> R {
    struct Close<'a>(&'a Body, &'a Worker);
    impl Drop for Close<'_> {
        fn drop(&mut self) {
            self.0.close(|task| self.1.push_task(task, Place::Last));
        }
    }
    let new = Body::new(worker.registry());
    let _close = Close(&new, worker);
    let _within = Within::new(worker, &new);
    body()
}
