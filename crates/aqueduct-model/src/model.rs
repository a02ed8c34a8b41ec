//! Checks as loom writes them: [`model`](fn@model), and a [`Builder`] with public fields.

use std::path::PathBuf;
use std::time::Duration;

use crate::config::Config;
use crate::graph::clock::MAX_THREADS;

/// Explores every execution of `program` with the options of [`Builder::new`]: the defaults, or what the environment says.
///
/// # Panics
///
/// If an execution fails: with the failure, its trace, and how to replay it.
#[track_caller]
pub fn model<F>(program: F)
where
    F: Fn() + Sync + Send + 'static,
{
    Builder::new().check(program);
}

/// The options of a check under loom's names. [`Config`] has more.
///
/// What bounds loom's search by its shape has no meaning here, and changes nothing: `max_threads` (there may always be
/// [`MAX_THREADS`]), `preemption_bound` (every execution is explored, whatever the number of preemptions),
/// `checkpoint_file`, `checkpoint_interval`, `expect_explicit_explore`, `location`, `log` (locations are always
/// captured). A loop that changes something and yields is explored for four rounds a thread
/// ([`Config::yield_bound`]); a check that had to cut more says so on the standard error stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Builder {
    /// Changes nothing.
    pub max_threads: usize,
    /// An execution may have this many events, or 10,000 if that is more. `LOOM_MAX_BRANCHES` sets the default.
    pub max_branches: usize,
    /// Stops after so many executions. `LOOM_MAX_PERMUTATIONS` sets the default.
    pub max_permutations: Option<usize>,
    /// Stops after this time. `LOOM_MAX_DURATION`, in seconds, sets the default.
    pub max_duration: Option<Duration>,
    /// Changes nothing.
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

/// The events that an execution may have at least.
const EVENTS: usize = 10_000;

/// How many rounds of a loop that changes something and yields are explored. loom makes the other threads go on instead.
const YIELDS: u32 = 4;

impl Builder {
    /// The defaults, or what the environment says.
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

    /// Names a file of checkpoints. Changes nothing: see [`Config::check_saving`] for checks that begin in the middle.
    pub fn checkpoint_file(&mut self, file: &str) -> &mut Self {
        self.checkpoint_file = Some(file.into());
        self
    }

    /// Explores every execution of `program`, on one thread of the system.
    ///
    /// # Panics
    /// If an execution fails, as [`model`](fn@model) does.
    #[track_caller]
    pub fn check<F>(&self, program: F)
    where
        F: Fn() + Sync + Send + 'static,
    {
        let events = self.max_branches.max(EVENTS);
        let events = u32::try_from(events).unwrap_or(u32::MAX);
        let mut config = Config::new().max_events(events).yield_bound(YIELDS);
        if let Some(executions) = self.max_permutations {
            config = config.max_executions(executions as u64);
        }
        if let Some(time) = self.max_duration {
            config = config.time_limit(time);
        }
        let report = config.check(program);
        if let Some(failure) = report.failure {
            panic!("{failure}");
        }
        if !report.exhaustive {
            eprintln!(
                "not exhaustive: {} executions in {:.1} s, {} cut, none failed",
                report.executions, report.seconds, report.cut
            );
        }
    }
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

/// Part of loom's search by hand; changes nothing here.
pub(crate) mod by_hand {
    /// In loom, begins to explore. Here everything is explored.
    pub fn explore() {}

    /// In loom, stops to explore. Here everything is explored.
    pub fn stop_exploring() {}

    /// In loom, skips the branch at hand. Here everything is explored.
    pub fn skip_branch() {}
}
