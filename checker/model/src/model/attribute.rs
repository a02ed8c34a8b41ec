//! The expansion of the attribute [`model`](macro@crate::model): a check with the attribute's
//! options.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Builder;
use crate::report::{Failure, FailureKind, Told};
use crate::runtime::driver::Program;

/// A test that is a function with the attribute.
#[derive(Debug)]
#[must_use]
pub struct Test {
    /// The function's path from the root of its crate.
    name: &'static str,
    package: Option<&'static str>,
    builder: Builder,
    random: Option<u64>,
    /// Whether an execution has to fail, and a part of the failure's message.
    fails: Option<&'static str>,
    is_exhaustive: bool,
}

/// The result of a test's function.
pub trait Returned: 'static {
    /// Panics if the result is an error.
    fn expect(self);
}

impl Returned for () {
    fn expect(self) {}
}

impl<T: Returned, E: fmt::Debug + 'static> Returned for Result<T, E> {
    #[track_caller]
    fn expect(self) {
        match self {
            Ok(returned) => returned.expect(),
            Err(error) => panic!("the test returned an error: {error:?}"),
        }
    }
}

impl Test {
    /// Makes the test of a function with this path, and the package that it is in.
    pub fn new(path: &'static str, package: Option<&'static str>) -> Self {
        let name = path.split_once("::").map_or(path, |(_, name)| name);
        Self { name, package, builder: Builder::new(), random: None, fails: None, is_exhaustive: false }
    }

    /// Passes only if an execution fails, with this text in the message.
    pub fn fails(mut self, text: &'static str) -> Self {
        self.fails = Some(text);
        self
    }

    /// Fails if not all executions are explored.
    pub fn exhaustive(mut self) -> Self {
        self.is_exhaustive = true;
        self
    }

    /// Stops after `limit` executions.
    pub fn max_executions(mut self, limit: usize) -> Self {
        self.builder.max_permutations = Some(limit);
        self
    }

    /// Leaves out executions that need more preemptions.
    pub fn max_preemptions(mut self, limit: usize) -> Self {
        self.builder.preemption_bound = Some(limit);
        self
    }

    /// Stops after this time.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.builder.max_duration = Some(limit);
        self
    }

    /// Lets an execution have `limit` events.
    pub fn max_events(mut self, limit: usize) -> Self {
        self.builder.max_branches = limit;
        self
    }

    /// Explores `executions` executions that are picked by chance, instead of all.
    pub fn random(mut self, executions: u64) -> Self {
        self.random = Some(executions);
        self
    }

    /// Checks the function.
    ///
    /// # Panics
    /// If an execution fails and none should, if none does and one should, or if it fails in
    /// another way.
    #[track_caller]
    pub fn run<R: Returned>(self, function: fn() -> R) {
        let program: Program = Arc::new(move || function().expect());
        let outcome = self.builder.explore(self.random, program);
        let is_replay = outcome.is_replay();
        match (&outcome.report.failure, self.fails) {
            (None, None) if self.is_exhaustive && !outcome.report.exhaustive && !is_replay => {
                panic!("{}", outcome.not_exhaustive());
            }
            (None, None) if outcome.report.exhaustive => {}
            (None, None) => outcome.tell(self.name),
            (None, Some(_)) => {
                panic!("an execution should fail, and {} passed", outcome.report.executions);
            }
            (Some(failure), None) => panic!("{}", self.told(failure)),
            (Some(failure), Some(text)) if is_expected(failure, text) => {}
            (Some(failure), Some(text)) => {
                panic!("an execution should fail with {text:?}, and one fails otherwise:\n{}", self.told(failure));
            }
        }
    }

    /// Returns a failure's text, with the command that replays it.
    fn told<'a>(&self, failure: &'a Failure) -> Told<'a> {
        let package = self.package.map_or_else(String::new, |package| format!(" -p {package}"));
        Told(failure, Some(format!("cargo test{package} -- --exact {}", self.name)))
    }
}

/// Whether an attribute with this text expects a failure. The limits of the checker are not
/// failures of the program, unless the text names them.
fn is_expected(failure: &Failure, text: &str) -> bool {
    let is_limit = matches!(
        failure.kind,
        FailureKind::Unexplored
            | FailureKind::NonDeterminism
            | FailureKind::TooManyEvents
            | FailureKind::TooManyThreads
            | FailureKind::UnknownThread
    );
    failure.message.contains(text) && !(text.is_empty() && is_limit)
}
