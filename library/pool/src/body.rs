//! Bodies of `undisturbed`: which work is part of one, and the tasks that are.
//!
//! # Rules
//! 1. A body has begun on one worker. Its *members* are that worker, and the workers that run a part of it: a job or a
//!    task that a member has made while it ran a part.
//! 2. A member that waits in a body runs the parts of the body alone: the jobs of its own deque that it has pushed
//!    there since it became a member, and any task of the body. A [mark](Mark) in the deque lies below these jobs.
//! 3. The ready tasks of a body lie in the body, and not in the queues of workers, where other tasks lie before and
//!    behind them. So any member can take any of them.
//! 4. A worker that is no member takes such a task by a *ticket*, which goes to the injected jobs. A body has one
//!    ticket at a time, and a ticket that finds more tasks makes the next one.
//! 5. Parts may be left when the body is over: spawned jobs, and tasks. They are jobs and tasks as any others then.

use std::collections::VecDeque;
use std::ptr;

use crate::job::{JobRef, Marker, heap_job};
use crate::registry::Registry;
use crate::sync::{Arc, Mutex};
use crate::task::raw::Place;
use crate::worker::Worker;

/// The body of a call of `undisturbed`.
pub(crate) struct Body {
    registry: Arc<Registry>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    is_over: bool,
    /// Whether parts of the body may be left when it is over.
    is_shared: bool,
    has_ticket: bool,
    tasks: VecDeque<JobRef>,
}

impl Body {
    fn new(worker: &Worker) -> Arc<Self> {
        Arc::new(Self { registry: Arc::clone(worker.registry()), state: Mutex::new(State::default()) })
    }

    /// Returns the body for a job or a task, which may be left when the body is over.
    pub(crate) fn share(this: &Arc<Self>) -> Arc<Self> {
        this.state.lock().is_shared = true;
        Arc::clone(this)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.state.lock().is_over
    }

    /// Takes a ready task.
    pub(crate) fn take(&self) -> Option<JobRef> {
        self.state.lock().tasks.pop_front()
    }

    /// Whether a member that waits has something to do: to run a task, or to note that the body is over.
    pub(crate) fn has_news(&self) -> bool {
        let state = self.state.lock();
        state.is_over || !state.tasks.is_empty()
    }

    /// Adds a ready task, and wakes the members.
    ///
    /// # Errors
    /// The task, if the body is over.
    pub(crate) fn push(this: &Arc<Self>, task: JobRef) -> Result<(), JobRef> {
        let needs_ticket = {
            let mut state = this.state.lock();
            if state.is_over {
                return Err(task);
            }
            state.tasks.push_back(task);
            !std::mem::replace(&mut state.has_ticket, true)
        };
        this.registry.sleep().wake_those_alone();
        if needs_ticket {
            Self::issue_ticket(this);
        }
        Ok(())
    }

    /// Makes a ticket, with which a worker that is no member takes a task.
    fn issue_ticket(this: &Arc<Self>) {
        let is_there = this.registry.retain();
        debug_assert!(is_there, "a pool ends after its tasks");
        let (body, registry) = (Arc::clone(this), Arc::clone(&this.registry));
        let run = move || {
            let (task, has_more) = {
                let mut state = body.state.lock();
                let task = state.tasks.pop_front();
                state.has_ticket = !state.tasks.is_empty();
                (task, state.has_ticket)
            };
            if has_more {
                Self::issue_ticket(&body);
            }
            if let Some(task) = task {
                // SAFETY: the task has come out of the queue.
                unsafe { task.run() };
            }
        };
        // SAFETY: the closures borrow nothing.
        this.registry.inject(unsafe { heap_job(run, move || registry.release()) });
    }

    /// Ends the body, on the worker on which it has begun.
    fn close(&self, worker: &Worker) {
        let (left, is_shared) = {
            let mut state = self.state.lock();
            state.is_over = true;
            (std::mem::take(&mut state.tasks), state.is_shared)
        };
        left.into_iter().for_each(|task| worker.push_task(task, Place::Last));
        if is_shared {
            // A worker may wait in a part that is left.
            self.registry.sleep().wake_those_alone();
        }
    }
}

/// The mark below a member's part of its deque.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// The deque was empty.
    Needless,
    /// A job without effect.
    Job,
    /// The deque had no room for a mark, so the member takes no jobs out of its deque while it waits, and pushes none
    /// that it does not take back.
    NoRoom,
}

/// A worker's membership of a body, until this is dropped.
struct Within<'a> {
    worker: &'a Worker,
    /// The membership from before.
    before: Membership,
    mark: Mark,
}

/// A worker's membership: the body, which a frame of the worker or of a job's owner keeps, or null.
#[derive(Clone, Copy)]
pub(crate) struct Membership {
    pub(crate) body: *const Arc<Body>,
    /// Whether the deque had no room for a mark.
    pub(crate) has_no_room: bool,
}

impl Membership {
    pub(crate) const NONE: Self = Self { body: ptr::null(), has_no_room: false };
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
    // Another thread may drop a future. It waits as outside of the body.
    let worker = body.registry.current_worker();
    let is_member = |worker: &&Worker| worker.body().is_some_and(|current| Arc::ptr_eq(current, body));
    let _within = worker.filter(|worker| !is_member(worker)).map(|worker| Within::new(worker, body));
    run()
}

/// Calls `body` as the body of an `undisturbed` on this worker.
pub(crate) fn within<R>(worker: &Worker, body: impl FnOnce() -> R) -> R {
    struct Close<'a>(&'a Body, &'a Worker);
    impl Drop for Close<'_> {
        fn drop(&mut self) {
            self.0.close(self.1);
        }
    }
    let new = Body::new(worker);
    let _close = Close(&new, worker);
    let _within = Within::new(worker, &new);
    body()
}
