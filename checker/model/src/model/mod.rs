//! Checks with loom's interface: [`model`](fn@model), and a [`Builder`] with public fields.

#[doc(hidden)]
pub mod attribute;

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::config::Config;
use crate::graph::clock::MAX_THREADS;
use crate::report::{FailureKind, Report};
use crate::runtime::driver::{self, Program};

/// Explores every execution of `program` with the options of [`Builder::new`]: the defaults, or the
/// environment's.
///
/// # Panics
///
/// If an execution fails, with the failure, its trace, and how to replay it.
#[track_caller]
pub fn model<F>(program: F)
where
    F: Fn() + Sync + Send + 'static,
{
    Builder::new().check(program);
}

/// The options of a check under loom's names. [`Config`] has more.
///
/// Options that bound loom's search by its shape have no meaning here, and change nothing:
/// `max_threads` (there may always be [`MAX_THREADS`]), `checkpoint_file`, `checkpoint_interval`,
/// `expect_explicit_explore`, `location`, `log` (locations are always captured).
///
/// A loop that changes something and yields is explored for four rounds a thread
/// ([`Config::yield_bound`]), and twelve more that are unlike all before
/// ([`Config::novel_rounds`]); for up to 64 if otherwise no execution is complete. A program
/// that is not deterministic is explored as far as possible ([`Config::nondeterminism_fails`]).
///
/// Besides loom's variables of the environment, there are `AQUEDUCT_MODEL_JOBS` (threads of the
/// system that explore; 0 for one on each core), `AQUEDUCT_MODEL_RANDOM` (a number of executions
/// that are picked by chance, in place of all), `AQUEDUCT_MODEL_PROGRESS=1` (a line on the standard
/// error stream twice a second) and `AQUEDUCT_REPLAY` (a failure's replay string).
///
/// A check that passes without having explored everything reports that on the standard error
/// stream, which `cargo test` shows for tests that pass, too. A check without a complete execution
/// fails.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Builder {
    /// Changes nothing.
    pub max_threads: usize,
    /// An execution may have this many events, and at least 10,000. `LOOM_MAX_BRANCHES` sets the
    /// default.
    pub max_branches: usize,
    /// Stops after this number of executions. `LOOM_MAX_PERMUTATIONS` sets the default.
    pub max_permutations: Option<usize>,
    /// Stops after this time. An eighth of it goes to random executions. `LOOM_MAX_DURATION`, in
    /// seconds, sets the default.
    pub max_duration: Option<Duration>,
    /// Leaves out executions that need more preemptions: [`Config::max_preemptions`].
    /// `LOOM_MAX_PREEMPTIONS` sets the default.
    pub preemption_bound: Option<usize>,
    /// Changes nothing.
    pub checkpoint_file: Option<PathBuf>,
    /// Changes nothing.
    pub checkpoint_interval: usize,
    /// Changes nothing.
    pub expect_explicit_explore: bool,
    /// Changes nothing.
    pub location: bool,
    /// Changes nothing.
    pub log: bool,
}

/// The least limit of an execution's events.
const EVENTS: usize = 10_000;

/// The number of rounds that are explored of a loop that changes something and yields. loom runs
/// the other threads instead.
const YIELDS: u32 = 4;

/// The most rounds that are explored if no execution is complete with fewer, and in random
/// executions.
const MOST_YIELDS: u32 = 64;

/// The number of further rounds that are explored, each unlike all before: each may have taken an
/// item.
const NOVEL: u32 = 12;

/// The part of a limited time for random executions, if the others are too many. The first
/// executions are alike, and all rare outcomes of a program may lie in others.
const CHANCE: u32 = 8;

/// The `seed` of these executions.
const SEED: u64 = 1;

impl Builder {
    /// Returns the defaults, or the environment's options.
    ///
    /// # Panics
    /// If a variable of the environment does not hold a number.
    #[must_use]
    pub fn new() -> Self {
        Self {
            max_threads: MAX_THREADS,
            max_branches: number("LOOM_MAX_BRANCHES").unwrap_or(1_000),
            max_permutations: number("LOOM_MAX_PERMUTATIONS"),
            max_duration: number("LOOM_MAX_DURATION").map(|seconds| Duration::from_secs(seconds as u64)),
            preemption_bound: number("LOOM_MAX_PREEMPTIONS"),
            checkpoint_file: None,
            checkpoint_interval: 20_000,
            expect_explicit_explore: false,
            location: true,
            log: false,
        }
    }

    /// Takes the name of a file of checkpoints, and changes nothing. [`Config::check_saving`]
    /// resumes checks.
    pub fn checkpoint_file(&mut self, file: &str) -> &mut Self {
        self.checkpoint_file = Some(file.into());
        self
    }

    /// Explores every execution of `program`, on one thread of the system unless
    /// `AQUEDUCT_MODEL_JOBS` sets another number.
    ///
    /// # Panics
    /// If an execution fails, as [`model`](fn@model) does.
    #[track_caller]
    pub fn check<F>(&self, program: F)
    where
        F: Fn() + Sync + Send + 'static,
    {
        let outcome = self.explore(None, Arc::new(program));
        if let Some(failure) = outcome.report.failure {
            panic!("{failure}");
        }
        if !outcome.report.exhaustive {
            outcome.tell(std::thread::current().name().unwrap_or("a model"));
        }
    }

    /// Explores every execution of `program`, or `random` of them, picked by chance.
    #[track_caller]
    fn explore(&self, random: Option<u64>, program: Program) -> Outcome {
        let events = self.max_branches.max(EVENTS);
        let events = u32::try_from(events).unwrap_or(u32::MAX);
        let mut config = Config::new().max_events(events).novel_rounds(NOVEL).nondeterminism_fails(false);
        config = config.jobs(number("AQUEDUCT_MODEL_JOBS").unwrap_or(1));
        config = config.progress(number("AQUEDUCT_MODEL_PROGRESS").is_some_and(|yes| yes > 0));
        if let Some(executions) = random.or_else(|| Some(number("AQUEDUCT_MODEL_RANDOM")? as u64)) {
            config = config.random(executions, SEED);
        }
        if let Some(executions) = self.max_permutations {
            config = config.max_executions(executions as u64);
        }
        if let Some(preemptions) = self.preemption_bound {
            config = config.max_preemptions(u32::try_from(preemptions).unwrap_or(u32::MAX));
        }
        let by_chance = self.max_duration.map(|time| time / CHANCE);
        if let (Some(time), Some(by_chance)) = (self.max_duration, by_chance) {
            config = config.time_limit(time - by_chance);
        }
        let mut rounds = YIELDS;
        let mut report = loop {
            let shared = Arc::clone(&program);
            let report = config.clone().yield_bound(rounds).check(move || shared());
            if !is_unexplored(&report) || report.limited || rounds >= MOST_YIELDS {
                break report;
            }
            rounds *= 2;
        };
        let mut walks = 0;
        let is_full = self.max_permutations.is_some_and(|most| report.executions >= most as u64);
        if let Some(time) = by_chance
            && (report.limited || report.strayed > 0)
            && !is_full
            && !has_failed(&report)
        {
            let walked =
                config.time_limit(time).yield_bound(MOST_YIELDS).random(u64::MAX, SEED).check(move || program());
            walks = walked.executions;
            report.seconds += walked.seconds;
            if has_failed(&walked) || walks > 0 {
                report.failure = walked.failure;
            }
        }
        Outcome { report, rounds, walks }
    }
}

/// The outcome of an exploration.
#[derive(Debug)]
struct Outcome {
    report: Report,
    /// The bound on rounds of waiting.
    rounds: u32,
    /// The number of executions that were picked by chance after the others.
    walks: u64,
}

impl Outcome {
    /// Whether one execution was replayed, without a failure.
    fn is_replay(&self) -> bool {
        self.report.graph.is_some()
    }

    /// Reports that a check which has passed is not a proof. Test harnesses capture what
    /// `eprintln!` prints, and show it only for tests that fail; so this goes to the standard error
    /// stream itself.
    fn tell(&self, name: &str) {
        // If this stream is closed, the message cannot be shown.
        let _ = writeln!(std::io::stderr().lock(), "{name}: {}", self.not_exhaustive());
    }

    /// Returns the number of explored executions, and the reason why not all were.
    fn not_exhaustive(&self) -> String {
        let &Report { executions, seconds, cut, strayed, .. } = &self.report;
        let limited = self.report.limited.then(|| "a limit ended the check".to_owned());
        let cut = (cut > 0).then(|| format!("{cut} were cut after {} rounds of waiting", self.rounds));
        let strayed = self.report.stray.as_ref().map(|how| format!("{strayed} went another way than before: {how}"));
        let left_out = (self.report.left_out > 0)
            .then(|| format!("{} branches were left out, which need too many preemptions", self.report.left_out));
        let why: Vec<_> = [limited, cut, left_out, strayed].into_iter().flatten().collect();
        let why = match (why.is_empty(), self.report.random) {
            (false, _) => why.join(", and "),
            (true, true) => "they were picked by chance".to_owned(),
            (true, false) => "one execution was replayed".to_owned(),
        };
        let by_chance = if self.walks > 0 { format!(" and in {} picked by chance", self.walks) } else { String::new() };
        format!("NOT EXHAUSTIVE, nothing found in {executions} executions{by_chance} ({seconds:.1} s): {why}")
    }
}

/// Whether no execution was complete.
fn is_unexplored(report: &Report) -> bool {
    report.failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Unexplored)
}

/// Whether the explored part of the program has an error.
fn has_failed(report: &Report) -> bool {
    report.failure.is_some() && !is_unexplored(report)
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

fn number(variable: &str) -> Option<usize> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} must be a whole number, and is {text:?}")))
}

/// Whether the program's present actions belong to the execution that is explored. It is always
/// true outside of a model.
///
/// It is false after the end of a run that is not a complete execution, or in which threads are
/// stopped: there the threads run to their ends, as they would on one core, so that none is
/// unwound. It is false, too, in executions that are explored for races in failed rounds of waits,
/// and do not count. A program that collects results over executions leaves these out.
#[must_use]
pub fn on_record() -> bool {
    !driver::inside() || !driver::with_engine(|engine| engine.is_off_record())
}

/// Part of loom's search by hand; changes nothing here.
pub(crate) mod by_hand {
    /// In loom, begins to explore. Here everything is explored.
    pub fn explore() {}

    /// In loom, stops to explore. Here everything is explored.
    pub fn stop_exploring() {}

    /// In loom, skips the branch at hand. Here everything is explored.
    pub fn skip_branch() {}
}
