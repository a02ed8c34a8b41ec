//! A check from start to end.

mod pool;
mod worker;

use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::config::Config;
use crate::explore::Explorer;
use crate::explore::script::Script;
use crate::report::{Report, progress};
use crate::runtime::driver::Program;

use pool::{Pool, Task};
use worker::Worker;

/// How often progress is shown.
const TICK: Duration = Duration::from_millis(500);

/// The environment variable that makes checks replay one execution.
pub(crate) const REPLAY: &str = "AQUEDUCT_REPLAY";

impl Config {
    /// Explores every execution of `program`. Does not panic when one fails.
    ///
    /// Where no replay string is set, one in the environment variable `AQUEDUCT_REPLAY` counts.
    ///
    /// # Panics
    ///
    /// If the replay string cannot be read.
    #[track_caller]
    pub fn check<F>(&self, program: F) -> Report
    where
        F: Fn() + Send + Sync + 'static,
    {
        let site = Location::caller();
        let program: Program = Arc::new(program);
        let script = self.script();
        let replays = script.is_some();
        let random = self.random.filter(|_| !replays);
        let mut explorer = match random {
            Some((executions, seed)) => Explorer::walker(self.rules(), executions, seed),
            None => Explorer::new(self.rules()),
        };
        explorer.script = script;
        let jobs = match self.jobs {
            _ if replays => 1,
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            jobs => jobs,
        };
        let first = Task { explorer, fresh: true };
        let pool = Pool::new(first, jobs);
        let mut report = Report::default();
        let mut alone = Worker::new(self, &pool, site);
        if jobs == 1 && !self.progress {
            report.add(&alone.work(&program));
        } else {
            // Most checks are over before it pays to start threads.
            let rest = alone.explore_some(&program);
            report.add(&alone.report());
            if let Some(rest) = rest {
                pool.give(rest);
                self.check_on_threads(&pool, jobs, &mut report, |pool| Worker::new(self, pool, site).work(&program));
            }
        }
        report.failure = pool.failure();
        report.random = random.is_some();
        report.exhaustive =
            report.failure.is_none() && !report.limited && report.cut == 0 && !replays && !report.random;
        report.seconds = pool.began.elapsed().as_secs_f64();
        report.peak_memory = progress::peak_memory();
        report
    }

    fn script(&self) -> Option<Script> {
        let replay = self.replay.clone().or_else(|| std::env::var(REPLAY).ok())?;
        let script = replay.parse::<Script>();
        Some(script.unwrap_or_else(|error| panic!("{error}")))
    }

    fn check_on_threads(&self, pool: &Pool, jobs: usize, report: &mut Report, work: impl Fn(&Pool) -> Report + Sync) {
        let this = &std::thread::current();
        std::thread::scope(|scope| {
            let work = &work;
            let worker = || {
                let part = work(pool);
                this.unpark();
                part
            };
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(worker)).collect();
            while self.progress && !pool.has_stopped() && workers.iter().any(|w| !w.is_finished()) {
                std::thread::park_timeout(TICK);
                progress::show(
                    pool.executions.load(Ordering::Relaxed),
                    pool.explored.load(Ordering::Relaxed) as f64 / worker::SHARE,
                    pool.began.elapsed(),
                );
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
