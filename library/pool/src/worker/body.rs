//! Bodies of `undisturbed`: which work is part of one, and the tasks that are.
//!
//! # Rules
//! 1. A body has begun on one worker. Its *members* are that worker, and the workers that run a
//!    part of it: a job or a task that a member has made while it ran a part.
//! 2. A member that waits in a body runs the parts of the body alone: the jobs of its own deque
//!    that it has pushed there since it became a member, and any task of the body. A mark in the
//!    deque lies below these jobs.
//! 3. The ready tasks of a body lie in the body, and not in the queues of workers, where other
//!    tasks lie before and behind them. So any member can take any of them.
//! 4. A worker that is not a member takes such a task by a *ticket*, which goes to the injected
//!    jobs. A body has one ticket at a time, and a ticket that finds more tasks makes the next one.
//! 5. Parts may be left when the body is over: spawned jobs, and tasks. They are jobs and tasks as
//!    any others then.

use std::collections::VecDeque;
use std::ptr;

use crate::job::{JobRef, heap_job};
use crate::registry::Registry;
use crate::sync::{Arc, Mutex};

/// The body of a call of `undisturbed`.
pub(crate) struct Body {
    registry: Arc<Registry>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    is_over: bool,
    /// True if parts of the body may be left when it is over.
    is_shared: bool,
    has_ticket: bool,
    tasks: VecDeque<JobRef>,
}

impl Body {
    pub(super) fn new(registry: &Arc<Registry>) -> Arc<Self> {
        Arc::new(Self { registry: Arc::clone(registry), state: Mutex::new(State::default()) })
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.registry
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

    /// Whether a waiting member has to act: to run a task, or to observe that the body is over.
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

    /// Makes a ticket, with which a worker that is not a member takes a task.
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

    /// Ends the body, on the worker on which it has begun. `push` gives the tasks that are left to
    /// that worker.
    pub(super) fn close(&self, push: impl FnMut(JobRef)) {
        let (left, is_shared) = {
            let mut state = self.state.lock();
            state.is_over = true;
            (std::mem::take(&mut state.tasks), state.is_shared)
        };
        left.into_iter().for_each(push);
        if is_shared {
            // A worker may wait in a part that is left.
            self.registry.sleep().wake_those_alone();
        }
    }
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
