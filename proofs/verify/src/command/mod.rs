//! `aqueduct verify`: runs the clients.

mod barriers;
mod divided;
mod drawing;
mod estimate;
mod load_buffering;
mod matrix;
mod resume;

use std::io::{self, IsTerminal, Write};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use aqueduct_model::{Config, Report};
use clap::Args;
use serde::Serialize;

use crate::clients::{self, Client};
use crate::orderings::sites::Instead;
use crate::orderings::{self, Asked};
use crate::tables::counts;

pub use divided::DividedArgs;
use drawing::draw;
pub use drawing::picture;

/// Explores every execution of the clients of the queues and channels under RC11, and compares
/// their number with the one expected.
#[derive(Args, Clone, Debug)]
pub struct VerifyArgs {
    /// Runs the clients whose name contains this, such as `stamped_line/` or `lamport/drop-full`;
    /// without it, all. With --minimal, the queue of this name, or those whose name contains it
    pub name: Option<String>,
    /// Prints one JSON object per client and line
    #[arg(long)]
    pub json: bool,
    /// Runs the bigger clients too (some seconds each, a few of them minutes)
    #[arg(long)]
    pub big: bool,
    /// Explores on this number of threads
    #[arg(long, value_name = "N", default_value = "1", value_parser = jobs)]
    pub jobs: NonZeroUsize,
    /// Runs only the execution that a failure's replay string describes; needs the exact name of a
    /// client
    #[arg(long, value_name = "STRING", requires = "name")]
    pub replay: Option<String>,
    /// Saves the remaining work in this file, every minute and when interrupted (Ctrl-C), and
    /// resumes from the file if it exists. All counts are those since the beginning. For clients
    /// that take hours; needs the exact name of one, big or huge
    #[arg(long, value_name = "FILE", requires = "name", conflicts_with_all = ["replay", "random", "minimal", "matrix"])]
    pub resume: Option<PathBuf>,
    /// Gives an atomic call site in a queue another ordering, as in
    /// `spsc/lamport.rs:62:36=Relaxed`; `/ORDERING` after it is that of a compare-exchange's
    /// failure; may be given more than once
    #[arg(long, value_name = "SITE=ORDERING")]
    pub ordering: Vec<Instead>,
    /// Weakens each ordering of the queues, one at a time, and names the client that forbids it;
    /// fails if none does
    #[arg(long, conflicts_with = "replay")]
    pub minimal: bool,
    /// Finds orderings that cannot be weakened from SeqCst everywhere, too, and prints the effort
    #[arg(long, requires = "minimal")]
    pub from_sc: bool,
    /// Runs this number of random executions, instead of all of them; this proves nothing
    #[arg(long, value_name = "N", conflicts_with = "replay", value_parser = executions)]
    pub random: Option<NonZeroU64>,
    /// Number that determines the choice of random executions
    #[arg(long, value_name = "S", default_value_t = 0, requires = "random")]
    pub seed: u64,
    /// Draws the failed execution of the first client that fails, or the replayed one, as a page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Draws it in Graphviz's DOT language
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Draws the fr edges in DOT, too; in the page they can be shown and hidden
    #[arg(long, requires = "dot")]
    pub fr: bool,
    /// Stops one side of each queue in the middle of an operation, and prints which operations of
    /// the other side still complete. The side is suspended or dead after each of its steps, or the
    /// other side interrupts it. In a queue of many threads, one is stopped, and the results of the
    /// others are printed. NAME is a queue, such as `lamport` or `bbq-mpmc`
    #[arg(long, conflicts_with_all = ["replay", "big", "minimal", "random", "ordering", "html", "dot"])]
    pub matrix: bool,
    /// Prints for each queue how many of its atomic call sites have which ordering, how many
    /// executions its clients have, and how long they took
    #[arg(long, conflicts_with_all = ["replay", "resume", "minimal", "matrix", "random", "html", "dot"])]
    pub barriers: bool,
    /// Names the relaxed reads of each queue that could be exchanged with later relaxed writes of
    /// their threads (load buffering, which RC11 forbids and compilers for Arm do not); fails if
    /// there are any
    #[arg(long, conflicts_with_all = ["replay", "resume", "minimal", "matrix", "barriers", "random", "html", "dot"])]
    pub load_buffering: bool,
    /// Estimates how many executions each client has, in this number of seconds (5 unless you say
    /// more), with an interval that holds the number in nine of ten cases, or an open one
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "5",
        conflicts_with_all = ["replay", "resume", "minimal", "matrix", "barriers", "load_buffering", "random", "html", "dot"])]
    pub estimate: Option<NonZeroU64>,
    /// An exploration that many machines share
    #[command(flatten)]
    pub divided: DividedArgs,
}

/// Parses the value of `--jobs`.
fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    /// More threads than any machine has cores are of no use, and cannot all be started.
    const MOST: usize = 1024;
    let jobs: Option<NonZeroUsize> = text.trim().parse().ok();
    jobs.filter(|jobs| jobs.get() <= MOST).ok_or_else(|| format!("between 1 and {MOST} threads are possible"))
}

/// Parses the value of `--random`.
fn executions(text: &str) -> Result<NonZeroU64, String> {
    /// This number of executions takes weeks. A greater number would be a mistake.
    const MOST: u64 = 1_000_000_000_000;
    let executions: Option<NonZeroU64> = text.trim().parse().ok();
    executions
        .filter(|count| count.get() <= MOST)
        .ok_or_else(|| format!("between 1 and {MOST} executions are possible"))
}

/// The result of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// Every execution is right, and their number is the expected one.
    Verified,
    /// An execution is wrong.
    Failed,
    /// All executions are right, but their number is not the expected one.
    Miscounted,
    /// The execution of the replay string was right.
    Replayed,
    /// Every execution is right with orderings other than the source's. Their expected number is
    /// not known.
    Right,
    /// All of the random executions are right.
    Random,
    /// The check ended before all executions were explored. Those explored are right.
    Left,
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
    /// The number from which random executions were chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// An estimate of the rest, if the check ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

impl<'a> Row<'a> {
    fn new(args: &VerifyArgs, client: &'a Client, report: &Report) -> Self {
        let expected = expected(client).filter(|_| args.ordering.is_empty() && !report.random);
        let verdict = match (&report.failure, expected) {
            (Some(_), _) => Verdict::Failed,
            (None, _) if args.replay.is_some() => Verdict::Replayed,
            (None, _) if report.random => Verdict::Random,
            (None, _) if report.limited => Verdict::Left,
            (None, None) if !args.ordering.is_empty() && report.exhaustive => Verdict::Right,
            (None, Some(executions)) if report.exhaustive && executions == report.executions => Verdict::Verified,
            (None, _) => Verdict::Miscounted,
        };
        Self {
            name: &client.name,
            executions: report.executions,
            expected,
            blocked: report.blocked,
            seconds: report.seconds,
            verdict,
            seed: report.random.then_some(args.seed),
            left: (verdict == Verdict::Left)
                .then(|| resume::unfinished(report.executions, &client.estimate(&config(args)))),
            failure: report.failure.as_ref().map(|failure| failure.message.clone()),
        }
    }
}

/// Describes the run that the options ask for, without running it.
///
/// # Errors
/// `InvalidInput` if there is no client or queue of the name.
pub fn outlook(args: &VerifyArgs) -> io::Result<String> {
    let jobs = args.jobs;
    if args.matrix {
        return Ok(format!("{} queues that stop, on {jobs} threads", matrix::queues(args)?));
    }
    if args.minimal {
        let clients = orderings::choose(args.name.as_deref(), args.big)?.len();
        return Ok(format!("each ordering is weakened under up to {clients} clients, on {jobs} threads"));
    }
    if let Some(task) = &args.divided.task {
        return Ok(format!("every execution of the task {}, on {jobs} threads", task.display()));
    }
    if let Some(folder) = &args.divided.merge {
        return Ok(format!("the sum of the results in {}", folder.display()));
    }
    let clients = choose(args)?.len();
    if let Some(seconds) = args.estimate {
        return Ok(format!("estimates for {clients} clients, {seconds} s each"));
    }
    let executions = args.random.map_or("every execution".to_owned(), |count| format!("{count} random executions"));
    Ok(format!("{executions} of {clients} clients, on {jobs} threads"))
}

/// Runs the clients and writes a table, or JSON. Returns whether all are verified, or with
/// `--minimal`, whether every ordering is needed.
///
/// # Errors
/// If `out` or the file for a drawing cannot be written, or a client fails before any ordering is
/// weakened; `InvalidInput` if no client has the name, or an ordering cannot be given;
/// `Interrupted` if an exploration that can be resumed was stopped.
pub fn write(args: &VerifyArgs, out: &mut dyn Write) -> io::Result<bool> {
    if args.matrix {
        return matrix::write(args, out);
    }
    if args.divided.is_asked() {
        return divided::write(args, out);
    }
    if args.minimal {
        let clients = orderings::choose(args.name.as_deref(), args.big)?;
        known_sites(args, &clients)?;
        let asked = Asked {
            from_sc: args.from_sc,
            json: args.json,
            whole: args.name.is_none(),
            searches: true,
            file: None,
            left_out: &[],
            known: |_| None,
        };
        return orderings::write(asked, config(args), &clients, out);
    }
    let chosen = choose(args)?;
    known_sites(args, &chosen)?;
    if args.barriers {
        return barriers::write(args.json, &config(args), &chosen, out);
    }
    if let Some(seconds) = args.estimate {
        estimate::write(args.json, &config(args), Duration::from_secs(seconds.get()), &chosen, out)?;
        return Ok(true);
    }
    if args.load_buffering {
        return load_buffering::write(args.json, &config(args), &chosen, out);
    }
    let width = chosen.iter().map(|client| client.name.len()).max().unwrap_or(0);
    if !args.json {
        writeln!(out, "{:width$} {:>11} {:>8} {:>9}  verdict", "client", "executions", "blocked", "seconds")?;
    }
    let (mut bad, mut left, mut executions, mut seconds) = (0, 0, 0, 0.0);
    let mut to_draw = args.html.is_some() || args.dot.is_some();
    for client in &chosen {
        let report = check(args, client)?;
        let row = Row::new(args, client, &report);
        bad += usize::from(matches!(row.verdict, Verdict::Failed | Verdict::Miscounted));
        left += usize::from(row.verdict == Verdict::Left);
        executions += row.executions;
        seconds += row.seconds;
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
        } else {
            write_row(out, &row, width)?;
            if let Some(failure) = &report.failure {
                writeln!(out, "\n{}\n\n{}", failure.message, failure.trace)?;
                let orderings: String = args.ordering.iter().map(|instead| format!(" --ordering {instead}")).collect();
                writeln!(out, "to replay: aqueduct verify {}{orderings} --replay '{}'\n", client.name, failure.replay)?;
            }
        }
        out.flush()?;
        if let Some((title, graph)) = picture(client, &report).filter(|_| to_draw) {
            draw(args, &title, graph)?;
            to_draw = false;
        }
    }
    if to_draw {
        eprintln!("nothing failed, so nothing is drawn");
    }
    if !args.json {
        let verdict = match bad {
            0 if left > 0 => "nothing found so far".to_owned(),
            0 if args.random.is_some() => "nothing found, which is not a proof".to_owned(),
            0 => "all as expected".to_owned(),
            bad => format!("{bad} NOT AS EXPECTED"),
        };
        let total = format!("{} clients", chosen.len());
        writeln!(out, "{total:width$} {executions:>11} {:>8} {seconds:>9.3}  {verdict}", "")?;
    }
    if bad == 0 && left > 0 {
        return Err(io::Error::new(io::ErrorKind::Interrupted, "stopped before the end; what is left is in the file"));
    }
    Ok(bad == 0)
}

/// Returns the number of a client's executions, if it is known.
fn expected(client: &Client) -> Option<u64> {
    counts::of(&client.name).map(|count| count.executions).or(client.executions)
}

fn config(args: &VerifyArgs) -> Config {
    let instead = args.ordering.iter().map(|instead| instead.0.clone());
    Config::new().jobs(args.jobs.get()).overrides(instead)
}

fn check(args: &VerifyArgs, client: &Client) -> io::Result<Report> {
    let long = client.big || args.random.is_some() || args.resume.is_some();
    let mut config = config(args).progress(long && io::stderr().is_terminal());
    if let Some(file) = &args.resume {
        return resume::check(client, &config, file);
    }
    if let Some(replay) = &args.replay {
        config = config.replay(replay);
    }
    if let Some(executions) = args.random {
        config = config.random(executions.get(), args.seed);
    }
    Ok(client.check(&config))
}

/// Checks that some client reaches each site that gets another ordering. A replay need not reach
/// it, because it may end before.
fn known_sites(args: &VerifyArgs, clients: &[Client]) -> io::Result<()> {
    if args.replay.is_some() {
        return Ok(());
    }
    let mut missing: Vec<&Instead> = args.ordering.iter().collect();
    for client in clients {
        if missing.is_empty() {
            break;
        }
        for site in client.check(&Config::new()).sites {
            let at = missing.iter().map(|instead| instead.is_at(&site)).collect::<Result<Vec<bool>, String>>();
            let mut at = at.map_err(invalid)?.into_iter();
            missing.retain(|_| at.next() == Some(false));
        }
    }
    match missing.first() {
        Some(instead) => Err(invalid(format!(
            "--ordering: {instead}: no client comes to that site; `--minimal` lists those that are reached"
        ))),
        None => Ok(()),
    }
}

fn write_row(out: &mut dyn Write, row: &Row<'_>, width: usize) -> io::Result<()> {
    let verdict = match row.verdict {
        Verdict::Verified => "verified".to_owned(),
        Verdict::Failed => "FAILED".to_owned(),
        Verdict::Replayed => "replayed; nothing is wrong with this execution".to_owned(),
        Verdict::Right => "right with these orderings".to_owned(),
        Verdict::Random => "random: nothing found, not a proof".to_owned(),
        Verdict::Left => row.left.clone().unwrap_or_default(),
        Verdict::Miscounted => match row.expected {
            Some(expected) => format!("MISCOUNTED: {expected} executions were expected"),
            None => "MISCOUNTED: it has no row in expected/clients.txt".to_owned(),
        },
    };
    writeln!(out, "{:width$} {:>11} {:>8} {:>9.3}  {verdict}", row.name, row.executions, row.blocked, row.seconds)
}

/// Makes the error of options that make no sense.
fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

/// Returns the clients that the arguments ask for.
fn choose(args: &VerifyArgs) -> io::Result<Vec<Client>> {
    let mut all = clients::all();
    all.extend(clients::channels::clients());
    if args.random.is_some() {
        all.extend(clients::walked());
        all.extend(clients::channels::walked());
    }
    let Some(name) = &args.name else {
        all.retain(|client| args.big || !client.big);
        return Ok(all);
    };
    let huge = clients::huge();
    if let Some(exact) = all.iter().chain(&huge).find(|client| client.name == *name) {
        return Ok(vec![exact.clone()]);
    }
    let one = args.replay.as_ref().map(|_| "a replay").or(args.resume.as_ref().map(|_| "what is to be resumed"));
    let one = one.or(args.divided.is_asked().then_some("what is divided"));
    if let Some(one) = one {
        let huge: Vec<&str> = huge.iter().map(|client| &*client.name).collect();
        let huge = huge.join(", ");
        return Err(invalid(format!(
            "no client is called `{name}`; {one} needs the exact name, one that `aqueduct verify --big` lists or a huge one ({huge})"
        )));
    }
    let known: Vec<String> = all.iter().map(|client| client.name.clone()).collect();
    all.retain(|client| client.name.contains(name.as_str()) && (args.big || !client.big));
    if all.is_empty() {
        let hint = if known.iter().any(|known| known.contains(name.as_str())) {
            "; there are big ones, which need --big".to_owned()
        } else {
            format!("; there are {}", queues(&known).join(", "))
        };
        return Err(invalid(format!("no client has `{name}` in its name{hint}")));
    }
    Ok(all)
}

/// Returns the queues' names: what precedes the slash in the clients' names.
fn queues(names: &[String]) -> Vec<String> {
    let mut queues: Vec<String> =
        names.iter().filter_map(|name| Some(format!("{}/...", name.split_once('/')?.0))).collect();
    queues.sort();
    queues.dedup();
    queues
}
