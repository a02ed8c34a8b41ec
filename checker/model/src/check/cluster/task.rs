//! One task of a divided exploration.

use std::panic::Location;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{Head as Task, Named, Origin, PartError, RESULT, TASK_FORMAT, TaskFailure, file_of, io_error, load};
use crate::check::counts::Counts;
use crate::check::file::{Content, ReadError, read, write};
use crate::check::pool::Pool;
use crate::check::saved::{ResumeError, pieces};
use crate::config::Config;
use crate::report::{Report, progress};
use crate::runtime::driver::Program;

/// The format that a result's first line names.
pub(super) const FORMAT: &str = "aqueduct-model result 2";

/// The most tasks into which the rest of a task is divided.
const REST: usize = 8;

/// The first line of a result. The tasks that have the rest follow, and the checksum.
#[derive(Serialize, Deserialize)]
pub(super) struct Head {
    #[serde(flatten)]
    pub(super) origin: Origin,
    pub(super) of: Named,
    #[serde(flatten)]
    pub(super) counts: Counts,
    pub(super) failure: Option<TaskFailure>,
}

impl Config {
    /// Explores the task of this file, which [`plan`](Self::plan) or another task has written, and
    /// writes its result beside it.
    ///
    /// If a limit of time or executions ends it, or it is [stopped](Self::stop_when), up to eight
    /// new task files get the rest; the report is then `limited`, and the new tasks are
    /// returned. A task that has its result is not explored again: the report has the counts of the
    /// result. A process that is killed leaves no result, and its task can be given out again.
    ///
    /// `name` and the options must be those of the plan.
    ///
    /// # Errors
    /// [`PartError::File`] if a file cannot be used, or belongs to another program or to other options;
    /// [`PartError::Unplanned`] if an execution shows that all tasks, this one too, would have to be explored in
    /// another way.
    ///
    /// # Panics
    /// If a model runs the caller.
    #[track_caller]
    pub fn check_task<F>(&self, file: &Path, name: &str, program: F) -> Result<(Report, Vec<String>), PartError>
    where
        F: Fn() + Send + Sync + 'static,
    {
        let site = Location::caller();
        self.refuse_unless_saved()?;
        let Content { head: Task { origin, task }, pieces: work, sum } = load(file)?;
        let lessons = origin.lessons;
        origin.check(file, &Origin::new(TASK_FORMAT, name, self.meaning(), lessons))?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let result = file_of(folder, &task, RESULT);
        let of = Named { task, sum };
        if let Some((head, rest)) = earlier(&result, &of)? {
            return Ok(known(&head, &rest));
        }
        let program: Program = Arc::new(program);
        let (began, jobs) = (Instant::now(), self.workers());
        let pool = Pool::new(self.tasks(work), jobs).treating(&lessons.rounds()).until(self.deadline(began));
        let mut report = self.work(&pool, jobs, &program, site, Duration::ZERO);
        report.failure = pool.failure();
        if report.failure.is_none() && pool.lessons(lessons).is_some() {
            return Err(PartError::Unplanned(of.task));
        }
        let explored = pool.explored();
        let left = pieces(pool.into_tasks());
        report.limited = report.failure.is_none() && !left.is_empty();
        report.conclude(left.is_empty(), explored);
        report.seconds = began.elapsed().as_secs_f64();
        report.peak_memory = progress::peak_memory();
        let names = (1..=REST).map(|number| format!("{}-{number}", of.task));
        let rest = if report.limited { self.deal(folder, name, lessons, left, names)? } else { Vec::new() };
        let mut counts = Counts::of(&report);
        counts.explored = explored;
        let failure = report.failure.as_ref().map(|failure| TaskFailure {
            task: of.task.clone(),
            message: failure.message.clone(),
            replay: failure.replay.clone(),
        });
        let head = Head { origin: Origin::new(FORMAT, name, self.meaning(), lessons), of, counts, failure };
        write(&result, &head, &rest).map_err(|error| io_error(&result, error))?;
        Ok((report, rest.into_iter().map(|rest| rest.task).collect()))
    }
}

/// Returns the result that an earlier attempt at this very task has left, if it found no failure.
fn earlier(result: &Path, of: &Named) -> Result<Option<(Head, Vec<Named>)>, PartError> {
    match read::<Head, Named>(result) {
        Ok(Content { head, pieces, .. }) => Ok((head.of == *of && head.failure.is_none()).then_some((head, pieces))),
        Err(ReadError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ResumeError::of(result, error).into()),
    }
}

/// Returns the report of a task that has been explored before.
fn known(head: &Head, rest: &[Named]) -> (Report, Vec<String>) {
    let mut report = head.counts.report();
    report.limited = !rest.is_empty();
    report.conclude(rest.is_empty(), head.counts.explored);
    (report, rest.iter().map(|rest| rest.task.clone()).collect())
}
