//! `aqueduct verify`: runs the clients.

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use aqueduct_model::{Config, Report};
use clap::Args;
use serde::Serialize;

use crate::clients::{self, Client};
use crate::expected::{self, Count};
use crate::matrix::{self, Subject};

/// Explores every execution of the clients of the queues under RC11, and compares their number with the one expected.
#[derive(Args, Clone, Debug)]
pub struct VerifyArgs {
    /// Runs the clients whose name has this in it, such as `stamped_line/` or `lamport/drop-full`; all if it is not given
    pub name: Option<String>,
    /// Prints one JSON object per client and line
    #[arg(long)]
    pub json: bool,
    /// Runs the bigger clients too (some seconds each)
    #[arg(long)]
    pub big: bool,
    /// Explores on so many threads
    #[arg(long, value_name = "N", default_value = "1")]
    pub jobs: NonZeroUsize,
    /// Runs only the execution that a failure's replay string describes; needs the exact name of a client
    #[arg(long, value_name = "STRING", requires = "name")]
    pub replay: Option<String>,
    /// Stops one side of each queue in the middle of an operation, suspended or dead after each of its steps, and prints
    /// which operations of the other side still complete; NAME is a queue, such as `lamport`
    #[arg(long, conflicts_with_all = ["replay", "big"])]
    pub matrix: bool,
}

/// What became of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// Every execution is right, and there are as many as there should be.
    Verified,
    /// An execution is wrong.
    Failed,
    /// All are right, but not as many as there should be.
    Miscounted,
    /// The execution that was asked for was right.
    Replayed,
}

/// A line of `--json`.
#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    executions: u64,
    expected: Option<u64>,
    blocked: u64,
    seconds: f64,
    verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

impl<'a> Row<'a> {
    fn new(client: &'a Client, report: &Report, expected: Option<Count>, replayed: bool) -> Self {
        let verdict = match (&report.failure, expected) {
            (Some(_), _) => Verdict::Failed,
            (None, _) if replayed => Verdict::Replayed,
            (None, Some(count)) if report.exhaustive && count.executions == report.executions => Verdict::Verified,
            (None, _) => Verdict::Miscounted,
        };
        Self {
            name: &client.name,
            executions: report.executions,
            expected: expected.map(|count| count.executions),
            blocked: report.blocked,
            seconds: report.seconds,
            verdict,
            failure: report.failure.as_ref().map(|failure| failure.message.clone()),
        }
    }
}

/// Runs the command. Fails if a client does, or none has the name.
pub fn run(args: &VerifyArgs) -> ExitCode {
    match write(args, &mut io::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // Whoever read the output has had enough of it.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the clients and writes a table, or JSON; returns whether all are verified.
///
/// # Errors
/// If `out` cannot be written, or no client has the name.
pub fn write(args: &VerifyArgs, out: &mut dyn Write) -> io::Result<bool> {
    if args.matrix {
        return write_matrix(args, out);
    }
    let chosen = choose(args)?;
    let width = chosen.iter().map(|client| client.name.len()).max().unwrap_or(0);
    if !args.json {
        writeln!(out, "{:width$} {:>11} {:>8} {:>9}  verdict", "client", "executions", "blocked", "seconds")?;
    }
    let (mut bad, mut executions, mut seconds) = (0, 0, 0.0);
    for client in &chosen {
        let report = check(args, client);
        let row = Row::new(client, &report, expected::of(&client.name), args.replay.is_some());
        bad += usize::from(!matches!(row.verdict, Verdict::Verified | Verdict::Replayed));
        executions += row.executions;
        seconds += row.seconds;
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
        } else {
            write_row(out, &row, width)?;
            if let Some(failure) = &report.failure {
                writeln!(out, "\n{}\n\n{}", failure.message, failure.trace)?;
                writeln!(out, "to replay: aqueduct verify {} --replay '{}'\n", client.name, failure.replay)?;
            }
        }
        out.flush()?;
    }
    if !args.json {
        let verdict = if bad == 0 { "all as expected".to_owned() } else { format!("{bad} NOT AS EXPECTED") };
        let total = format!("{} clients", chosen.len());
        writeln!(out, "{total:width$} {executions:>11} {:>8} {seconds:>9.3}  {verdict}", "")?;
    }
    Ok(bad == 0)
}

/// Writes the tables of the queues that stop; returns whether all of them are as they should be.
fn write_matrix(args: &VerifyArgs, out: &mut dyn Write) -> io::Result<bool> {
    let subjects = matrix::subjects();
    let wanted = |subject: &&Subject| args.name.as_ref().is_none_or(|name| subject.name().contains(name.as_str()));
    let chosen: Vec<&Subject> = match subjects.iter().find(|subject| args.name.as_deref() == Some(subject.name())) {
        Some(exact) => vec![exact],
        None => subjects.iter().filter(wanted).collect(),
    };
    if chosen.is_empty() {
        let known: Vec<&str> = subjects.iter().map(Subject::name).collect();
        let name = args.name.as_deref().unwrap_or_default();
        return Err(io::Error::other(format!("no queue has `{name}` in its name; there are {}", known.join(", "))));
    }
    let (mut right, mut deaths) = (true, false);
    for subject in chosen {
        let table = subject.table();
        right &= table.is_right();
        deaths |= table.has_wrong_deaths();
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&table)?)?;
        } else {
            write!(out, "{table}")?;
        }
        out.flush()?;
    }
    if !args.json {
        let verdict = if right { "what must complete completes" } else { "SOMETHING WAITS OR FAILS THAT MUST NOT" };
        writeln!(out, "{verdict}; `pop the new item` and `push until room` wait for the other side by design")?;
        if deaths {
            writeln!(
                out,
                "no operation panics between its steps: where a death there is an error (`no`), it cannot happen"
            )?;
        }
    }
    Ok(right)
}

fn check(args: &VerifyArgs, client: &Client) -> Report {
    let mut config = Config::new().jobs(args.jobs.get()).progress(client.big && io::stderr().is_terminal());
    if let Some(replay) = &args.replay {
        config = config.replay(replay);
    }
    client.check(&config)
}

fn write_row(out: &mut dyn Write, row: &Row<'_>, width: usize) -> io::Result<()> {
    let verdict = match row.verdict {
        Verdict::Verified => "verified".to_owned(),
        Verdict::Failed => "FAILED".to_owned(),
        Verdict::Replayed => "replayed; nothing is wrong with this execution".to_owned(),
        Verdict::Miscounted => match row.expected {
            Some(expected) => format!("MISCOUNTED: {expected} executions were expected"),
            None => "MISCOUNTED: it has no row in expected/clients.txt".to_owned(),
        },
    };
    writeln!(out, "{:width$} {:>11} {:>8} {:>9.3}  {verdict}", row.name, row.executions, row.blocked, row.seconds)
}

/// The clients that are asked for.
fn choose(args: &VerifyArgs) -> io::Result<Vec<Client>> {
    let mut all = clients::all();
    let Some(name) = &args.name else {
        all.retain(|client| args.big || !client.big);
        return Ok(all);
    };
    if let Some(exact) = all.iter().find(|client| client.name == *name) {
        return Ok(vec![exact.clone()]);
    }
    if args.replay.is_some() {
        return Err(io::Error::other(format!("no client is called `{name}`; a replay needs the exact name")));
    }
    let known: Vec<String> = all.iter().map(|client| client.name.clone()).collect();
    all.retain(|client| client.name.contains(name.as_str()) && (args.big || !client.big));
    if all.is_empty() {
        let hint = if known.iter().any(|known| known.contains(name.as_str())) {
            "; there are big ones, which need --big".to_owned()
        } else {
            format!("; there are {}", queues(&known).join(", "))
        };
        return Err(io::Error::other(format!("no client has `{name}` in its name{hint}")));
    }
    Ok(all)
}

/// What stands before the slash in the names.
fn queues(names: &[String]) -> Vec<String> {
    let mut queues: Vec<String> =
        names.iter().filter_map(|name| Some(format!("{}/...", name.split_once('/')?.0))).collect();
    queues.sort();
    queues.dedup();
    queues
}
