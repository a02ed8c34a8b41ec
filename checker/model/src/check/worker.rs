//! One operating system thread's part of a check.

use std::sync::{Arc, PoisonError};

use crate::buffering::Buffering;
use crate::config::Config;
use crate::explore::Explorer;
use crate::graph::event::Site;
use crate::report::sites::Sites;
use crate::report::{ExecutionGraph, Failure, Report, failure, threads};
use crate::runtime::driver::{Driver, Program};
use crate::runtime::facts::Ending;
use crate::runtime::watch::Watch;

use super::pool::{Pool, Task, Watching};

/// The number of runs between two readings of the clock.
const CLOCK_INTERVAL: u64 = 32;

/// A worker, which runs tasks until none is left.
pub(super) struct Worker<'a> {
    config: &'a Config,
    pool: &'a Pool,
    site: Site,
    driver: Driver,
    report: Report,
    sites: Sites,
    buffering: Option<Buffering>,
    /// Whether equal threads may stand for each other.
    equates_threads: bool,
    runs: u64,
    /// The number of executions that are not reported to the pool yet.
    unreported: u64,
}

impl<'a> Worker<'a> {
    pub(super) fn new(config: &'a Config, pool: &'a Pool, site: Site) -> Self {
        let mut driver = Driver::new(config);
        let (engine, rounds) = (driver.engine(), pool.rounds());
        engine.drops_own_writes = rounds.drops_own_writes;
        engine.watch = (rounds.watch == Watching::Always).then(Watch::default);
        engine.kept_rounds.clone_from(&rounds.kept);
        engine.keeps = rounds.keeps;
        engine.counts_owners = rounds.counts_owners;
        Self {
            config,
            pool,
            site,
            driver,
            report: Report::default(),
            sites: Sites::default(),
            buffering: config.looks_for_load_buffering.then(Buffering::default),
            equates_threads: config.equates_threads() && rounds.equates_threads(),
            runs: 0,
            unreported: 0,
        }
    }

    /// Works until everything is explored, or the check is stopped.
    pub(super) fn work(mut self, program: &Program) -> Report {
        // A handle of this worker's own: all workers would contend for the shared one's count at
        // each run.
        let shared = Arc::clone(program);
        let program: &Program = &(Arc::new(move || shared()) as Program);
        while let Some(task) = self.pool.take() {
            if self.explore(task, program, u64::MAX) {
                break;
            }
        }
        if let Some(rest) = self.rest() {
            self.pool.give(rest);
        }
        self.report()
    }

    /// Takes the first task and makes `runs` runs of it. Returns the rest, if there is one.
    pub(super) fn explore_some(&mut self, runs: u64, program: &Program) -> Option<Task> {
        let first = self.pool.take()?;
        self.explore(first, program, runs);
        self.rest()
    }

    /// Returns the rest of the present task.
    fn rest(&mut self) -> Option<Task> {
        self.report_counts();
        let explorer = &mut self.driver.engine().explorer;
        if explorer.is_done() {
            return None;
        }
        let explorer = std::mem::replace(explorer, Explorer::new(self.config.rules()));
        Some(Task { explorer, fresh: false })
    }

    /// Returns the report of this worker's part.
    pub(super) fn report(mut self) -> Report {
        self.report.sites = self.sites.report();
        if let Some(watch) = self.driver.engine().watch.take() {
            self.pool.note_watch(watch);
        }
        if let Some(buffering) = self.buffering {
            self.pool.note_buffering(buffering);
        }
        self.report
    }

    /// Runs `task`, or its next `runs` runs. Returns whether the check is over.
    fn explore(&mut self, task: Task, program: &Program, runs: u64) -> bool {
        self.report_counts();
        let engine = self.driver.engine();
        engine.explorer = task.explorer;
        engine.explorer.equates_threads = self.equates_threads;
        let last = self.runs.saturating_add(runs);
        let mut going = task.fresh || self.driver.engine().explorer.backtrack();
        while going {
            self.run(program);
            if self.pool.has_stopped() || self.is_over() {
                return true;
            }
            if self.runs == last {
                return false;
            }
            going = self.driver.engine().explorer.backtrack();
        }
        false
    }

    fn run(&mut self, program: &Program) {
        let ending = self.driver.run(program, self.site);
        self.runs += 1;
        let engine = self.driver.engine();
        if engine.traces.take_news() {
            self.pool.note_traces(&engine.traces);
        }
        if engine.needs_counts {
            self.pool.ask_for_counts();
        }
        if engine.needs_watch && self.pool.is_to_watch() {
            self.pool.ask_for_watch();
        }
        if engine.explorer.script.is_some() && !matches!(ending, Ending::Failed(_)) {
            self.report.graph = Some(ExecutionGraph::of_run(&engine.explorer.graph, &engine.heap.allocations));
        }
        self.report.strayed += u64::from(engine.has_strayed);
        if let Some(stray) = engine.first_stray.take() {
            self.report.stray.get_or_insert_with(|| failure::message(&stray));
        }
        let is_counted = match ending {
            Ending::Complete => engine.is_counted && engine.explorer.is_counted(),
            _ => true,
        };
        if is_counted {
            threads::note(&mut self.report.threads, engine.fates.drain(..));
        }
        let explorer = &mut engine.explorer;
        if !matches!(ending, Ending::Discarded) {
            self.sites.note(&mut explorer.graph);
            if let Some(buffering) = &mut self.buffering {
                buffering.note(&explorer.graph);
            }
        }
        match ending {
            Ending::Complete if !is_counted => {}
            Ending::Complete => {
                self.report.executions += 1;
                self.report.events += explorer.graph.order.len() as u64;
                self.unreported += 1;
                if let Some(orbits) = &self.config.orbits {
                    let mut orbits = orbits.lock().unwrap_or_else(PoisonError::into_inner);
                    *orbits.entry(explorer.graph.orbit()).or_default() += 1;
                }
            }
            Ending::Blocked => self.report.blocked += 1,
            Ending::Discarded => self.report.discarded += 1,
            Ending::Cut(facts) => {
                self.report.cut += 1;
                facts.into_iter().for_each(|facts| self.pool.note_cut(Failure::of(&facts)));
            }
            Ending::Failed(facts) => self.pool.fail(Failure::of(&facts)),
        }
        explorer.finish();
        if self.pool.is_hungry()
            && let Some(explorer) = explorer.split()
        {
            self.pool.give(Task { explorer, fresh: false });
        }
    }

    /// Whether a limit ends this worker's task. If so, it stops the others, and reports its counts.
    ///
    /// A worker whose task is done takes the next one, or waits with the others: they would wait
    /// for one that left.
    fn is_over(&mut self) -> bool {
        if !self.runs.is_multiple_of(CLOCK_INTERVAL) && self.config.max_executions.is_none() {
            return false;
        }
        self.report_counts();
        let over = self.pool.is_over(self.config) && !self.driver.engine().explorer.is_done();
        if over {
            self.report.limited = true;
            self.pool.stop();
        }
        over
    }

    /// Reports the counts to the pool.
    fn report_counts(&mut self) {
        let explorer = &mut self.driver.engine().explorer;
        // The last branches may be left out where no run follows.
        self.report.left_out += std::mem::take(&mut explorer.left_out);
        let explored = std::mem::take(&mut explorer.explored);
        self.pool.count(std::mem::take(&mut self.unreported), explored);
    }
}
