//! The division of a whole exploration.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Origin, PLAN, PartError, io_error};
use crate::check::counts::Counts;
use crate::check::file::write;
use crate::check::pool::{Lessons, Pool, Task};
use crate::check::worker::Worker;
use crate::config::Config;
use crate::explore::{Explorer, Piece};
use crate::graph::event::Site;
use crate::report::Report;
use crate::runtime::driver::Program;

/// The format that a plan's first line names.
pub(super) const FORMAT: &str = "aqueduct-model plan 2";

/// The pieces of a task: with several, tasks differ less.
const PIECES: usize = 8;

/// The first line of a plan. The tasks follow, and the checksum.
#[derive(Serialize, Deserialize)]
pub(super) struct Head {
    #[serde(flatten)]
    pub(super) origin: Origin,
    #[serde(flatten)]
    pub(super) counts: Counts,
}

impl Config {
    /// Divides the exploration of `program` into about `tasks` tasks, and writes a file for each
    /// into a folder.
    ///
    /// `name` identifies the program and its version, as in [`check_saving`](Self::check_saving).
    /// The tasks can be explored in any order, on any machines, by
    /// [`check_task`](Self::check_task); [`merge`](crate::merge) adds up the results. The report
    /// covers the exploration for the division. A program of few executions has fewer tasks, or
    /// none, and a check that bounds [preemptions](Self::max_preemptions) has one: what one part of
    /// it finds decides what another has to explore.
    ///
    /// A failure ends the division; there is then no plan.
    ///
    /// # Errors
    /// [`PartError`] if the folder has a plan or cannot be written, or the check cannot be saved.
    ///
    /// # Panics
    /// If a model runs the caller.
    #[track_caller]
    pub fn plan<F>(&self, folder: &Path, tasks: NonZeroUsize, name: &str, program: F) -> Result<Report, PartError>
    where
        F: Fn() + Send + Sync + 'static,
    {
        let site = Location::caller();
        self.refuse_unless_saved()?;
        std::fs::create_dir_all(folder).map_err(|error| io_error(folder, error))?;
        let plan = folder.join(PLAN);
        if plan.exists() {
            return Err(PartError::Planned(folder.to_owned()));
        }
        let program: Program = Arc::new(program);
        let wanted = match self.max_preemptions {
            Some(_) => 1,
            None => tasks.get().saturating_mul(PIECES),
        };
        let mut lessons = self.lessons();
        let (report, pieces) = loop {
            match self.grow(wanted, lessons, &program, site) {
                Ok(grown) => break grown,
                Err(more) => lessons = more,
            }
        };
        if report.failure.is_none() {
            let digits = tasks.to_string().len();
            let names = (1..=tasks.get()).map(|number| format!("{number:0digits$}"));
            let named = self.deal(folder, name, lessons, pieces, names)?;
            let origin = Origin::new(FORMAT, name, self.meaning(), lessons);
            let head = Head { origin, counts: Counts::of(&report) };
            write(&plan, &head, &named).map_err(|error| io_error(&plan, error))?;
        }
        Ok(report)
    }

    /// Explores until the rest is in `wanted` pieces. A run of the oldest piece, which is nearest
    /// to the root of the search, divides it further.
    ///
    /// If the executions show more than these lessons, returns all lessons.
    fn grow(
        &self,
        wanted: usize,
        lessons: Lessons,
        program: &Program,
        site: Site,
    ) -> Result<(Report, Vec<Piece>), Lessons> {
        let pool = Pool::new(vec![Task { explorer: Explorer::new(self.rules()), fresh: true }], 1);
        let pool = pool.treating(&lessons.rounds());
        let mut worker = Worker::new(self, &pool, site);
        let mut pieces = VecDeque::new();
        loop {
            let rest = worker.explore_some(1, program);
            pieces.extend(rest.into_iter().flat_map(|rest| rest.explorer.into_pieces()));
            if pieces.len() >= wanted || pool.has_stopped() {
                break;
            }
            let Some(oldest) = pieces.pop_front() else { break };
            pool.give(Task { explorer: Explorer::of_piece(oldest, self.rules()), fresh: false });
        }
        let mut report = worker.report();
        report.failure = pool.failure();
        if let Some(more) = pool.lessons(lessons).filter(|_| report.failure.is_none()) {
            return Err(more);
        }
        report.conclude(pieces.is_empty(), pool.explored());
        report.seconds = pool.began.elapsed().as_secs_f64();
        Ok((report, pieces.into()))
    }
}
