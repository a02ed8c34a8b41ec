//! A check from start to end.

mod cluster;
mod counts;
mod estimate;
mod file;
mod pool;
mod saved;
mod sum;
mod worker;

use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::config::Config;
use crate::explore::Explorer;
use crate::explore::script::{REPLAY, Script};
use crate::graph::event::Site;
use crate::report::{Report, progress};
use crate::runtime::driver::{self, Program};
use crate::runtime::watch::Kept;

pub use cluster::{Merged, PartError, TaskFailure, merge, program_of};
pub use estimate::Estimate;
use pool::{Pool, Rounds, Task, Watching};
pub use saved::ResumeError;
use worker::Worker;

/// The interval at which progress is shown.
const TICK: Duration = Duration::from_millis(500);

/// The number of runs before other threads are started: they take about as long as one start.
const SOME: u64 = 64;

/// The number of probes for the estimate that is shown with the progress.
const PROBES: usize = 2_000;

/// The outcome of an exploration.
enum Outcome {
    /// Rounds that write to memory of their own were dropped, and the exploration needs them.
    MissesOwnWrites,
    /// Accesses in dropped rounds may be part of a race, and were not noted.
    NeedsWatch,
    /// The program needs a count of owners.
    NeedsCounts,
    /// The report, and the waits whose dropped rounds may have a race.
    Explored(Box<Report>, Vec<Kept>),
}

impl Config {
    /// Explores every execution of `program`, and returns a report, even when one fails.
    ///
    /// If no execution is complete, that is a failure, too
    /// ([`FailureKind::Unexplored`](crate::FailureKind::Unexplored)), unless the check was
    /// [stopped](Self::stop_when). Without a replay string, the environment variable
    /// `AQUEDUCT_REPLAY` sets one.
    ///
    /// # Panics
    ///
    /// If the replay string cannot be read, or a model runs the caller.
    #[track_caller]
    pub fn check<F>(&self, program: F) -> Report
    where
        F: Fn() + Send + Sync + 'static,
    {
        let (program, site): (Program, _) = (Arc::new(program), Location::caller());
        driver::refuse_nesting();
        let began = Instant::now();
        let mut rounds = Rounds {
            drops_own_writes: !self.all_failed_rounds && !self.reuses_addresses,
            watch: Watching::IfNeeded,
            counts_owners: self.all_drop_orders || self.script().is_some_and(|script| script.counts_owners),
            ..Rounds::default()
        };
        let mut first: Option<Report> = None;
        loop {
            match self.check_program(&program, site, &rounds, began) {
                Outcome::MissesOwnWrites => rounds.drops_own_writes = false,
                Outcome::NeedsWatch => rounds.watch = Watching::Always,
                Outcome::NeedsCounts => rounds.counts_owners = true,
                Outcome::Explored(report, suspects) => match first {
                    Some(first) => return first.with_kept_rounds(*report),
                    None if suspects.is_empty() => return *report,
                    None => {
                        first = Some(*report);
                        rounds = Rounds { watch: Watching::Never, kept: suspects, ..rounds };
                    }
                },
            }
        }
    }

    /// Explores `program`, in a check that began at `began`.
    fn check_program(&self, program: &Program, site: Site, rounds: &Rounds, began: Instant) -> Outcome {
        let script = self.script();
        let replays = script.is_some();
        let random = self.random.filter(|_| !replays);
        let mut explorer = match random {
            Some((executions, seed)) => Explorer::walker(self.rules(), executions, seed),
            None => Explorer::new(self.rules()),
        };
        explorer.script = script;
        let jobs = if replays { 1 } else { self.workers() };
        let pool = Pool::new(vec![Task { explorer, fresh: true }], jobs);
        let pool = pool.until(self.deadline(began)).treating(rounds);
        let mut report = self.work(&pool, jobs, program, site, Duration::ZERO);
        report.failure = pool.failure();
        if report.failure.is_none() && pool.needs_counts() {
            return Outcome::NeedsCounts;
        }
        if report.failure.is_none() && pool.misses_rounds() {
            return Outcome::MissesOwnWrites;
        }
        if report.failure.is_none() && pool.needs_watch() {
            return Outcome::NeedsWatch;
        }
        report.random = random.is_some();
        report.limited |= report.failure.is_none() && pool.has_tasks();
        // A replay string need not fit a program that has been mended.
        if report.explores_nothing() && !self.is_stopped() && (!replays || report.cut > 0) {
            report.failure = Some(pool.unexplored(&report));
        }
        report.conclude(!replays && !report.random, pool.explored());
        report.load_buffering = self.looks_for_load_buffering.then(|| pool.load_buffering());
        report.seconds = began.elapsed().as_secs_f64();
        report.peak_memory = progress::peak_memory();
        let is_over = report.failure.is_some() || report.limited || replays || report.random;
        let suspects = if is_over { Vec::new() } else { pool.suspects() };
        Outcome::Explored(Box::new(report), suspects)
    }

    /// Returns how many threads explore.
    fn workers(&self) -> usize {
        match self.jobs {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            jobs => jobs,
        }
    }

    /// Whether the check was stopped from outside.
    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Returns when a check that begins now must stop.
    fn deadline(&self, began: Instant) -> Option<Instant> {
        self.time_limit.and_then(|limit| began.checked_add(limit))
    }

    /// Runs the pool's tasks, until none is left or there is a reason to stop. Earlier stretches
    /// took the time `before`.
    fn work(&self, pool: &Pool, jobs: usize, program: &Program, site: Site, before: Duration) -> Report {
        let mut report = Report::default();
        let mut alone = Worker::new(self, pool, site);
        if jobs == 1 && !self.progress {
            report.add(&alone.work(program));
            return report;
        }
        // Most checks are over before it pays to start threads.
        let rest = alone.explore_some(SOME, program);
        report.add(&alone.report());
        rest.into_iter().for_each(|rest| pool.give(rest));
        if pool.has_tasks() && !pool.has_stopped() {
            self.work_on_threads(pool, jobs, &mut report, before, program, site);
        }
        report
    }

    fn script(&self) -> Option<Script> {
        let replay = self.replay.clone().or_else(|| std::env::var(REPLAY).ok())?;
        let script = replay.parse::<Script>();
        Some(script.unwrap_or_else(|error| panic!("{error}")))
    }

    fn work_on_threads(
        &self,
        pool: &Pool,
        jobs: usize,
        report: &mut Report,
        before: Duration,
        program: &Program,
        site: Site,
    ) {
        let this = &std::thread::current();
        std::thread::scope(|scope| {
            let worker = || {
                let part = Worker::new(self, pool, site).work(program);
                this.unpark();
                part
            };
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(worker)).collect();
            let mut estimate = None;
            while self.progress && !pool.has_stopped() && workers.iter().any(|w| !w.is_finished()) {
                std::thread::park_timeout(TICK);
                let executions = pool.executions.load(Ordering::Relaxed);
                let all = match self.random {
                    Some((all, _)) => progress::aim(all),
                    None => estimate.get_or_insert_with(|| self.probe(PROBES, 0, TICK, program, site)).told(executions),
                };
                progress::show(executions, &all, before + pool.began.elapsed());
            }
            for worker in workers {
                match worker.join() {
                    Ok(part) => report.add(&part),
                    Err(payload) => {
                        pool.stop();
                        std::panic::resume_unwind(payload);
                    }
                }
            }
        });
        if self.progress {
            progress::clear();
        }
    }
}
