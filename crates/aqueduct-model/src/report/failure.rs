//! Failures: what they are and how they read.

use std::fmt;

use super::panics::Panic;
use super::trace::{Trace, thread_name};
use crate::check::REPLAY;
use crate::explore::script::Script;
use crate::graph::clock::Clock;
use crate::graph::event::{EventId, Kind, Label, Site};
use crate::graph::{Clash, Conflict};
use crate::runtime::engine::{Engine, State};

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
        Self { kind: label.kind, site: label.site }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            Kind::Read => "an atomic read",
            Kind::Write => "an atomic write",
            Kind::Fence => "a fence",
            Kind::CellRead => "a read",
            Kind::CellWrite => "a write",
            Kind::Create => "a spawn",
            Kind::End => "the end of a thread started",
            Kind::Join => "a join",
            Kind::Alloc => "an allocation",
            Kind::Free => "a free",
        };
        write!(f, "{what} at {}", self.site)
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
    /// The part of the execution that matters: a row for each event, a column for each thread.
    pub trace: String,
    /// What [`Config::replay`](crate::Config::replay) takes to run this execution again.
    pub replay: String,
}

impl Failure {
    pub(crate) fn new(cause: &Cause, engine: &Engine) -> Self {
        let graph = &engine.explorer.graph;
        let keep = relevant(cause, engine);
        let trace = Trace::new(graph, &engine.heap, &keep);
        let (kind, message) = describe(cause, engine, &trace);
        Self { kind, message, trace: trace.table(), replay: Script::of(graph, &keep).to_string() }
    }
}

/// The events that a failure depends on: the rest of the graph need not have happened.
fn relevant(cause: &Cause, engine: &Engine) -> Clock {
    let graph = &engine.explorer.graph;
    let mut keep = Clock::EMPTY;
    match cause {
        Cause::Conflict(conflict) => {
            for id in [conflict.earlier, conflict.later] {
                keep.join(&graph.event(id).porf);
            }
        }
        Cause::Panic(Panic { after: Some(id), .. }) => keep = graph.event(*id).porf,
        Cause::Panic(_) | Cause::NotAllocated(_) | Cause::NonDeterminism { .. } => {
            let thread = engine.current;
            match graph.threads[thread].last() {
                Some(last) => keep.join(&last.porf),
                None => {
                    if let Some(creator) = graph.creators[thread] {
                        keep.join(&graph.event(creator).porf);
                    }
                }
            }
        }
        _ => keep = graph.everything(),
    }
    keep
}

fn describe(cause: &Cause, engine: &Engine, trace: &Trace<'_>) -> (FailureKind, String) {
    match cause {
        Cause::Panic(panic) => {
            let place = panic.location.as_deref().unwrap_or("an unknown place");
            let thread = thread_name(engine.current);
            let message = format!("{thread} panicked at {place}:\n{}", panic.message);
            (FailureKind::Panic, message)
        }
        Cause::Conflict(conflict) => describe_conflict(conflict, trace),
        Cause::NotAllocated(said) => {
            (FailureKind::Unallocated, format!("use of memory that was never allocated: {said}"))
        }
        Cause::Leak(id) => (FailureKind::Leak, format!("memory leak: nothing frees {}", trace.describe(*id))),
        Cause::Deadlock => (FailureKind::Deadlock, "deadlock: the threads that are left join each other".to_owned()),
        Cause::Liveness => (FailureKind::Liveness, describe_waits(engine, trace)),
        Cause::NonDeterminism { before, now } => {
            let now = now.map_or("the thread waits".to_owned(), |now| now.to_string());
            let message = format!(
                "the program is not deterministic: after the same results, {} first came to {before}, \
                 and now {now}, or to another object or outcome there",
                thread_name(engine.current)
            );
            (FailureKind::NonDeterminism, message)
        }
        Cause::ReplayStuck => (
            FailureKind::NonDeterminism,
            "the program is not deterministic: after the same results, it does less than before".to_owned(),
        ),
        Cause::TooManyEvents => (
            FailureKind::TooManyEvents,
            format!(
                "an execution has more than {} events: a loop that runs away, or a limit that is too low",
                engine.max_events
            ),
        ),
        Cause::TooManyThreads => {
            (FailureKind::TooManyThreads, format!("an execution has more than {} threads", crate::MAX_THREADS))
        }
    }
}

fn describe_conflict(conflict: &Conflict, trace: &Trace<'_>) -> (FailureKind, String) {
    let (a, b) = (trace.describe(conflict.earlier), trace.describe(conflict.later));
    let (kind, what) = match conflict.clash {
        Clash::Race => (FailureKind::Race, "data race, nothing orders"),
        Clash::Unallocated => (FailureKind::Unallocated, "use not ordered after the allocation"),
        Clash::UseAfterFree => (FailureKind::UseAfterFree, "use after free, or not ordered before it"),
        Clash::DoubleFree => (FailureKind::DoubleFree, "memory freed twice"),
        Clash::Uninitialized => (FailureKind::Uninitialized, "read of what nothing has written"),
    };
    (kind, format!("{what}:\n  {a}\n  {b}"))
}

/// The threads that wait, and the reads that would have to change.
fn describe_waits(engine: &Engine, trace: &Trace<'_>) -> String {
    let graph = &engine.explorer.graph;
    let mut message = String::from("a wait that nothing in this execution ends:");
    for &thread in &engine.born {
        if engine.threads[thread].state != State::Blocked {
            continue;
        }
        message += &format!("\n  {} waits, having read the last value of each:", thread_name(thread));
        for index in engine.threads[thread].round..graph.len(thread) {
            let id = EventId::new(thread, index);
            if graph.event(id).label.kind == Kind::Read {
                message += &format!("\n    {}", trace.describe(id));
            }
        }
    }
    message
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n\n{}", self.message, self.trace)?;
        writeln!(f, "replay string: {}", self.replay)?;
        match std::thread::current().name() {
            Some(name) if name != "main" => {
                write!(f, "to replay: {REPLAY}='{}' cargo test -- --exact {name}", self.replay)
            }
            _ => write!(f, "to replay: Config::replay, or {REPLAY}='{}'", self.replay),
        }
    }
}

impl std::error::Error for Failure {}
