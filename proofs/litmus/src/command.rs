//! `aqueduct litmus`: runs files through the model checker and prints JSON lines or tables.

mod json;
mod table;
mod witness;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aqueduct_model::{EdgeKind, ExecutionGraph};
use clap::builder::{RangedI64ValueParser, RangedU64ValueParser};
use clap::{Args, ValueEnum, value_parser};
use indicatif::{ProgressBar, ProgressStyle};

use crate::ast::Program;
use crate::outcome::{Model, ReleaseSequences};
use crate::parse;
use crate::run::{self, Answer, Settings};

use witness::Witness;

/// Runs C litmus tests in herd7's format on the model checker.
///
/// Prints, per test, every final state, the number of distinct consistent executions, whether there
/// is a data race, and whether the condition holds, with an execution that shows it.
#[derive(Debug, Clone, Args)]
pub struct LitmusArgs {
    /// The tests.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Print one JSON object per line and file instead of tables.
    #[arg(long)]
    pub json: bool,

    /// The memory model.
    #[arg(long, value_enum, default_value_t = ModelArg::Rc11)]
    pub model: ModelArg,

    /// The events that continue a release sequence.
    #[arg(long, value_enum, default_value_t = ReleaseSequencesArg::Cpp20)]
    pub release_sequences: ReleaseSequencesArg,

    /// The number of threads that explore; 0 means one per core.
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = jobs())]
    pub jobs: usize,

    /// The number of times that the body of a `while` runs; a thread that would continue counts as
    /// blocked.
    #[arg(long, default_value_t = crate::DEFAULT_LOOP_BOUND, value_name = "N", value_parser = loop_bound())]
    pub loop_bound: u32,

    /// Draw, as a page, the execution that shows why the condition holds or not, or where the race
    /// is. Of several tests, the first one with such an execution is drawn.
    #[arg(long, value_name = "PAGE")]
    pub html: Option<PathBuf>,

    /// Draw the execution in Graphviz's DOT language.
    #[arg(long, value_name = "GRAPH")]
    pub dot: Option<PathBuf>,

    /// Draw the fr edges in DOT, too. In the page they can be shown and hidden.
    #[arg(long, requires = "dot")]
    pub fr: bool,
}

/// The values of `--model`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModelArg {
    /// RC11, the repaired C11 model.
    Rc11,
    /// Sequential consistency.
    Sc,
}

/// The values of `--release-sequences`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReleaseSequencesArg {
    /// Read-modify-writes, as in C++20 and Rust.
    Cpp20,
    /// Later stores of the releasing thread, too, as in C11 and the original RC11.
    C11,
}

/// Parses `--jobs`. More threads than any machine has cores are useless, and the system may refuse
/// them.
fn jobs() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=1024)
}

/// Parses `--loop-bound`. The number of executions grows exponentially with it, so a check with a
/// large one does not end.
fn loop_bound() -> RangedI64ValueParser<u32> {
    value_parser!(u32).range(0..=100_000)
}

impl LitmusArgs {
    /// Returns the settings of the programs.
    fn settings(&self) -> Settings {
        Settings {
            model: match self.model {
                ModelArg::Rc11 => Model::Rc11,
                ModelArg::Sc => Model::Sc,
            },
            release_sequences: match self.release_sequences {
                ReleaseSequencesArg::Cpp20 => ReleaseSequences::Cpp20,
                ReleaseSequencesArg::C11 => ReleaseSequences::C11,
            },
            jobs: self.jobs,
            loop_bound: self.loop_bound,
            ..Settings::default()
        }
    }
}

/// Describes the requested run, without running it.
///
/// # Errors
///
/// If a file cannot be read.
pub fn outlook(args: &LitmusArgs) -> io::Result<String> {
    for file in &args.files {
        fs::metadata(file).map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?;
    }
    let threads = if args.jobs == 0 { "a thread for each core".to_owned() } else { format!("{} threads", args.jobs) };
    Ok(format!("{} tests, explored by {threads}; loops run up to {} times", args.files.len(), args.loop_bound))
}

/// Writes the answers to `out`, and progress to standard error if that is a terminal. Returns the
/// number of files that failed.
///
/// A damaged file is reported in its place, and the other files are still run.
///
/// # Errors
///
/// If `out`, or the file for a drawing, cannot be written.
pub fn write_answers(args: &LitmusArgs, out: &mut dyn Write) -> io::Result<usize> {
    let settings = args.settings();
    let progress = progress_bar(args.files.len());
    let mut failures = 0;
    let mut to_draw = args.html.is_some() || args.dot.is_some();
    for file in &args.files {
        progress.set_message(file.display().to_string());
        let answered = answer(file, &settings);
        progress.suspend(|| match (&answered, args.json) {
            (Ok(answered), true) => writeln!(out, "{}", json::answer(answered)),
            (Ok(answered), false) => writeln!(out, "{}", table::Table::new(answered, &settings)),
            (Err(failure), true) => writeln!(out, "{}", json::failure(failure)),
            (Err(failure), false) => {
                writeln!(out, "{}: error: {}\n", failure.name, failure.message)
            }
        })?;
        out.flush()?;
        if let Some((title, graph)) = answered.as_ref().ok().filter(|_| to_draw).and_then(|a| picture(a, &settings)) {
            draw(args, &title, graph)?;
            to_draw = false;
        }
        failures += usize::from(answered.is_err());
        progress.inc(1);
    }
    progress.finish_and_clear();
    if to_draw {
        eprintln!("no test has an execution to show, so nothing is drawn");
    }
    Ok(failures)
}

/// Returns the execution to draw, if there is one, and the title of the drawing.
fn picture(answered: &Answered, settings: &Settings) -> Option<(String, ExecutionGraph)> {
    let outcome = &answered.answer.outcome;
    let witness = if outcome.racy {
        Witness::of_race(answered, settings)
    } else {
        Witness::of_state(answered, settings, outcome.telling_state(&answered.program)?)
    };
    witness.graph()
}

fn draw(args: &LitmusArgs, title: &str, graph: ExecutionGraph) -> io::Result<()> {
    let save = |file: &Path, text: String| {
        let error = |error| io::Error::other(format!("cannot write {}: {error}", file.display()));
        fs::write(file, text).map_err(error)
    };
    if let Some(file) = &args.html {
        save(file, graph.to_html(title))?;
    }
    if let Some(file) = &args.dot {
        let graph = if args.fr { graph } else { graph.without(EdgeKind::FromReads) };
        save(file, graph.to_dot())?;
    }
    Ok(())
}

/// A file that was run.
struct Answered {
    program: Program,
    answer: Answer,
}

/// A file that could not be run.
struct Failure {
    /// The file's name without its ending: the name inside of a damaged file may be unreadable.
    name: String,
    message: String,
}

fn answer(file: &Path, settings: &Settings) -> Result<Answered, Failure> {
    let name = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let failure = |message: String| Failure { name: name.clone(), message };
    let path = file.display();
    let bytes = fs::read(file).map_err(|error| failure(format!("{path}: cannot read this file: {error}")))?;
    let program = parse::parse_bytes(&bytes).map_err(|error| failure(format!("{path}:{error}")))?;
    let answer = run::run(&program, settings).map_err(|error| failure(format!("{path}: {error}")))?;
    Ok(Answered { program, answer })
}

/// Makes a progress bar that ticks by itself, so that a long test shows progress. It is
/// hidden without a terminal.
fn progress_bar(files: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {bar:30} {pos}/{len} tests, {elapsed}: {msg}")
        .expect("the template is well-formed");
    let bar = ProgressBar::new(files as u64).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
