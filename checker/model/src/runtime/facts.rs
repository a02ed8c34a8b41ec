//! The facts of a run at the moment of an error. The report is made of them when the run is over.

use crate::graph::event::{EventId, Kind, Label, Site};
use crate::graph::{Conflict, Graph};

use super::heap::Allocations;
use super::panics::Panic;
use super::state::State;

/// The cause of a failure, with the events that show it.
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
    /// A wait has ended that no event of the execution ends.
    EndedWait,
    TooManyEvents,
    TooManyThreads,
    /// A thread that no check runs used an object of the execution here.
    Outsider(Site),
    Cut,
}

/// An operation as the program requested it.
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
    /// The event at which the present round of a wait loop began.
    pub(crate) round: usize,
}

/// The execution at one moment of a run.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) cause: Cause,
    pub(crate) graph: Graph,
    pub(crate) allocations: Allocations,
    /// The thread that ran at that moment.
    pub(crate) current: usize,
    /// Whether the owners of an `Arc` were counted.
    pub(crate) counts_owners: bool,
    /// The threads of the run in the order of creation.
    pub(crate) threads: Vec<ThreadFacts>,
    /// True if the program behaved differently than before, so that a replay may differ.
    pub(crate) is_astray: bool,
    pub(crate) max_events: usize,
    pub(crate) yield_bound: u32,
}

/// The end of a run.
#[derive(Debug)]
pub(crate) enum Ending {
    /// Every thread ended, was halted, or waits forever if that is not a failure.
    Complete,
    /// Some threads wait for an event that may occur in other executions.
    Blocked,
    /// The run leads to no execution of its own.
    Discarded,
    /// Threads waited for longer than is explored; the others ran until they had to wait. The first
    /// such run has its facts, unless an execution was complete before.
    Cut(Option<Box<Facts>>),
    /// An error was found.
    Failed(Box<Facts>),
}
