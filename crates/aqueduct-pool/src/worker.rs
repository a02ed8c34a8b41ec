//! A worker: a thread of a pool, its deque, and its ways to wait.

use std::cell::{Cell, UnsafeCell};
use std::ptr;

use aqueduct::bwos::{Steal, lifo};
use aqueduct::error::PushError;

use crate::builder::ThreadBuilder;
use crate::job::{Fifo, JobRef, Marker};
use crate::latch::CoreLatch;
use crate::mode::ModeOf;
use crate::parked;
use crate::pool::Yield;
use crate::registry::Registry;
use crate::seat::Seat;
use crate::sleep::Sleep;
use crate::sync::{self, Arc, LEAST_ROUNDS, Nap, ROUNDS, per_thread, relax};
use crate::task::queue::{Push, Ready};
use crate::task::raw::Place;
use crate::task::watch;
use crate::unwind::abort_on_panic;

/// The number of jobs after which a worker takes an injected job or a task before its own jobs.
const FAIRNESS: u32 = 61;

/// The number of jobs from which on a join offers no further one, unless another worker requests some.
///
/// The jobs that are offered are those of the upper levels of a tree of joins, so the large ones. Joins below these
/// levels are nearly free. With each job more, the joins that offer grow in number by about the tree's depth.
const ENOUGH: usize = 3;

/// The bit of a worker's mode, and of its jobs' latches, which forbids foreign jobs during waits.
pub(crate) const UNDISTURBED: usize = CoreLatch::FREE;

/// The part of a worker that only its own thread uses.
pub(crate) struct Worker {
    deque: UnsafeCell<lifo::Owner<JobRef>>,
    ready: Ready,
    mode: Cell<usize>,
    registry: Arc<Registry>,
    index: usize,
    /// The number of foreign jobs that it has begun and not ended.
    depth: Cell<usize>,
    /// The number of jobs until it looks for injected jobs.
    until_injected: Cell<u32>,
    random: Cell<u64>,
    /// The number of rounds in which it searches after it has run out of work.
    patience: Cell<usize>,
    fifo: Fifo,
    /// The workers by their distance, the nearest first, among them this worker.
    victims: Box<[Box<[usize]>]>,
}

per_thread! {
    static CURRENT: Cell<*const Worker> = const { Cell::new(ptr::null()) };
}

impl From<ThreadBuilder> for Worker {
    fn from(thread: ThreadBuilder) -> Self {
        let ThreadBuilder { registry, deque, ready, index, .. } = thread;
        let victims = registry.victims(index);
        Self {
            deque: UnsafeCell::new(deque),
            ready,
            mode: Cell::new(0),
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
}

impl Worker {
    /// Returns the calling thread's worker.
    #[inline(always)]
    pub(crate) fn current<'a>() -> Option<&'a Self> {
        // A thread that is ending is no worker any more.
        let worker = CURRENT.try_with(Cell::get).unwrap_or(ptr::null());
        // SAFETY: a worker outlives its entry in `CURRENT`, and the reference does not leave the frames above
        // it.
        unsafe { worker.as_ref() }
    }

    /// Makes this the calling thread's worker.
    ///
    /// # Safety
    /// The worker does not move until `clear_current`, or never moves.
    pub(crate) unsafe fn make_current(&self) {
        CURRENT.with(|current| {
            debug_assert!(current.get().is_null(), "a thread is one worker");
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

    /// Returns the mode bits of new jobs.
    #[inline(always)]
    pub(crate) fn mode(&self) -> usize {
        self.mode.get()
    }

    /// Sets the mode bits of new jobs. Returns the bits from before.
    pub(crate) fn replace_mode(&self, mode: usize) -> usize {
        self.mode.replace(mode)
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
        // SAFETY: only its own thread uses a worker, and no operation of the deque calls a function of the
        // worker.
        unsafe { &mut *self.deque.get() }
    }

    /// Whether other workers find enough in the deque, and request nothing of it.
    #[inline(always)]
    pub(crate) fn has_enough(&self) -> bool {
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

    fn push_newest(&self, job: JobRef) {
        match self.deque().push(job) {
            Ok(()) => self.sleep().notify(),
            // A worker that must not take foreign jobs would never find the job there. SAFETY: the deque has
            // just given the job back.
            Err(_) if self.mode() & UNDISTURBED != 0 => unsafe { job.run() },
            Err(PushError::Full(job) | PushError::Busy(job)) => self.registry.inject(job),
        }
    }

    /// Adds a job that runs after this worker's earlier jobs of `spawn_fifo`.
    pub(crate) fn push_fifo(&self, job: JobRef) {
        // SAFETY: a worker stays until its pool has ended, and no tickets are left then.
        self.push_newest(unsafe { self.fifo.push(job) });
    }

    /// Adds the ticket of a job.
    pub(crate) fn push_ticket(&self, ticket: JobRef) {
        self.push_newest(ticket);
    }

    /// Adds a task.
    pub(crate) fn push_task(&self, job: JobRef, place: Place) {
        match self.ready.push(&self.seat().tasks, job, place) {
            // The worker sleeps in the handler that has woken the task.
            Push::Alone | Push::Besides if parked::takes_first_push() => self.sleep().wake(self.index),
            Push::Alone => watch::watch_over(&self.registry),
            Push::Besides => self.sleep().notify(),
            Push::Full(job) => self.registry.inject(job),
        }
    }

    /// Takes a task of this worker's.
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

    /// Takes a job of this worker: from its deque, or else a broadcast.
    fn take_own(&self) -> Option<JobRef> {
        match self.pop() {
            Some(job) if job == Marker::job() && self.mode() & UNDISTURBED != 0 => {
                // The jobs below the mark are not to be taken now.
                let is_back = self.deque().push(job).is_ok();
                debug_assert!(is_back, "its place is free");
                self.take_broadcast()
            }
            Some(job) => Some(job),
            None => self.take_broadcast(),
        }
    }

    fn take_broadcast(&self) -> Option<JobRef> {
        self.seat().broadcasts.pop().ok()
    }

    /// Takes a foreign job: from another worker's deque, near ones first, or else an injected job.
    fn take_foreign(&self) -> Steal<JobRef> {
        let seats = self.registry.seats();
        let mut is_busy = false;
        let in_turn = self.victims.iter().flat_map(|near| {
            let (last, first) = near.split_at(self.pick(near.len()));
            first.iter().chain(last).copied()
        });
        for index in in_turn.filter(|&index| index != self.index) {
            self.seat().counts.attempts.add();
            match seats[index].stealer.steal().or_else(|| self.ready.steal(&seats[index].tasks)) {
                Steal::Success(job) => {
                    self.seat().counts.thefts.add();
                    if !self.seat().tasks.is_empty() {
                        // The theft has brought more tasks.
                        self.sleep().notify();
                    }
                    return Steal::Success(job);
                }
                Steal::Retry => is_busy = true,
                Steal::Empty => {}
            }
        }
        match self.registry.take_injected() {
            Some(job) => Steal::Success(job),
            None if is_busy => Steal::Retry,
            None => Steal::Empty,
        }
    }

    /// Takes a foreign job, if there is one. Retries after lost races.
    fn insist(&self) -> Option<JobRef> {
        for round in 0.. {
            match self.take_foreign() {
                Steal::Success(job) => return Some(job),
                Steal::Empty => return self.registry.seats().iter().find_map(Seat::take_next),
                Steal::Retry => relax(round + 1),
            }
        }
        None
    }

    /// Picks a number below `count` by Marsaglia's xorshift.
    fn pick(&self, count: usize) -> usize {
        let mut next = self.random.get();
        next ^= next << 13;
        next ^= next >> 7;
        next ^= next << 17;
        self.random.set(next);
        (next >> 32) as usize % count
    }

    /// Runs a job of this worker.
    #[inline]
    pub(crate) fn run(&self, job: JobRef) {
        // SAFETY: the job has come out of a deque or queue.
        unsafe { job.run() };
    }

    /// Runs a foreign job.
    fn run_foreign(&self, job: JobRef) {
        self.depth.set(self.depth.get() + 1);
        self.run(job);
        self.depth.set(self.depth.get() - 1);
    }

    /// Takes an injected job, or else a task, when enough own jobs have run.
    fn take_in_turn(&self) -> Option<JobRef> {
        match self.until_injected.get() {
            0 => {
                self.until_injected.set(FAIRNESS - 1);
                self.registry.take_injected().or_else(|| self.take_task())
            }
            left => {
                self.until_injected.set(left - 1);
                None
            }
        }
    }

    /// Waits for a latch, and runs jobs meanwhile, foreign ones, too.
    pub(crate) fn wait_until(&self, latch: &CoreLatch) {
        self.wait(latch, usize::MAX);
    }

    /// Runs the jobs above this one in the deque, which a join's first closure has spawned. Returns whether the
    /// job has come out; if not, another worker has stolen it, and has set its latch.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_back(&self, mut newest: Option<JobRef>, job: JobRef, latch: &CoreLatch) -> bool {
        loop {
            match newest {
                Some(other) if other == job => return true,
                Some(other) if !latch.is_set() => self.run(other),
                other => {
                    if let Some(other) = other {
                        self.push(other);
                    }
                    self.wait_for_thief(latch);
                    return false;
                }
            }
            newest = self.pop();
        }
    }

    /// Waits for a join's job that another worker has stolen. Takes foreign jobs only up to the pool's depth.
    pub(crate) fn wait_for_thief(&self, latch: &CoreLatch) {
        self.wait(latch, self.registry.most_nested());
    }

    #[cold]
    fn wait(&self, latch: &CoreLatch, most_nested: usize) {
        // A panic that unwinds through here would end frames that thieves use.
        abort_on_panic(|| {
            let is_alone = self.mode() & UNDISTURBED != 0 || self.depth.get() >= most_nested;
            while !latch.is_set() {
                if is_alone {
                    match self.take_own() {
                        Some(job) => self.run(job),
                        None => self.sleep_alone(latch),
                    }
                } else if let Some(job) = self.take_in_turn() {
                    self.run_foreign(job);
                } else if let Some(job) = self.take_own() {
                    self.run(job);
                } else if let Some(job) = self.take_task() {
                    self.run_foreign(job);
                } else if let Some(job) = self.search(latch) {
                    self.run_foreign(job);
                }
            }
        });
    }

    /// Looks for a foreign job, and sleeps if there is none. Returns without a job if the latch may be set, or
    /// the worker has a job of its own.
    fn search(&self, latch: &CoreLatch) -> Option<JobRef> {
        let mut is_searcher = self.sleep().start_search();
        let mut rounds = self.patience.get();
        loop {
            if is_searcher {
                for round in 0..rounds {
                    let found = self.take_foreign().success();
                    if found.is_some() || latch.is_set() {
                        self.sleep().stop_search();
                        if round > 0 {
                            self.patience.set(ROUNDS);
                        }
                        return found;
                    }
                    relax(round);
                }
                self.patience.set((self.patience.get() / 2).max(LEAST_ROUNDS));
            }
            if !latch.fall_asleep() {
                if is_searcher {
                    self.sleep().stop_search();
                }
                return None;
            }
            let has_handler = self.registry.handlers().park.is_some();
            let look = self.sleep().enter(self.index, is_searcher).beside_handlers(has_handler);
            let (wants_sleep, found) = if latch.is_set() || !self.seat().broadcasts.is_empty() {
                (false, None)
            } else if look.begin() {
                let found = self.insist();
                (found.is_none(), found)
            } else {
                (true, None)
            };
            if !wants_sleep {
                self.sleep().leave(self.index, found.is_some());
                latch.wake_up();
                return found;
            }
            self.seat().counts.sleeps.add();
            let nap = Nap::start();
            is_searcher = self.sleep().sleep(self.index);
            if nap.is_short() {
                self.patience.set(ROUNDS);
            }
            rounds = ROUNDS;
            latch.wake_up();
            if is_searcher && !self.has_jobs() && !self.ready.has_tasks(&self.seat().tasks) {
                continue;
            }
            // The worker's own work comes first. It may have come from the handler in which the worker slept.
            if is_searcher {
                self.sleep().stop_search();
            }
            return None;
        }
    }

    /// Sleeps until the latch is set, or the worker has a job of its own.
    fn sleep_alone(&self, latch: &CoreLatch) {
        if !latch.fall_asleep() {
            return;
        }
        if !self.seat().tasks.is_empty() {
            // This worker does not come to its jobs soon, so another worker has to take them.
            self.sleep().notify();
        }
        self.sleep().enter_alone(self.index);
        if latch.is_set() || !self.seat().broadcasts.is_empty() {
            self.sleep().leave(self.index, false);
        } else {
            self.seat().counts.sleeps.add();
            self.sleep().sleep(self.index);
        }
        latch.wake_up();
    }

    /// Runs one job, if there is one.
    pub(crate) fn yield_now(&self) -> Yield {
        self.run_one(self.take_own().or_else(|| self.take_task()).or_else(|| self.insist()))
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

    /// Calls `body`. Waits in `body` run no jobs from before the call.
    pub(crate) fn undisturbed<R>(&self, body: impl FnOnce() -> R) -> R {
        if self.mode() & UNDISTURBED != 0 {
            return body();
        }
        /// Removes the mark, if it is still in the deque.
        struct Mark<'a>(&'a Worker);
        impl Drop for Mark<'_> {
            fn drop(&mut self) {
                if let Some(job) = self.0.pop()
                    && job != Marker::job()
                {
                    self.0.push_newest(job);
                }
            }
        }
        // A full deque has no room for the mark, so its jobs run first.
        while !self.try_push(Marker::job()) {
            self.yield_local();
        }
        let _mark = Mark(self);
        let _mode = ModeOf::set(self, UNDISTURBED);
        body()
    }
}

/// Runs the worker of a thread, until the pool ends.
pub(crate) fn work(thread: ThreadBuilder) {
    let worker = Worker::from(thread);
    let registry = worker.registry();
    let seat = &registry.seats()[worker.index];
    // SAFETY: the worker stays in this frame until `clear_current`.
    unsafe { worker.make_current() };
    seat.primed.open();
    if let Some(handler) = &registry.handlers().park {
        parked::set(handler);
    }
    if let Some(core) = registry.core(worker.index) {
        sync::bind(core);
    }
    abort_on_panic(|| {
        if let Some(handler) = &registry.handlers().start {
            registry.catch(|| handler(worker.index));
        }
        worker.wait_until(&seat.terminate);
        debug_assert!(worker.pop().is_none_or(|job| job == Marker::job()), "a pool ends when its jobs are done");
        seat.stopped.open();
    });
    if let Some(handler) = &registry.handlers().exit {
        registry.catch(|| handler(worker.index));
    }
    Worker::clear_current();
}
