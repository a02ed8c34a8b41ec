//! Waiting of a worker: it runs jobs meanwhile, its own and foreign ones, and sleeps when there is
//! none.
//!
//! # Rules
//! A worker's *own* work is in its deque, its queue of tasks, and its broadcasts. All other work is
//! *foreign*.
//! 1. A worker that waits runs its own work first, and foreign work if it has none, with these
//!    exceptions.
//! 2. In a [body](super::body) of `undisturbed`, it runs the parts of the body, and broadcasts.
//! 3. A join, and `block_on`, bound the number of foreign jobs and tasks that the worker runs
//!    within each other. Beyond the bound, a worker runs its own jobs and broadcasts, and in
//!    `block_on` its next task, too: the one that it has made or woken last, on which the future
//!    may depend. It leaves the rest to other workers.
//! 4. If all workers sleep by rules 2 and 3, and one of them is in `block_on` beyond its bound,
//!    then after a [while](super::relief) one such worker continues by rule 1, until it has run a
//!    foreign job or task, or has its result. (In the model, at once.)
//!
//! # Progress
//! A *frame* is a job, a poll of a task, or a body, on the stack of a worker. Suppose that each
//! frame waits only for work that was made after it began: by itself, or by such work. Joins,
//! scopes, and a `block_on` of new tasks do so. Then some worker runs as long as work is left.
//!
//! Take a frame that waits, and follow what it needs: a job or a task, what that one awaits, and so
//! on. If the last of these runs on a worker below another frame, or lies in a deque below the mark
//! of another frame, continue with what the topmost frame there needs. That frame began later than
//! all frames before it on this path. So the path does not return, and ends: at a worker that is
//! awake, or at ready work `w` that the last frame `e` on the path needs.
//! - `w` is in a deque, above all marks. Its worker takes it in any wait (rules 1 to 3).
//! - `w` is a task of a body that is not over. If `e` is a part of that body, its worker takes `w`
//!   (rule 2). Otherwise, the body's ticket is injected, which is the next case.
//! - `w` is another task, or injected. Then `e` is not a join, whose job would be in a deque. It is
//!   not a part of a body: `w` would be a part of it, too. So `e` waits by rule 1, and its worker
//!   takes `w`, or is woken for it (`sleep.rs`); or `e` is in `block_on` beyond its bound. Then
//!   another worker waits by rule 1 or is awake, or rule 4 holds.
//!
//! # What is left out
//! - A frame may wait for older work, or for work from elsewhere. If it is not a part of a body, it
//!   is like the frame `e` of the last case. If all workers wait in bodies, each for work from
//!   outside of its body, they wait forever.
//! - A worker that is awake may never come to the work that others leave to it, because its job
//!   does not end, or waits for that work by other means than the pool's. A thread that was made a
//!   worker by `use_current_thread` does not count.

use aqueduct::bwos::Steal;

use super::body::Body;
use super::{FAIRNESS, Worker, relief};
use crate::job::JobRef;
use crate::latch::CoreLatch;
use crate::seat::Seat;
use crate::sync::{HINTED, LEAST_ROUNDS, Nap, ROUNDS, SearchTime, hold_on, relax};
use crate::unwind::abort_on_panic;

/// The bound on foreign work during a wait: rule 3.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    None,
    Thief,
    Future,
}

impl Worker {
    /// Waits for a latch, and runs jobs meanwhile, foreign ones, too.
    pub(crate) fn wait_until(&self, latch: &CoreLatch) {
        self.wait(latch, Bound::None);
    }

    /// Waits for a latch that a waker sets, with rule 3 for `block_on`.
    pub(crate) fn wait_for_waker(&self, latch: &CoreLatch) {
        self.wait(latch, Bound::Future);
    }

    /// Runs the jobs above this one in the deque, which a join's first closure has spawned. Returns
    /// true if the job was taken out. Otherwise another worker has stolen it, and has set its
    /// latch.
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

    /// Waits for a join's job that another worker has stolen, with rule 3 for joins.
    fn wait_for_thief(&self, latch: &CoreLatch) {
        self.wait(latch, Bound::Thief);
    }

    #[cold]
    fn wait(&self, latch: &CoreLatch, bound: Bound) {
        // A panic that unwinds through here would end frames that thieves use.
        abort_on_panic(|| {
            if let Some(body) = self.body() {
                self.wait_within(body, latch);
            }
            let is_bounded = bound != Bound::None && self.depth.get() >= self.registry.most_nested();
            while !latch.is_set() {
                if is_bounded {
                    self.run_bounded(latch, bound);
                } else if let Some(job) = self.take_in_turn() {
                    self.run_foreign(job);
                } else if let Some(job) = self.pop_or_broadcast() {
                    self.run(job);
                } else if let Some(job) = self.take_task() {
                    self.run_foreign(job);
                } else if let Some(job) = self.search(latch) {
                    self.run_foreign(job);
                }
            }
        });
    }

    /// Waits until the latch is set, or the body is over.
    fn wait_within(&self, body: &Body, latch: &CoreLatch) {
        while !latch.is_set() && !body.is_over() {
            match self.take_own().or_else(|| body.take()) {
                Some(job) => self.run(job),
                None => {
                    self.sleep_alone(latch, false);
                }
            }
        }
    }

    /// Runs a job beyond the bound, or sleeps.
    fn run_bounded(&self, latch: &CoreLatch, bound: Bound) {
        let next = || if bound == Bound::Future { self.ready.take_next(&self.seat().tasks) } else { None };
        if let Some(job) = self.pop_or_broadcast() {
            self.run(job);
        } else if let Some(job) = next() {
            self.run_foreign(job);
        } else if self.sleep_alone(latch, bound == Bound::Future)
            && let Some(job) = self.take_in_turn().or_else(|| self.take_task()).or_else(|| self.search(latch))
        {
            self.run_foreign(job);
        }
    }

    /// Looks for a foreign job, and sleeps if there is none. Returns without a job if the latch may
    /// be set, or the worker has a job of its own.
    fn search(&self, latch: &CoreLatch) -> Option<JobRef> {
        let mut is_searcher = self.sleep().start_search();
        let mut rounds = self.patience.get();
        loop {
            if is_searcher {
                let mut time = SearchTime::start();
                for round in (0..rounds).take_while(|&round| !time.is_over(round)) {
                    let found = match self.take_foreign() {
                        // A worker has jobs, and has had the time to grant some.
                        Steal::Retry if round >= HINTED => self.seize(),
                        other => other.success(),
                    };
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
            // The worker's own work comes first. It may have come from the handler in which the
            // worker slept.
            if is_searcher {
                self.sleep().stop_search();
            }
            return None;
        }
    }

    /// Sleeps until the latch is set, or the worker or its body has a job. Returns whether the
    /// worker has to take foreign work, which it does only if `takes_others`.
    fn sleep_alone(&self, latch: &CoreLatch, takes_others: bool) -> bool {
        if !latch.fall_asleep() {
            return false;
        }
        if !self.seat().tasks.is_empty() {
            // This worker does not come to its jobs soon, so another worker has to take them.
            self.sleep().notify();
        }
        if self.sleep().enter_alone(self.index, takes_others) {
            relief::call(&self.registry);
        }
        let has_news = || self.body().is_some_and(|body| body.has_news());
        let is_relief = if latch.is_set() || !self.seat().broadcasts.is_empty() || has_news() {
            self.sleep().leave(self.index, false);
            false
        } else {
            self.seat().counts.sleeps.add();
            self.sleep().sleep_alone(self.index)
        };
        latch.wake_up();
        is_relief
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

    /// Takes a foreign job, if there is one. The next task of another worker counts as one.
    pub(super) fn insist(&self) -> Option<JobRef> {
        self.seize().or_else(|| self.registry.seats().iter().find_map(Seat::take_next))
    }

    /// Takes a foreign job out of a queue, if there is one. Retries after lost races, and while the
    /// job's worker has not granted it.
    fn seize(&self) -> Option<JobRef> {
        for round in 0.. {
            match self.take_foreign() {
                Steal::Success(job) => return Some(job),
                Steal::Empty => return None,
                Steal::Retry => hold_on(round),
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
}
