//! What a run shows at the moment at which something is wrong with it: the report is made of it when the run is over.

use crate::graph::event::{EventId, Kind, Label, Site};
use crate::graph::{Conflict, Graph};

use super::heap::Allocations;
use super::panics::Panic;
use super::state::State;

/// What happened, with the events that show it.
#[derive(Clone, Debug)]
pub(crate) enum Cause {
    Panic(Panic),
    Conflict(Conflict),
    NotAllocated(Said),
    Leak(EventId),
    Deadlock,
    Liveness,
    NonDeterminism {
        before: Said,
        now: Option<Said>,
    },
    ReplayStuck,
    /// A wait has ended that nothing in the execution ends.
    EndedWait,
    TooManyEvents,
    TooManyThreads,
    Cut,
}

/// An operation as the program asked for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    pub(crate) kind: Kind,
    pub(crate) site: Site,
}

impl From<Label> for Said {
    fn from(label: Label) -> Self {
        Self { kind: label.kind, site: label.site }
    }
}

/// A thread of the run.
#[derive(Debug)]
pub(crate) struct ThreadFacts {
    pub(crate) number: usize,
    pub(crate) state: State,
    /// Where the present round of a wait loop began.
    pub(crate) round: usize,
}

/// The execution at one moment of a run, and what is to be said of it.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) cause: Cause,
    pub(crate) graph: Graph,
    pub(crate) allocations: Allocations,
    /// The thread that ran.
    pub(crate) current: usize,
    /// The threads of the run in the order of creation.
    pub(crate) threads: Vec<ThreadFacts>,
    /// The program went another way than before, so a replay may lead elsewhere.
    pub(crate) is_astray: bool,
    pub(crate) max_events: usize,
    pub(crate) yield_bound: u32,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// Every thread came to its end, was halted, or waits forever where that is no failure.
    Complete,
    /// Some threads wait for what may still come in other executions.
    Blocked,
    /// The run led nowhere.
    Discarded,
    /// Threads waited for longer than is explored; the others went as far as they could. It shows something the first
    /// time, unless an execution was complete before.
    Cut(Option<Box<Facts>>),
    /// An error was found.
    Failed(Box<Facts>),
}
