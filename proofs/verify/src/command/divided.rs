//! `aqueduct verify NAME --split N DIR`, `--task FILE` and `--merge DIR`: an exploration that many
//! machines share.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use aqueduct_model::{PartError, merge, program_of};
use clap::Args;
use serde::Serialize;

use super::{Row, Verdict, VerifyArgs, choose, config, invalid, resume, write_row};
use crate::clients::Client;

/// Options of an exploration that many machines share.
#[derive(Args, Clone, Debug, Default)]
pub struct DividedArgs {
    /// Divides the exploration of one client, which needs its exact name, into about N task files
    /// in a new folder DIR. Any machines can explore them in any order, each with --task; then
    /// --merge adds up what they found
    #[arg(long, num_args = 2, value_names = ["N", "DIR"], requires = "name",
          conflicts_with_all = ["task", "merge", "replay", "resume", "random", "minimal", "matrix", "barriers", "ordering", "load_buffering"])]
    pub split: Option<Vec<String>>,
    /// Explores a task file, and writes its result beside it. Interrupted (Ctrl-C, SIGTERM), it
    /// divides what is left into new task files; killed, it leaves nothing, and can be started
    /// again
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["name", "merge", "replay", "resume", "random", "minimal", "matrix", "barriers", "ordering", "load_buffering"])]
    pub task: Option<PathBuf>,
    /// Ends the task after this number of seconds, and divides what is left into new task files
    #[arg(long, value_name = "SECONDS", requires = "task", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    pub give_back: Option<u64>,
    /// Adds up the results of all tasks in DIR. Refuses tasks that have no result or two, and
    /// results of another build or plan
    #[arg(long, value_name = "DIR",
          conflicts_with_all = ["name", "replay", "resume", "random", "minimal", "matrix", "barriers", "ordering", "load_buffering"])]
    pub merge: Option<PathBuf>,
}

impl DividedArgs {
    pub(super) fn is_asked(&self) -> bool {
        self.split.is_some() || self.task.is_some() || self.merge.is_some()
    }
}

/// A line of `--json` for `--split` and `--task`.
#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'a Path>,
    executions: u64,
    blocked: u64,
    seconds: f64,
    /// The task files that are to be explored now.
    tasks: Vec<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a str>,
}

/// Runs the options' command. Returns whether nothing is wrong.
pub(super) fn write(args: &VerifyArgs, out: &mut dyn Write) -> io::Result<bool> {
    let DividedArgs { split, task, merge, .. } = &args.divided;
    match (split, task, merge) {
        (Some(words), ..) => write_plan(args, words, out),
        (_, Some(file), _) => write_task(args, file, out),
        (.., Some(folder)) => write_merged(args, folder, out),
        _ => Ok(true),
    }
}

fn refused(error: PartError) -> io::Error {
    io::Error::other(error)
}

/// Returns the client of a program's name in a file.
fn client_of(args: &VerifyArgs, program: &str) -> io::Result<Client> {
    let name = Some(resume::client_of(program).to_owned());
    let chosen = choose(&VerifyArgs { name, ..args.clone() })?;
    chosen.into_iter().next().ok_or_else(|| invalid(format!("no client is called {program}")))
}

fn write_plan(args: &VerifyArgs, words: &[String], out: &mut dyn Write) -> io::Result<bool> {
    const MOST: usize = 100_000;
    let [count, folder] = words else { return Err(invalid("--split takes a number and a folder".to_owned())) };
    let count = count.parse().ok().filter(|count: &NonZeroUsize| count.get() <= MOST);
    let count = count.ok_or_else(|| invalid(format!("--split: between 1 and {MOST} tasks are possible")))?;
    let chosen = choose(args)?;
    let [client] = &chosen[..] else { return Err(invalid("--split needs the exact name of a client".to_owned())) };
    let folder = Path::new(folder);
    let report = client.plan(&config(args), folder, count, &resume::identity(client)?).map_err(refused)?;
    let failure = report.failure.as_ref();
    let digits = count.to_string().len();
    let files = (1..=count.get()).map(|number| folder.join(format!("{number:0digits$}.task")));
    let tasks: Vec<_> = files.filter(|file| failure.is_none() && file.exists()).collect();
    if args.json {
        let failure = failure.map(|failure| &*failure.message);
        let (executions, blocked, seconds) = (report.executions, report.blocked, report.seconds);
        let line = Line { name: &client.name, task: None, executions, blocked, seconds, tasks, failure };
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    } else if let Some(failure) = failure {
        writeln!(out, "{} FAILED\n\n{}\n\n{}", client.name, failure.message, failure.trace)?;
        writeln!(out, "to replay: aqueduct verify {} --replay '{}'", client.name, failure.replay)?;
    } else {
        let folder = folder.display();
        writeln!(
            out,
            "{}: {} tasks in {folder}, after {} executions\nto explore each: aqueduct verify --task FILE\nthen: aqueduct verify --merge {folder}",
            client.name,
            tasks.len(),
            report.executions
        )?;
    }
    Ok(failure.is_none())
}

fn write_task(args: &VerifyArgs, file: &Path, out: &mut dyn Write) -> io::Result<bool> {
    if file.extension().is_none_or(|extension| extension != "task") {
        return Err(invalid(format!("--task: {} is no task file: their names end with .task", file.display())));
    }
    let client = client_of(args, &program_of(file).map_err(refused)?)?;
    let stop = resume::stop_on_signals()?;
    let mut config = config(args).stop_when(stop.clone());
    if let Some(seconds) = args.divided.give_back {
        config = config.time_limit(Duration::from_secs(seconds));
    }
    let (report, rest) = client.check_task(&config, file, &resume::identity(&client)?).map_err(refused)?;
    let failure = report.failure.as_ref();
    let tasks: Vec<PathBuf> = rest.iter().map(|task| file.with_file_name(format!("{task}.task"))).collect();
    if args.json {
        let failure = failure.map(|failure| &*failure.message);
        let (executions, blocked, seconds) = (report.executions, report.blocked, report.seconds);
        let line = Line { name: &client.name, task: Some(file), executions, blocked, seconds, tasks, failure };
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    } else {
        let verdict = match failure {
            Some(_) => "FAILED".to_owned(),
            None if tasks.is_empty() => "explored".to_owned(),
            None => format!("gave back {} tasks, {} to {}", tasks.len(), rest[0], rest[rest.len() - 1]),
        };
        let (executions, seconds) = (report.executions, report.seconds);
        writeln!(out, "{} of {}: {executions} executions in {seconds:.3} s, {verdict}", file.display(), client.name)?;
        if let Some(failure) = failure {
            writeln!(out, "\n{}\n\n{}", failure.message, failure.trace)?;
            writeln!(out, "to replay: aqueduct verify {} --replay '{}'", client.name, failure.replay)?;
        }
    }
    if stop.load(Ordering::Relaxed) && !rest.is_empty() {
        return Err(io::Error::new(io::ErrorKind::Interrupted, "stopped before the end; what is left is in new tasks"));
    }
    Ok(failure.is_none())
}

fn write_merged(args: &VerifyArgs, folder: &Path, out: &mut dyn Write) -> io::Result<bool> {
    let merged = merge(folder).map_err(refused)?;
    let client = client_of(args, &merged.program)?;
    let mut row = Row::new(args, &client, &merged.report);
    if let Some(failure) = merged.failures.first() {
        row.verdict = Verdict::Failed;
        row.failure = Some(failure.message.clone());
    }
    let is_right = !matches!(row.verdict, Verdict::Failed | Verdict::Miscounted);
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&row)?)?;
        return Ok(is_right);
    }
    write_row(out, &row, client.name.len())?;
    writeln!(out, "{} tasks", merged.tasks)?;
    for failure in &merged.failures {
        writeln!(out, "\ntask {}: {}", failure.task, failure.message)?;
        writeln!(out, "to replay: aqueduct verify {} --replay '{}'", client.name, failure.replay)?;
    }
    Ok(is_right)
}
