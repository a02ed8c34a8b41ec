//! The oracle: every execution of a litmus program by brute force.
//!
//! It enumerates control paths and reads-from choices by running the threads' instructions, all
//! modification orders after that, and keeps the executions that the axioms in [`axioms`] accept.
//! It shares no method with the model checker that it judges: no exploration order, no revisits, no
//! clocks. It is simple rather than fast, and meant for programs of up to a dozen accesses; beyond
//! [`Limits`] it returns an error.
//!
//! Out-of-thin-air values never appear: a read takes its value from a write that is already
//! present, which is the definition of `acyclic(sb | rf)`.

pub mod axioms;
pub mod buffering;
mod orders;
mod paths;
pub mod preemptions;
mod relation;

use std::fmt;
use std::ops::ControlFlow;

use crate::ast::Program;
use crate::machine::Code;
use crate::outcome::{FinalState, Model, Outcome, ReleaseSequences};
use axioms::Event;

/// A question to the oracle.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    /// The memory model.
    pub model: Model,
    /// The events of release sequences.
    pub release_sequences: ReleaseSequences,
    /// The number of times that a loop's body runs before its thread counts as blocked.
    pub loop_bound: u32,
    /// The limits at which the oracle gives up.
    pub limits: Limits,
}

/// The limits at which the oracle gives up.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The number of partial executions.
    pub partial: usize,
    /// The number of complete executions, consistent or not.
    pub complete: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { partial: 200_000, complete: 2_000_000 }
    }
}

impl Default for Question {
    fn default() -> Self {
        Question {
            model: Model::Rc11,
            release_sequences: ReleaseSequences::Cpp20,
            loop_bound: crate::DEFAULT_LOOP_BOUND,
            limits: Limits::default(),
        }
    }
}

/// The error that a program is too big for brute force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TooBig {
    /// One execution has more events than the oracle's bit sets hold.
    Events,
    /// More partial executions than the limit.
    Partial,
    /// More complete executions than the limit.
    Complete,
}

impl fmt::Display for TooBig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            TooBig::Events => "an execution has more than 128 events",
            TooBig::Partial => "it has too many partial executions",
            TooBig::Complete => "it has too many complete executions",
        };
        write!(f, "too big for brute force: {what}")
    }
}

impl std::error::Error for TooBig {}

/// One consistent execution.
#[derive(Debug, Clone)]
pub struct Execution {
    /// All events; those of one thread are in program order.
    pub events: Vec<Event>,
    /// For each event that reads, the event that it reads from.
    pub reads_from: Vec<Option<usize>>,
    /// The number of weak compare-exchanges that failed although they read the expected value.
    pub spurious: u32,
    /// Per location, the writes to it in modification order.
    pub modification_orders: Vec<Vec<usize>>,
    /// The values at the end.
    pub state: FinalState,
    /// Whether a loop reached its bound.
    pub blocked: bool,
    /// Two accesses that race, the first one a write, if some race.
    pub race: Option<(usize, usize)>,
}

/// Returns all consistent executions of `program`, summed up.
///
/// # Errors
///
/// [`TooBig`] if the program exceeds a limit of the question.
pub fn outcome(program: &Program, question: &Question) -> Result<Outcome, TooBig> {
    let mut outcome = Outcome::default();
    let code = Code::new(program, question.loop_bound);
    paths::search(program, &code, question, None, &mut |execution| {
        if execution.race.is_some() {
            outcome = Outcome::racy();
            return ControlFlow::Break(());
        }
        if execution.blocked {
            outcome.blocked += 1;
        } else {
            outcome.executions += 1;
            outcome.states.insert(execution.state.clone());
        }
        ControlFlow::Continue(())
    })?;
    Ok(outcome)
}

/// Returns an execution in which each thread reads the given values in program order, and that ends
/// in `state`.
///
/// The values make the search short: this works for programs far beyond those that [`outcome`] can
/// enumerate.
///
/// # Errors
///
/// [`TooBig`] if the program exceeds a limit of the question.
pub fn witness(
    program: &Program,
    question: &Question,
    values_read: &[Vec<i32>],
    state: &FinalState,
) -> Result<Option<Execution>, TooBig> {
    let mut found = None;
    let code = Code::new(program, question.loop_bound);
    paths::search(program, &code, question, Some(values_read), &mut |execution| {
        if !execution.blocked && execution.state == *state {
            found = Some(execution.clone());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Returns an execution with a data race, if there is one.
///
/// # Errors
///
/// [`TooBig`] if the program exceeds a limit of the question before one is found.
pub fn racy_execution(program: &Program, question: &Question) -> Result<Option<Execution>, TooBig> {
    let mut found = None;
    let code = Code::new(program, question.loop_bound);
    paths::search(program, &code, question, None, &mut |execution| {
        if execution.race.is_some() {
            found = Some(execution.clone());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}
