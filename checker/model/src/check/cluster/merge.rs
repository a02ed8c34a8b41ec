//! The sum of all results.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plan::{FORMAT as PLAN_FORMAT, Head as Plan};
use super::task::{FORMAT as RESULT_FORMAT, Head};
use super::{Named, Origin, PLAN, PartError, RESULT, io_error};
use crate::check::file::{Content, read};
use crate::check::saved::ResumeError;
use crate::report::Report;

/// A failure that a task found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TaskFailure {
    /// The task.
    pub task: String,
    /// The text of the failure.
    pub message: String,
    /// The replay string of the execution.
    pub replay: String,
}

/// The whole of a divided exploration.
#[derive(Debug)]
pub struct Merged {
    /// The name that [`Config::plan`](crate::Config::plan) was given.
    pub program: String,
    /// The number of tasks with a result.
    pub tasks: usize,
    /// The sum of all counts; the seconds are those of all tasks together. A failure is in
    /// `failures`.
    pub report: Report,
    /// The failures, at most one of each task.
    pub failures: Vec<TaskFailure>,
}

/// A result, and its file.
struct Found {
    file: PathBuf,
    head: Head,
    rest: Vec<Named>,
}

/// Adds up the results in a folder that [`Config::plan`](crate::Config::plan) has made.
///
/// The report is exhaustive if every task has its result and none found a failure: then each
/// execution has been explored once.
///
/// # Errors
/// [`PartError`] if a task has no result or two, a result belongs to no task, or to another program, another build of
/// it, or other options.
pub fn merge(folder: &Path) -> Result<Merged, PartError> {
    let file = folder.join(PLAN);
    let Content { head: plan, pieces: first, .. } =
        read::<Plan, Named>(&file).map_err(|error| ResumeError::of(&file, error))?;
    ResumeError::unless_equal(&file, &plan.origin.format, PLAN_FORMAT)?;
    let mut results = results(folder, &plan.origin)?;
    let (mut counts, mut failures, mut missing, mut tasks) = (plan.counts, Vec::new(), Vec::new(), 0);
    let mut open = first;
    while let Some(named) = open.pop() {
        let Some(found) = results.remove(&named.task) else {
            missing.push(named.task);
            continue;
        };
        if found.head.of != named {
            return Err(PartError::Stray(found.file));
        }
        counts.add(found.head.counts);
        failures.extend(found.head.failure);
        open.extend(found.rest);
        tasks += 1;
    }
    // A failure counts even if other tasks have no result.
    if !missing.is_empty() && failures.is_empty() {
        missing.sort();
        return Err(PartError::Missing(missing));
    }
    if let Some(found) = results.into_values().next().filter(|_| missing.is_empty()) {
        return Err(PartError::Stray(found.file));
    }
    let mut report = counts.report();
    report.conclude(failures.is_empty() && report.executions > 0, counts.explored);
    Ok(Merged { program: plan.origin.program, tasks, report, failures })
}

/// Returns the results in the folder by their tasks.
fn results(folder: &Path, plan: &Origin) -> Result<HashMap<String, Found>, PartError> {
    let asked = Origin { format: RESULT_FORMAT.to_owned(), ..plan.clone() };
    let mut results: HashMap<String, Found> = HashMap::new();
    for entry in fs::read_dir(folder).map_err(|error| io_error(folder, error))? {
        let file = entry.map_err(|error| io_error(folder, error))?.path();
        if file.extension() != Some(OsStr::new(RESULT)) {
            continue;
        }
        let Content { head, pieces: rest, .. } =
            read::<Head, Named>(&file).map_err(|error| ResumeError::of(&file, error))?;
        head.origin.check(&file, &asked)?;
        let task = head.of.task.clone();
        if let Some(other) = results.insert(task, Found { file: file.clone(), head, rest }) {
            let mut files = [other.file, file];
            files.sort();
            return Err(PartError::Twice(files));
        }
    }
    Ok(results)
}
