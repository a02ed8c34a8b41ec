//! Failures: what they are and how they read.

use std::fmt;

use super::panics::Panic;
use crate::graph::event::{EventId, Kind, Label, Site};
use crate::graph::{Clash, Conflict, Graph};
use crate::runtime::engine::Engine;

/// What kind of error a check found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum FailureKind {
    /// A failed assertion or another panic.
    Panic,
    /// Two conflicting accesses, one of them not atomic, that nothing orders.
    Race,
    /// Memory used that is not, or may not yet be, allocated.
    Unallocated,
    /// Memory used after it was freed, or not ordered before that.
    UseAfterFree,
    /// Memory freed twice.
    DoubleFree,
    /// Memory read that nothing has written.
    Uninitialized,
    /// Memory that is never freed.
    Leak,
    /// Threads wait for each other's end.
    Deadlock,
    /// A wait loop that nothing in the execution will ever end.
    Liveness,
    /// The program did something else when it was run again on the same results.
    NonDeterminism,
    /// An execution with more events than the limit.
    TooManyEvents,
    /// More threads than the checker can handle.
    TooManyThreads,
}

/// What happened, with the events that show it.
#[derive(Clone, Debug)]
pub(crate) enum Cause {
    Panic(Panic),
    Conflict(Conflict),
    NotAllocated(Said),
    Leak(EventId),
    Deadlock,
    Liveness,
    NonDeterminism { before: Said, now: Option<Said> },
    ReplayStuck,
    TooManyEvents,
    TooManyThreads,
}

/// An operation as the program asked for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    pub(crate) kind: Kind,
    pub(crate) site: Site,
}

impl From<Label> for Said {
    fn from(label: Label) -> Self {
        Self {
            kind: label.kind,
            site: label.site,
        }
    }
}

/// An error that a check found, with the execution that shows it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failure {
    /// Which kind of error.
    pub kind: FailureKind,
    /// What happened, in one or a few lines.
    pub message: String,
}

impl Failure {
    pub(crate) fn new(cause: Cause, engine: &Engine) -> Self {
        let graph = &engine.explorer.graph;
        let (kind, message) = match &cause {
            Cause::Panic(panic) => {
                let place = panic.location.as_deref().unwrap_or("an unknown place");
                (FailureKind::Panic, format!("panicked at {place}: {}", panic.message))
            }
            Cause::Conflict(conflict) => describe_conflict(conflict, graph),
            Cause::NotAllocated(said) => (
                FailureKind::Unallocated,
                format!("{:?} at {}: no such allocation", said.kind, said.site),
            ),
            Cause::Leak(id) => (
                FailureKind::Leak,
                format!("the allocation at {} is never freed", graph.event(*id).label.site),
            ),
            Cause::Deadlock => (FailureKind::Deadlock, "deadlock".to_owned()),
            Cause::Liveness => (FailureKind::Liveness, "a wait that never ends".to_owned()),
            Cause::NonDeterminism { before, now } => (
                FailureKind::NonDeterminism,
                match now {
                    Some(now) => format!(
                        "the program is not deterministic: first {:?} at {}, then {:?} at {}",
                        before.kind, before.site, now.kind, now.site
                    ),
                    None => format!("the program is not deterministic: first {:?} at {}, then nothing", before.kind, before.site),
                },
            ),
            Cause::ReplayStuck => (FailureKind::NonDeterminism, "the program is not deterministic: a thread ended early".to_owned()),
            Cause::TooManyEvents => (FailureKind::TooManyEvents, "too many events".to_owned()),
            Cause::TooManyThreads => (FailureKind::TooManyThreads, "too many threads".to_owned()),
        };
        Self { kind, message }
    }
}

fn describe_conflict(conflict: &Conflict, graph: &Graph) -> (FailureKind, String) {
    let [a, b] = [conflict.earlier, conflict.later].map(|id| {
        let event = graph.event(id);
        format!("{:?} at {} in thread {}", event.label.kind, event.label.site, id.thread())
    });
    match conflict.clash {
        Clash::Race => (FailureKind::Race, format!("data race: {a} and {b} are not ordered")),
        Clash::Unallocated => (
            FailureKind::Unallocated,
            format!("{b} is not ordered after the allocation it uses: {a}"),
        ),
        Clash::UseAfterFree => (
            FailureKind::UseAfterFree,
            format!("use after free: {a} and {b}"),
        ),
        Clash::DoubleFree => (FailureKind::DoubleFree, format!("freed twice: {a} and {b}")),
        Clash::Uninitialized => (
            FailureKind::Uninitialized,
            format!("{b} reads what nothing has written since {a}"),
        ),
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
