//! One operating system thread's part of a check.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::config::Config;
use crate::graph::event::Site;
use crate::report::Report;
use crate::report::sites::Sites;
use crate::runtime::driver::{Driver, Program};
use crate::runtime::engine::Ending;

use super::pool::{Pool, Task};

/// The whole exploration, in the units in which workers tell what they have explored.
pub(super) const SHARE: f64 = 4_294_967_296.0;

/// After how many runs the clock is read.
const CLOCK_INTERVAL: u64 = 32;

/// Runs tasks until there are none left.
pub(super) struct Worker<'a> {
    config: &'a Config,
    pool: &'a Pool,
    site: Site,
    driver: Driver,
    report: Report,
    sites: Sites,
    runs: u64,
    /// Executions that the pool has not been told of.
    untold: u64,
}

impl<'a> Worker<'a> {
    pub(super) fn new(config: &'a Config, pool: &'a Pool, site: Site) -> Self {
        Self {
            config,
            pool,
            site,
            driver: Driver::new(config),
            report: Report::default(),
            sites: Sites::default(),
            runs: 0,
            untold: 0,
        }
    }

    /// Works until everything is explored, or the check is stopped.
    pub(super) fn work(mut self, program: &Program) -> Report {
        self.explore(program);
        self.report.sites = self.sites.report();
        self.report
    }

    fn explore(&mut self, program: &Program) {
        // A handle of our own: the shared one's count would be fought over at each run.
        let shared = Arc::clone(program);
        let program: &Program = &(Arc::new(move || shared()) as Program);
        while let Some(task) = self.pool.take() {
            self.driver.engine().explorer = task.explorer;
            let mut going = task.fresh || self.driver.engine().explorer.backtrack();
            while going {
                self.run(program);
                if self.pool.has_stopped() || self.is_over() {
                    return;
                }
                going = self.driver.engine().explorer.backtrack();
            }
        }
    }

    fn run(&mut self, program: &Program) {
        let ending = self.driver.run(program, self.site);
        self.runs += 1;
        let explorer = &mut self.driver.engine().explorer;
        explorer.finish();
        if !matches!(ending, Ending::Discarded) {
            self.sites.note(&mut explorer.graph);
        }
        match ending {
            Ending::Complete => {
                self.report.executions += 1;
                self.report.events += explorer.graph.order.len() as u64;
                self.untold += 1;
            }
            Ending::Blocked => self.report.blocked += 1,
            Ending::Discarded => self.report.discarded += 1,
            Ending::Failed(failure) => self.pool.fail(*failure),
        }
        if self.pool.is_hungry()
            && let Some(explorer) = explorer.split()
        {
            self.pool.give(Task { explorer, fresh: false });
        }
    }

    /// Whether a limit is reached; tells the others, and what has been explored.
    fn is_over(&mut self) -> bool {
        if !self.runs.is_multiple_of(CLOCK_INTERVAL) && self.config.max_executions.is_none() {
            return false;
        }
        let explored = std::mem::take(&mut self.driver.engine().explorer.explored);
        let share = (explored * SHARE) as u64;
        let executions = std::mem::take(&mut self.untold);
        self.pool.executions.fetch_add(executions, Ordering::Relaxed);
        self.pool.explored.fetch_add(share, Ordering::Relaxed);
        let over = self.pool.is_over(self.config);
        if over && !self.driver.engine().explorer.is_done() {
            self.report.limited = true;
            self.pool.stop();
        }
        over
    }
}
