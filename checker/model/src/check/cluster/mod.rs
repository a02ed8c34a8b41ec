//! An exploration that is divided into task files, which any number of machines explore.
//!
//! A plan names the first tasks and has the counts of the exploration that made them. A task that
//! is explored leaves a result beside its file. A task that takes too long is handed back: its
//! result names new tasks, which have the rest. So the plan and all results are a tree, and each
//! execution is counted once, in the plan or in one result.
//!
//! A task is named together with the checksum of its file: the result of one attempt at a task,
//! which was killed then, is not taken for the outcome of another attempt.

mod merge;
mod plan;
mod task;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file::{Content, read, write};
use super::pool::Lessons;
use super::saved::ResumeError;
use crate::config::Config;
use crate::explore::Piece;

pub use merge::{Merged, TaskFailure, merge};

/// The file of a folder that has the plan.
const PLAN: &str = "plan";

/// The ends of the other files' names.
const TASK: &str = "task";
const RESULT: &str = "result";

/// The format that a task's first line names.
const TASK_FORMAT: &str = "aqueduct-model task 4";

/// The identity of an exploration: files of another one are refused.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Origin {
    format: String,
    program: String,
    config: String,
    lessons: Lessons,
}

impl Origin {
    fn new(format: &str, program: &str, config: String, lessons: Lessons) -> Self {
        Self { format: format.to_owned(), program: program.to_owned(), config, lessons }
    }

    /// Refuses a file of another origin.
    fn check(&self, file: &Path, asked: &Self) -> Result<(), ResumeError> {
        for (found, asked) in
            [(&self.format, &asked.format), (&self.program, &asked.program), (&self.config, &asked.config)]
        {
            ResumeError::unless_equal(file, found, asked)?;
        }
        Ok(())
    }
}

/// A task's name, and the checksum of its file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Named {
    task: String,
    sum: u64,
}

/// The first line of a task. Pieces follow, and the checksum.
#[derive(Serialize, Deserialize)]
struct Head {
    #[serde(flatten)]
    origin: Origin,
    task: String,
}

/// Why an exploration cannot be divided, a task not explored, or results not merged.
#[derive(Debug)]
#[non_exhaustive]
pub enum PartError {
    /// A file cannot be used, or the check cannot be saved.
    File(ResumeError),
    /// The folder has a plan already.
    Planned(PathBuf),
    /// Tasks without a result.
    Missing(Vec<String>),
    /// Two files have the result of one task.
    Twice([PathBuf; 2]),
    /// A result of a task that neither the plan nor another result names.
    Stray(PathBuf),
    /// An execution of this task shows a fact about the program that the plan's executions have not
    /// shown, and that each task depends on: a failed round of a wait may use memory while it is
    /// freed, or the owners of an `Arc` are to be counted.
    Unplanned(String),
}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Planned(folder) => {
                write!(f, "{} has a plan already; name another folder, or remove it", folder.display())
            }
            Self::Missing(tasks) => write!(f, "{} tasks have no result: {}", tasks.len(), tasks.join(", ")),
            Self::Twice([first, second]) => {
                write!(f, "{} and {} are results of one task; remove one of them", first.display(), second.display())
            }
            Self::Unplanned(task) => write!(
                f,
                "task {task}: memory may be freed, or an atomic be accessed without atomicity, while a failed round of a \
                 wait uses it, or an Arc is asked for the number of its owners, and no execution of the plan has shown \
                 that; explore the program without a division, or plan it anew, with Config::all_failed_rounds and \
                 Config::all_drop_orders, or with more tasks, so that the plan has more executions"
            ),
            Self::Stray(file) => write!(
                f,
                "{} is the result of no task of this plan, or of a task file that was written anew since; remove it",
                file.display()
            ),
        }
    }
}

impl std::error::Error for PartError {}

impl From<ResumeError> for PartError {
    fn from(error: ResumeError) -> Self {
        Self::File(error)
    }
}

fn io_error(path: &Path, error: io::Error) -> PartError {
    ResumeError::Io(path.to_owned(), error).into()
}

/// Returns the name of the program of a task file: the one that [`Config::plan`] was given.
///
/// # Errors
/// [`PartError::File`] if it is not a whole task file.
pub fn program_of(task: &Path) -> Result<String, PartError> {
    Ok(load(task)?.head.origin.program)
}

/// Reads a task file.
fn load(file: &Path) -> Result<Content<Head, Piece>, PartError> {
    let content: Content<Head, Piece> = read(file).map_err(|error| ResumeError::of(file, error))?;
    ResumeError::unless_equal(file, &content.head.origin.format, TASK_FORMAT)?;
    Ok(content)
}

/// Returns the file of a task, or of its result.
fn file_of(folder: &Path, task: &str, end: &str) -> PathBuf {
    folder.join(format!("{task}.{end}"))
}

impl Config {
    /// Distributes the pieces in turn, to a task for each name or, if there are fewer pieces, for
    /// each piece, and writes the tasks' files.
    fn deal(
        &self,
        folder: &Path,
        program: &str,
        lessons: Lessons,
        pieces: Vec<Piece>,
        names: impl Iterator<Item = String>,
    ) -> Result<Vec<Named>, PartError> {
        let mut tasks: Vec<(String, Vec<Piece>)> = names.take(pieces.len()).map(|name| (name, Vec::new())).collect();
        let count = tasks.len();
        for (at, piece) in pieces.into_iter().enumerate() {
            tasks[at % count].1.push(piece);
        }
        let write = |(task, pieces): (String, Vec<Piece>)| {
            let head = Head { origin: Origin::new(TASK_FORMAT, program, self.meaning(), lessons), task };
            let file = file_of(folder, &head.task, TASK);
            let sum = write(&file, &head, &pieces).map_err(|error| io_error(&file, error))?;
            Ok(Named { task: head.task, sum })
        };
        tasks.into_iter().map(write).collect()
    }
}
