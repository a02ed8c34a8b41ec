//! How a worker waits: it runs jobs meanwhile, its own and foreign ones, and sleeps when there is none.

use aqueduct::bwos::Steal;

use super::{FAIRNESS, UNDISTURBED, Worker};
use crate::job::JobRef;
use crate::latch::CoreLatch;
use crate::seat::Seat;
use crate::sync::{LEAST_ROUNDS, Nap, ROUNDS, relax};
use crate::unwind::abort_on_panic;

impl Worker {
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
    pub(super) fn insist(&self) -> Option<JobRef> {
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
