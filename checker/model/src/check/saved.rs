//! A check that can be interrupted and resumed: a file holds the remaining work.
//!
//! The check proceeds in stretches. At the end of each, all workers stop, and their remaining work
//! is split into pieces: a graph, and a choice that is to be made in it. The file gets the pieces
//! and the counts so far, and the next stretch begins with them. So each execution is counted once,
//! in the file or after it. The last line has a checksum of all others, and the check compares it
//! before it uses a file: graphs that no check has written would break the explorer's invariants.

use std::fmt;
use std::io;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::counts::Counts;
use super::file::{Content, ReadError, read, write};
use super::pool::{Lessons, Pool, Task};
use crate::config::Config;
use crate::explore::{Explorer, Piece};
use crate::report::{Report, progress};
use crate::runtime::driver::{self, Program};

/// The format that the first line of a file names.
const FORMAT: &str = "aqueduct-model exploration 6";

/// A file's first line. Pieces follow, one in each line, and the checksum.
#[derive(Serialize, Deserialize)]
struct Head {
    format: String,
    program: String,
    config: String,
    #[serde(flatten)]
    counts: Counts,
    lessons: Lessons,
    pieces: usize,
}

/// Why a check cannot be resumed or saved.
#[derive(Debug)]
#[non_exhaustive]
pub enum ResumeError {
    /// The file cannot be read or written.
    Io(PathBuf, io::Error),
    /// No check has written the file, or it was not written to its end.
    Damaged(PathBuf),
    /// The file is of another program, or of a check with other options.
    Other {
        /// The file.
        file: PathBuf,
        /// The program and options of the file.
        found: String,
        /// The program and options of the check.
        asked: String,
    },
    /// The check does not explore all executions, stops threads in the middle, or allows a program
    /// that is not deterministic.
    Unsupported,
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(file, error) => write!(f, "cannot read or write {}: {error}", file.display()),
            Self::Damaged(file) => write!(
                f,
                "{} is no exploration that was saved by this version, or not all of one; remove it to begin anew",
                file.display()
            ),
            Self::Other { file, found, asked } => write!(
                f,
                "{} is of\n  {found}\nand this is\n  {asked}\nname another file, or remove it to begin anew",
                file.display()
            ),
            Self::Unsupported => f.write_str(
                "only a check of all executions can be saved: not a replay, nor random executions, nor one that stops threads or lets the program stray",
            ),
        }
    }
}

impl std::error::Error for ResumeError {}

impl ResumeError {
    pub(super) fn of(file: &Path, error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => Self::Io(file.to_owned(), error),
            ReadError::Damaged => Self::Damaged(file.to_owned()),
        }
    }

    /// Refuses a file whose identity is not the requested one.
    pub(super) fn unless_equal(file: &Path, found: &str, asked: &str) -> Result<(), Self> {
        if found == asked {
            return Ok(());
        }
        Err(Self::Other { file: file.to_owned(), found: found.to_owned(), asked: asked.to_owned() })
    }
}

impl Config {
    /// Explores every execution of `program`, as [`check`](Self::check) does, and saves the
    /// remaining work in a file.
    ///
    /// It saves when a limit ends the check, when it is [stopped](Self::stop_when), and after every
    /// `pause`. If the file exists, the check resumes from it, and the report covers all work since
    /// it began. When everything is explored, the file records that.
    ///
    /// If an execution shows that a failed round of a wait may use memory while it is freed, the
    /// check begins anew, and explores such rounds in executions that it does not count. It also
    /// begins anew to count the owners of an `Arc` ([`all_drop_orders`](Self::all_drop_orders)).
    ///
    /// `name` identifies the program and its version: a file of another one is refused. If the
    /// program may have changed, the name should depend on its code, such as a hash of the
    /// executable.
    ///
    /// The limit of executions counts all since the check began, the limit of time is for this call
    /// alone. The sites in the report are those that this call reached. A failure ends the check,
    /// and leaves the file as it was saved last.
    ///
    /// # Panics
    /// If a model runs the caller.
    ///
    /// # Errors
    /// [`ResumeError`] if the file belongs to another check or cannot be used.
    #[track_caller]
    pub fn check_saving<F>(&self, file: &Path, name: &str, pause: Duration, program: F) -> Result<Report, ResumeError>
    where
        F: Fn() + Send + Sync + 'static,
    {
        let site = Location::caller();
        self.refuse_unless_saved()?;
        let program: Program = Arc::new(program);
        let (began, jobs) = (Instant::now(), self.workers());
        let end = self.deadline(began);
        let saved = Saved { file, name, config: self.meaning() };
        let begin =
            |lessons| (Report::default(), vec![Task { explorer: Explorer::new(self.rules()), fresh: true }], lessons);
        let (mut report, mut tasks, mut lessons) = match saved.load(self)? {
            Some(loaded) => loaded,
            None => begin(self.lessons()),
        };
        if tasks.is_empty() {
            report.conclude(true, 1.0);
            return Ok(report);
        }
        let before = report.seconds;
        loop {
            let stretch = Instant::now().checked_add(pause);
            let until = stretch.into_iter().chain(end).min();
            let pool = Pool::new(tasks, jobs).treating(&lessons.rounds()).with(report.executions, report.explored);
            let pool = pool.until(until);
            let part =
                self.work(&pool, jobs, &program, site, Duration::try_from_secs_f64(report.seconds).unwrap_or_default());
            report.add(&part);
            report.limited = false;
            report.failure = pool.failure();
            if let Some(more) = pool.lessons(lessons).filter(|_| report.failure.is_none()) {
                (report, tasks, lessons) = begin(more);
                continue;
            }
            report.seconds = before + began.elapsed().as_secs_f64();
            let explored = pool.explored();
            let unexplored = pool.unexplored(&report);
            let pieces = pieces(pool.into_tasks());
            if pieces.is_empty() && report.explores_nothing() {
                report.failure = Some(unexplored);
            }
            report.conclude(pieces.is_empty(), explored);
            if report.failure.is_none() {
                saved.save(&report, lessons, &pieces)?;
            }
            if report.failure.is_some() || pieces.is_empty() || self.is_to_end(end, &report) {
                report.limited = report.failure.is_none() && !pieces.is_empty();
                report.peak_memory = progress::peak_memory();
                return Ok(report);
            }
            tasks = self.tasks(pieces);
        }
    }

    /// Begins a check whose remaining work is saved.
    ///
    /// # Panics
    /// If a model runs the caller.
    ///
    /// # Errors
    /// [`ResumeError::Unsupported`] if the work of such a check cannot be saved.
    pub(super) fn refuse_unless_saved(&self) -> Result<(), ResumeError> {
        driver::refuse_nesting();
        let picks = self.random.is_some() || self.script().is_some();
        let can_be_saved = !picks && self.halts.is_empty() && self.nondeterminism_fails;
        if can_be_saved { Ok(()) } else { Err(ResumeError::Unsupported) }
    }

    /// Returns the lessons that a check starts with.
    pub(super) fn lessons(&self) -> Lessons {
        Lessons { keeps_all_rounds: self.all_failed_rounds, counts_owners: self.all_drop_orders }
    }

    /// Whether no other stretch follows.
    fn is_to_end(&self, end: Option<Instant>, report: &Report) -> bool {
        end.is_some_and(|end| Instant::now() >= end)
            || self.max_executions.is_some_and(|most| report.executions >= most)
            || self.is_stopped()
    }

    pub(super) fn tasks(&self, pieces: Vec<Piece>) -> Vec<Task> {
        let task = |piece| Task { explorer: Explorer::of_piece(piece, self.rules()), fresh: false };
        pieces.into_iter().map(task).collect()
    }

    /// Returns all options that the executions of a program depend on.
    pub(super) fn meaning(&self) -> String {
        let meaning =
            Self { jobs: 0, time_limit: None, max_executions: None, progress: false, stop: None, ..self.clone() };
        format!("{meaning:?}")
    }
}

/// Returns the remaining pieces of tasks. The pieces to be done first come last.
pub(super) fn pieces(tasks: Vec<Task>) -> Vec<Piece> {
    tasks.into_iter().flat_map(|task| task.explorer.into_pieces()).collect()
}

/// The file of a check, and the identity of the check.
struct Saved<'a> {
    file: &'a Path,
    name: &'a str,
    config: String,
}

impl Saved<'_> {
    /// Returns the counts, the remaining work and the lessons, or `None` if there is no file.
    fn load(&self, config: &Config) -> Result<Option<(Report, Vec<Task>, Lessons)>, ResumeError> {
        let Content { head, pieces, .. } = match read::<Head, Piece>(self.file) {
            Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| ResumeError::of(self.file, error))?,
        };
        if pieces.len() != head.pieces {
            return Err(ResumeError::Damaged(self.file.to_owned()));
        }
        for (found, asked) in [(&*head.format, FORMAT), (&*head.program, self.name), (&*head.config, &*self.config)] {
            ResumeError::unless_equal(self.file, found, asked)?;
        }
        Ok(Some((head.counts.report(), config.tasks(pieces), head.lessons)))
    }

    /// Writes a new file, which then replaces the old one.
    fn save(&self, report: &Report, lessons: Lessons, pieces: &[Piece]) -> Result<(), ResumeError> {
        let (program, config) = (self.name.to_owned(), self.config.clone());
        let counts = Counts::of(report);
        let head = Head { format: FORMAT.to_owned(), program, config, counts, lessons, pieces: pieces.len() };
        write(self.file, &head, pieces).map_err(|error| ResumeError::Io(self.file.to_owned(), error))?;
        Ok(())
    }
}
