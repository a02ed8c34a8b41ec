//! `aqueduct zoo`: a table of bugs, and of the checkers that find them.

use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::catalogue::{ENTRIES, Entry, Memory};
use crate::explored::panic_text;
use crate::verdict::{Checker, Form, Outcome, Verdict, judge};

/// Runs our checker on real bugs and on their repaired forms, and prints the bugs that it finds.
///
/// loom and shuttle run beside it if they are compiled in (the feature `rivals`).
///
/// Each check runs in a process of its own. Fails if ours misses a bug or reports one in a repaired
/// program.
#[derive(Args, Clone, Debug)]
pub struct ZooArgs {
    /// Only the entries whose name or description contains this, such as `Z12` or `dpdk`
    pub name: Option<String>,
    /// Prints one JSON object per check and line
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Prints the table as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Seconds that each check gets; shuttle uses all of them if it finds nothing
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub limit: u64,
    /// Does one check in this process and prints its outcome
    #[arg(long, hide = true, num_args = 3, value_names = ["ENTRY", "FORM", "CHECKER"])]
    pub one: Option<Vec<String>>,
}

/// The forms of every entry.
const FORMS: [Form; 2] = [Form::Broken, Form::Repaired];

/// One check.
#[derive(Clone, Copy)]
struct Check {
    entry: &'static Entry,
    form: Form,
    checker: Checker,
}

/// A line of `--json`.
#[derive(Serialize)]
struct Row<'a> {
    entry: &'a str,
    form: Form,
    checker: Checker,
    verdict: String,
    seconds: f64,
    #[serde(flatten)]
    outcome: &'a Outcome,
}

/// The result of a check.
struct Done {
    index: usize,
    outcome: Outcome,
    seconds: f64,
}

/// Describes the requested run, without running it.
///
/// # Errors
/// `InvalidInput` if the zoo has no such entry.
pub fn outlook(args: &ZooArgs) -> io::Result<String> {
    let checks = chosen(args.name.as_deref())?.len() * FORMS.len() * Checker::ALL.len();
    Ok(format!("{checks} checks, each in a process of its own for {} s at most", args.limit))
}

/// Runs the checks and writes the table. Returns whether ours is right about every entry.
///
/// # Errors
/// If `out` cannot be written, or a process cannot be started; `InvalidInput` if the zoo has no
/// such entry.
pub fn write(args: &ZooArgs, out: &mut dyn Write) -> io::Result<bool> {
    match &args.one {
        Some(one) => check_one(one, Duration::from_secs(args.limit)),
        None => check_all(args, out),
    }
}

/// Prints the outcome of the one check as JSON, in a process of its own.
fn check_one(one: &[String], limit: Duration) -> io::Result<bool> {
    let wrong = || invalid(format!("--one: no such check: {}", one.join(" ")));
    let [entry, form, checker] = one else {
        return Err(wrong());
    };
    let entry = ENTRIES.iter().find(|known| known.id == *entry).ok_or_else(wrong)?;
    let form = <Form as clap::ValueEnum>::from_str(form, false).map_err(|_| wrong())?;
    let checker = <Checker as clap::ValueEnum>::from_str(checker, false).map_err(|_| wrong())?;
    // The checkers' own output goes to the error stream.
    print_first_panic();
    let outcome = judge(entry, form, checker, limit);
    writeln!(io::stdout(), "{}", serde_json::to_string(&outcome)?)?;
    Ok(true)
}

/// Prints the first panic as an outcome, from now on.
///
/// loom reports an error by a panic, and some end the process before the caller gets them: at a
/// leak, for one, it panics again while it unwinds. Then this line is the last. Otherwise the line
/// of the true outcome comes after it, and counts.
fn print_first_panic() {
    let first = std::sync::Once::new();
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        first.call_once(|| {
            let outcome = Outcome::Complained(panic_text(panic.payload()));
            // A panic within a panic would end the process without a message.
            let _ = serde_json::to_string(&outcome).map(|line| writeln!(io::stdout(), "{line}"));
        });
        default(panic);
    }));
}

fn check_all(args: &ZooArgs, out: &mut dyn Write) -> io::Result<bool> {
    let entries = chosen(args.name.as_deref())?;
    let checks: Vec<Check> = entries
        .iter()
        .flat_map(|entry| {
            Checker::ALL
                .iter()
                .flat_map(move |&checker| FORMS.into_iter().map(move |form| Check { entry, form, checker }))
        })
        .collect();
    let done = run_checks(&checks, Duration::from_secs(args.limit))?;
    if args.json {
        for (check, done) in checks.iter().zip(&done) {
            writeln!(out, "{}", serde_json::to_string(&row(check, done))?)?;
        }
    } else {
        write_table(out, &entries, &checks, &done, args.markdown)?;
    }
    let wrong = checks.iter().zip(&done).filter(|(check, done)| {
        check.checker == Checker::Aqueduct
            && !matches!(Verdict::of(check.form, &done.outcome), Verdict::Found | Verdict::Clean)
    });
    let wrong: Vec<_> = wrong.map(|(check, _)| format!("{} {:?}", check.entry.id, check.form)).collect();
    if !wrong.is_empty() {
        eprintln!("ours is wrong about {}", wrong.join(", "));
    }
    Ok(wrong.is_empty())
}

/// Makes the error of options that make no sense.
fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

fn chosen(name: Option<&str>) -> io::Result<Vec<&'static Entry>> {
    let Some(name) = name else {
        return Ok(ENTRIES.iter().collect());
    };
    if let Some(exact) = ENTRIES.iter().find(|entry| entry.id.eq_ignore_ascii_case(name)) {
        return Ok(vec![exact]);
    }
    let wanted = name.to_lowercase();
    let found: Vec<_> = ENTRIES
        .iter()
        .filter(|entry| entry.id.to_lowercase().contains(&wanted) || entry.about.to_lowercase().contains(&wanted))
        .collect();
    if found.is_empty() {
        let known: Vec<_> = ENTRIES.iter().map(|entry| entry.id).collect();
        return Err(invalid(format!("the zoo has no `{name}`; it has {}", known.join(", "))));
    }
    Ok(found)
}

/// Runs the checks, as many at a time as there are cores, each in a process of its own.
fn run_checks(checks: &[Check], limit: Duration) -> io::Result<Vec<Done>> {
    let program = std::env::current_exe()?;
    let bar = bar(checks.len());
    let next = std::sync::atomic::AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut done = thread::scope(|scope| {
        for _ in 0..cores {
            let (sender, next, program) = (sender.clone(), &next, &program);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(check) = checks.get(index) else {
                        return;
                    };
                    let begin = Instant::now();
                    let outcome = in_process(program, check, limit);
                    let seconds = begin.elapsed().as_secs_f64();
                    let _ = sender.send(outcome.map(|outcome| Done { index, outcome, seconds }));
                }
            });
        }
        drop(sender);
        receiver.into_iter().inspect(|_| bar.inc(1)).collect::<io::Result<Vec<_>>>()
    })?;
    bar.finish_and_clear();
    done.sort_by_key(|done| done.index);
    Ok(done)
}

fn bar(checks: usize) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} checks, {eta} left");
    ProgressBar::new(checks as u64).with_style(style.expect("the template names known keys"))
}

/// The time that a process may run after its check's time is over.
const GRACE: Duration = Duration::from_secs(10);

fn in_process(program: &std::path::Path, check: &Check, limit: Duration) -> io::Result<Outcome> {
    let form = format!("{:?}", check.form).to_lowercase();
    let checker = format!("{:?}", check.checker).to_lowercase();
    let mut child = Command::new(program)
        .args(["zoo", "--limit", &limit.as_secs().to_string(), "--one", check.entry.id, &form, &checker])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let end = Instant::now() + limit + GRACE;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            return Ok(Outcome::Crashed("it hung".to_owned()));
        }
        thread::sleep(Duration::from_millis(5));
    };
    let text = io::read_to_string(child.stdout.take().expect("it is piped"))?;
    let last = text.lines().last().unwrap_or_default();
    Ok(serde_json::from_str(last).unwrap_or_else(|_| Outcome::Crashed(format!("it ended with {status}"))))
}

fn row<'a>(check: &Check, done: &'a Done) -> Row<'a> {
    Row {
        entry: check.entry.id,
        form: check.form,
        checker: check.checker,
        verdict: Verdict::of(check.form, &done.outcome).to_string(),
        seconds: done.seconds,
        outcome: &done.outcome,
    }
}

fn write_table(
    out: &mut dyn Write,
    entries: &[&Entry],
    checks: &[Check],
    done: &[Done],
    markdown: bool,
) -> io::Result<()> {
    let verdict = |entry: &Entry, checker: Checker| {
        let of = |form| {
            let index = checks
                .iter()
                .position(|check| check.entry.id == entry.id && check.checker == checker && check.form == form);
            Verdict::of(form, &done[index.expect("every check was run")].outcome)
        };
        format!("{}, {}", of(Form::Broken), of(Form::Repaired))
    };
    let names = Checker::ALL.iter().map(|checker| format!("{checker:?}").to_lowercase());
    if markdown {
        let names: Vec<_> = names.collect();
        writeln!(out, "| entry | what it was | needs | {} |", names.join(" | "))?;
        writeln!(out, "| --- | --- | --- | {} |", vec!["---"; names.len()].join(" | "))?;
    } else {
        let names: String = names.map(|name| format!("{name:<20} ")).collect();
        writeln!(out, "{:<5} {names}{:<4} what it was", "entry", "")?;
    }
    for entry in entries {
        let needs = if entry.memory == Memory::Weak { "weak" } else { "SC" };
        let verdicts = Checker::ALL.iter().map(|&checker| verdict(entry, checker));
        if markdown {
            let verdicts: Vec<_> = verdicts.collect();
            writeln!(out, "| {} | {} | {needs} | {} |", entry.id, entry.about, verdicts.join(" | "))?;
        } else {
            let verdicts: String = verdicts.map(|verdict| format!("{verdict:<20} ")).collect();
            writeln!(out, "{:<5} {verdicts}{needs:<4} {}", entry.id, entry.about)?;
        }
    }
    writeln!(out)?;
    for &checker in Checker::ALL {
        let count = |wanted: Verdict| {
            let of = checks
                .iter()
                .zip(done)
                .filter(|(check, done)| check.checker == checker && Verdict::of(check.form, &done.outcome) == wanted);
            of.count()
        };
        writeln!(
            out,
            "{}: {} of {} bugs found, {} of {} repaired programs clean",
            format!("{checker:?}").to_lowercase(),
            count(Verdict::Found),
            entries.len(),
            count(Verdict::Clean),
            entries.len()
        )?;
    }
    Ok(())
}
