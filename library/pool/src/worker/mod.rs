//! A worker: a thread of a pool, and its deque.
//!
//! `wait.rs` has the rules of waiting, and `body.rs` those of `undisturbed`, in whose calls
//! `membership.rs` puts a worker. `enter.rs` and `latches.rs` lead from a pool to its workers.

mod body;
mod enter;
mod latches;
mod membership;
mod relief;
mod wait;
mod watchman;

use std::cell::{Cell, UnsafeCell};
use std::ptr;

use aqueduct::bwos::lifo;
use aqueduct::error::PushError;

use crate::job::{Fifo, JobRef, Marker};
use crate::registry::Registry;
use crate::seat::Seat;
use crate::sleep::Sleep;
use crate::sync::{Arc, ROUNDS, parked, per_thread};
use crate::task::queue::{Push, Ready};
use crate::task::raw::Place;
use body::Membership;

pub(crate) use body::Body;
pub(crate) use latches::{CountLatch, SpinLatch};
pub(crate) use membership::run_part;

/// The number of jobs after which a worker takes an injected job or a task before its own jobs.
const FAIRNESS: u32 = 61;

/// Number of offered jobs from which on a join offers no further one, unless another worker
/// requests some.
///
/// The offered jobs are those of the upper levels of a tree of joins, which are the large ones.
/// Joins below these levels are nearly free. Each additional offered job adds about `depth` joins
/// that offer.
const ENOUGH: usize = 3;

/// The part of a worker that only its own thread uses.
pub(crate) struct Worker {
    deque: UnsafeCell<lifo::Owner<JobRef>>,
    ready: Ready,
    membership: Cell<Membership>,
    registry: Arc<Registry>,
    index: usize,
    /// Number of foreign jobs that the worker has begun and not ended.
    depth: Cell<usize>,
    /// Number of jobs until the worker looks for injected jobs.
    until_injected: Cell<u32>,
    random: Cell<u64>,
    /// Number of rounds in which the worker searches after it has run out of work.
    patience: Cell<usize>,
    fifo: Fifo,
    /// Workers by their distance, the nearest first, including this worker.
    victims: Box<[Box<[usize]>]>,
}

/// The result of a yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// A job was run.
    Executed,
    /// No job was found.
    Idle,
}

per_thread! {
    static CURRENT: Cell<*const Worker> = const { Cell::new(ptr::null()) };
}

impl Worker {
    /// Makes the worker of that index, which is not the current worker of any thread.
    pub(crate) fn new(registry: Arc<Registry>, deque: lifo::Owner<JobRef>, ready: Ready, index: usize) -> Self {
        let victims = registry.victims(index);
        Self {
            deque: UnsafeCell::new(deque),
            ready,
            membership: Cell::new(Membership::NONE),
            registry,
            index,
            depth: Cell::new(0),
            until_injected: Cell::new(FAIRNESS),
            random: Cell::new((index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            patience: Cell::new(ROUNDS),
            fifo: Fifo::new(),
            victims,
        }
    }

    /// Returns the calling thread's worker.
    #[inline(always)]
    pub(crate) fn current<'a>() -> Option<&'a Self> {
        // A thread that is ending is not a worker any more.
        let worker = CURRENT.try_with(Cell::get).unwrap_or(ptr::null());
        // SAFETY: a worker outlives its entry in `CURRENT`, and the reference does not leave the
        // frames above it.
        unsafe { worker.as_ref() }
    }

    /// Makes this the calling thread's worker.
    ///
    /// # Panics
    /// If the thread is a worker already.
    ///
    /// # Safety
    /// The worker does not move until `clear_current`, or never moves.
    pub(crate) unsafe fn make_current(&self) {
        CURRENT.with(|current| {
            assert!(
                current.get().is_null(),
                "this thread is already a worker of a pool; run the builder's worker on a thread of its own"
            );
            current.set(self);
        });
    }

    /// Ends the calling thread's role as a worker.
    pub(crate) fn clear_current() {
        CURRENT.with(|current| current.set(ptr::null()));
    }

    #[inline(always)]
    pub(crate) fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    #[inline(always)]
    pub(crate) fn registry_pointer(&self) -> *const Registry {
        Arc::as_ptr(&self.registry)
    }

    #[inline(always)]
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Returns the place of the body of which a new job is a part, or null.
    #[inline(always)]
    pub(crate) fn body_place(&self) -> *const Arc<Body> {
        self.membership.get().body
    }

    /// Returns the body in which the worker is.
    #[inline]
    pub(crate) fn body(&self) -> Option<&Arc<Body>> {
        // SAFETY: a frame below keeps the place until it restores the membership that this one
        // replaced.
        unsafe { self.body_place().as_ref() }
    }

    /// Returns the body for a new job or task, which is a part of it and may be left when it is
    /// over.
    #[inline]
    pub(crate) fn share_body(&self) -> Option<Arc<Body>> {
        self.body().map(Body::share)
    }

    /// Returns the body in which the worker is, unless it is over.
    fn current_body(&self) -> Option<&Arc<Body>> {
        self.body().filter(|body| !body.is_over())
    }

    /// Changes the membership. Returns the earlier one.
    pub(crate) fn replace_membership(&self, membership: Membership) -> Membership {
        self.membership.replace(membership)
    }

    fn seat(&self) -> &Seat {
        &self.registry.seats()[self.index]
    }

    fn sleep(&self) -> &Sleep {
        self.registry.sleep()
    }

    /// Returns the deque. The reference must not outlive the operation.
    #[expect(clippy::mut_from_ref, reason = "only this thread has the worker, and no operation calls back")]
    #[inline(always)]
    fn deque(&self) -> &mut lifo::Owner<JobRef> {
        // SAFETY: only its own thread uses a worker, and no operation of the deque calls a function
        // of the worker.
        unsafe { &mut *self.deque.get() }
    }

    /// Whether the deque offers enough jobs to other workers, and none of them requests more.
    #[inline(always)]
    pub(crate) fn offers_enough(&self) -> bool {
        self.deque().keeps(ENOUGH)
    }

    /// Adds a job to the deque. Returns whether there was room.
    #[inline(always)]
    pub(crate) fn try_push(&self, job: JobRef) -> bool {
        if self.deque().push(job).is_err() {
            return false;
        }
        self.sleep().notify();
        true
    }

    /// Adds a job. If the deque is full, the job goes to the queue of injected jobs.
    pub(crate) fn push(&self, job: JobRef) {
        if self.registry.is_breadth_first() { self.push_fifo(job) } else { self.push_newest(job) }
    }

    /// Adds a job on top of the deque.
    pub(crate) fn push_newest(&self, job: JobRef) {
        if self.membership.get().has_no_room {
            return self.push_without_room(job);
        }
        match self.deque().push(job) {
            Ok(()) => self.sleep().notify(),
            Err(PushError::Full(job) | PushError::Busy(job)) => self.push_without_room(job),
        }
    }

    /// Adds a job for which the deque has no room.
    #[cold]
    fn push_without_room(&self, job: JobRef) {
        if self.body_place().is_null() {
            self.registry.inject(job);
        } else {
            // A worker that must not take foreign jobs would never find the job there.
            // SAFETY: the deque has given the job back, or never had it.
            unsafe { job.run() };
        }
    }

    /// Adds the mark below the jobs of a body. Returns whether there was room.
    pub(crate) fn push_mark(&self) -> bool {
        self.deque().push(Marker::job()).is_ok()
    }

    /// Adds a job that runs after this worker's earlier jobs of `spawn_fifo`.
    pub(crate) fn push_fifo(&self, job: JobRef) {
        // SAFETY: a worker stays until its pool has ended, and no tickets are left then.
        unsafe { self.push_in_order(&self.fifo, job) };
    }

    /// Adds a job that runs after this worker's earlier jobs in that queue.
    ///
    /// # Safety
    /// The queue stays until the job has run.
    pub(crate) unsafe fn push_in_order(&self, fifo: &Fifo, job: JobRef) {
        // A ticket may stand for a job that is older than the body.
        let is_within = !self.body_place().is_null();
        // SAFETY: the caller's promise.
        self.push_newest(if is_within { job } else { unsafe { fifo.push(job) } });
    }

    /// Adds a task.
    pub(crate) fn push_task(&self, job: JobRef, place: Place) {
        match self.ready.push(&self.seat().tasks, job, place) {
            // The worker sleeps in the handler that has woken the task.
            Push::Alone | Push::Besides if parked::takes_first_push() => self.sleep().wake(self.index),
            Push::Alone => watchman::watch_over(&self.registry),
            Push::Besides => self.sleep().notify(),
            Push::Full(job) => self.registry.inject(job),
        }
    }

    /// Takes one of this worker's tasks.
    fn take_task(&self) -> Option<JobRef> {
        self.ready.take(&self.seat().tasks)
    }

    /// Takes the newest job of the deque.
    #[inline(always)]
    pub(crate) fn pop(&self) -> Option<JobRef> {
        self.deque().pop().ok()
    }

    pub(crate) fn has_jobs(&self) -> bool {
        !self.deque().is_empty()
    }

    /// Takes a job of this worker: from its deque, or else a broadcast. In a body, takes only jobs
    /// above its mark.
    fn take_own(&self) -> Option<JobRef> {
        if self.current_body().is_none() {
            return self.pop_or_broadcast();
        }
        if self.membership.get().has_no_room {
            return self.take_broadcast();
        }
        match self.pop() {
            Some(job) if job == Marker::job() => {
                let is_back = self.push_mark();
                debug_assert!(is_back, "its place is free");
                self.take_broadcast()
            }
            Some(job) => Some(job),
            None => self.take_broadcast(),
        }
    }

    /// Takes a job of this worker, which is outside of all bodies.
    fn pop_or_broadcast(&self) -> Option<JobRef> {
        self.pop().or_else(|| self.take_broadcast())
    }

    fn take_broadcast(&self) -> Option<JobRef> {
        self.seat().broadcasts.pop().ok()
    }

    /// Runs a job of this worker.
    #[inline]
    pub(crate) fn run(&self, job: JobRef) {
        // SAFETY: the job has come out of a deque or queue.
        unsafe { job.run() };
    }

    /// Runs one job, if there is one. In a body, only a part of it.
    pub(crate) fn yield_now(&self) -> Yield {
        let others = || match self.current_body() {
            Some(body) => body.take(),
            None => self.take_task().or_else(|| self.insist()),
        };
        self.run_one(self.take_own().or_else(others))
    }

    /// Runs one job of this worker, if there is one.
    pub(crate) fn yield_local(&self) -> Yield {
        self.run_one(self.take_own())
    }

    fn run_one(&self, job: Option<JobRef>) -> Yield {
        let Some(job) = job else { return Yield::Idle };
        self.run(job);
        Yield::Executed
    }
}
