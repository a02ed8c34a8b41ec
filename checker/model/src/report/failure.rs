//! Failures: their kinds and their texts.

use std::fmt;

use super::graph::ExecutionGraph;
use super::graph::build::Builder;
use super::trace::Trace;
use crate::buffering::BufferedLoad;
use crate::explore::script::{REPLAY, Script};
use crate::graph::clock::{Clock, MAX_THREADS};
use crate::graph::event::{EventId, Kind};
use crate::graph::{Clash, Conflict};
use crate::runtime::facts::{Cause, Facts, Said};
use crate::runtime::panics::Panic;
use crate::runtime::state::{State, thread_name};

/// The kind of an error that a check found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum FailureKind {
    /// A failed assertion or another panic.
    Panic,
    /// Two conflicting accesses, one of them not atomic, are not ordered.
    Race,
    /// Memory is used that is not allocated, or may not yet be.
    Unallocated,
    /// Memory is used after it was freed, or without an order before that.
    UseAfterFree,
    /// Memory is freed twice.
    DoubleFree,
    /// Memory is read that was never written.
    Uninitialized,
    /// Memory is never freed.
    Leak,
    /// Threads wait for each other's end.
    Deadlock,
    /// A wait loop can end by no event of the execution.
    Liveness,
    /// The program behaved differently when it was run again on the same results.
    NonDeterminism,
    /// An execution has more events than the limit.
    TooManyEvents,
    /// The program has more threads than the checker can handle.
    TooManyThreads,
    /// A thread that the checker does not run used an object of the execution: one of
    /// `std::thread::spawn`.
    UnknownThread,
    /// No execution was complete, so nothing was checked.
    Unexplored,
    /// A relaxed read could be exchanged with a later relaxed write, and the check forbids that.
    LoadBuffering,
}

/// The addition to the message of an execution that strayed.
const STRAYED: &str =
    "\n(the program is not deterministic: it went another way than before, and its replay may lead elsewhere)";

/// The reason why a program may behave differently on the same results.
const UNSEEN: &str = "it may look at what the model does not see, such as the count of a std::sync::Arc that threads share, std's \
                      atomics and locks, or a clock";

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            Kind::Read => "an atomic read",
            Kind::Write => "an atomic write",
            Kind::Fence => "a fence",
            Kind::LightFence => "a light fence",
            Kind::HeavyFence => "a heavy fence",
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
    /// The kind of error.
    pub kind: FailureKind,
    /// The message, in one or a few lines.
    pub message: String,
    /// The relevant part of the execution as a table: a row for each event, a column for each
    /// thread.
    pub trace: String,
    /// The relevant part of the execution as a graph to be drawn, with the error marked.
    pub graph: ExecutionGraph,
    /// The string by which [`Config::replay`](crate::Config::replay) runs this execution again.
    pub replay: String,
}

impl Failure {
    /// Describes the error of a run that has failed.
    pub(crate) fn of(facts: &Facts) -> Self {
        let graph = &facts.graph;
        let keep = relevant(facts);
        let trace = Trace::new(graph, &facts.allocations, &keep);
        let (kind, mut message) = describe(facts, &trace);
        let picture = draw(facts, &trace, &message);
        if facts.is_astray {
            message.push_str(STRAYED);
        }
        let replay = Script::of(graph, &keep, facts.counts_owners).to_string();
        Self { kind, message, trace: trace.table(), graph: picture, replay }
    }
}

impl Failure {
    /// Describes a pair as a failure. No execution of RC11 shows it, so there is no graph and no
    /// replay.
    pub(crate) fn of_pair(pair: &BufferedLoad) -> Self {
        let (kind, message) = (FailureKind::LoadBuffering, format!("load buffering: {pair}"));
        Self { kind, message, trace: String::new(), graph: ExecutionGraph::default(), replay: String::new() }
    }
}

/// Returns the message of an error, without its trace.
pub(crate) fn message(facts: &Facts) -> String {
    let trace = Trace::new(&facts.graph, &facts.allocations, &relevant(facts));
    describe(facts, &trace).1
}

/// Returns the graph of the trace, with its errors marked.
fn draw(facts: &Facts, trace: &Trace<'_>, message: &str) -> ExecutionGraph {
    let mut builder = Builder::new(trace);
    builder.picture.notes.push(message.to_owned());
    match &facts.cause {
        Cause::Conflict(conflict) => {
            if let (Some(earlier), Some(later)) = (builder.row(conflict.earlier), builder.row(conflict.later)) {
                builder.picture.mark_conflict(earlier, later);
            }
        }
        // The cycle explains more than the event at which it was noticed.
        Cause::Panic(_) if builder.picture.mark_cycle() => {}
        _ => {
            for id in culprits(facts) {
                if let Some(row) = builder.row(id) {
                    builder.picture.events[row].marked = true;
                }
            }
        }
    }
    builder.picture
}

/// Returns the events at which an execution failed.
fn culprits(facts: &Facts) -> Vec<EventId> {
    let graph = &facts.graph;
    let last = |thread: usize| graph.len(thread).checked_sub(1).map(|index| EventId::new(thread, index));
    match &facts.cause {
        Cause::Panic(Panic { after: Some(id), .. }) | Cause::Leak(id) => vec![*id],
        Cause::Panic(_) | Cause::NotAllocated(_) => last(facts.current).into_iter().collect(),
        Cause::Deadlock => {
            let left = facts.threads.iter().filter(|thread| thread.state != State::Done);
            left.filter_map(|thread| last(thread.number)).collect()
        }
        Cause::Liveness => waits(facts).flat_map(|(_, reads)| reads).collect(),
        _ => Vec::new(),
    }
}

/// Returns the threads that wait, with the reads of the round that failed.
fn waits(facts: &Facts) -> impl Iterator<Item = (usize, Vec<EventId>)> {
    let graph = &facts.graph;
    facts.threads.iter().filter(|thread| thread.state == State::Blocked).map(move |thread| {
        let round = (thread.round..graph.len(thread.number)).map(move |index| EventId::new(thread.number, index));
        (thread.number, round.filter(|&id| graph.event(id).label.kind == Kind::Read).collect())
    })
}

/// Returns the events on which a failure depends: the rest of the graph need not have happened.
fn relevant(facts: &Facts) -> Clock {
    let graph = &facts.graph;
    let mut keep = Clock::EMPTY;
    match &facts.cause {
        Cause::Conflict(conflict) => {
            for id in [conflict.earlier, conflict.later] {
                keep.join(&graph.event(id).porf);
            }
        }
        Cause::Panic(Panic { after: Some(id), .. }) => keep = graph.event(*id).porf,
        Cause::Panic(_) | Cause::NotAllocated(_) | Cause::NonDeterminism { .. } => {
            let thread = facts.current;
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

fn describe(facts: &Facts, trace: &Trace<'_>) -> (FailureKind, String) {
    match &facts.cause {
        Cause::Panic(panic) => {
            let place = panic.location.as_deref().unwrap_or("an unknown place");
            let thread = thread_name(facts.current);
            let message = format!("{thread} panicked at {place}:\n{}", panic.message);
            (FailureKind::Panic, message)
        }
        Cause::Conflict(conflict) => describe_conflict(conflict, trace),
        Cause::NotAllocated(said) => {
            (FailureKind::Unallocated, format!("use of memory that was never allocated: {said}"))
        }
        Cause::Leak(id) => (FailureKind::Leak, format!("memory leak: nothing frees {}", trace.describe(*id))),
        Cause::Deadlock => (FailureKind::Deadlock, "deadlock: the threads that are left join each other".to_owned()),
        Cause::Liveness => (FailureKind::Liveness, describe_waits(facts, trace)),
        Cause::NonDeterminism { before, now } => {
            let now = now.map_or("the thread waits".to_owned(), |now| now.to_string());
            let message = format!(
                "the program is not deterministic: after the same results, {} first came to {before}, \
                 and now {now}, or to another object or outcome there; {UNSEEN}",
                thread_name(facts.current)
            );
            (FailureKind::NonDeterminism, message)
        }
        Cause::ReplayStuck => (
            FailureKind::NonDeterminism,
            format!("the program is not deterministic: after the same results, it does less than before; {UNSEEN}"),
        ),
        Cause::EndedWait => (
            FailureKind::NonDeterminism,
            format!("the program is not deterministic: a wait ended that nothing in the execution ends; {UNSEEN}"),
        ),
        Cause::TooManyEvents => (
            FailureKind::TooManyEvents,
            format!(
                "an execution has more than {} events: a loop that runs away, or a limit that is too low",
                facts.max_events
            ),
        ),
        Cause::TooManyThreads => {
            (FailureKind::TooManyThreads, format!("an execution has more than {MAX_THREADS} threads"))
        }
        Cause::Outsider(site) => (
            FailureKind::UnknownThread,
            format!(
                "an object of the execution is used by a thread that the checker does not run, at {site}: \
                 start it with aqueduct_model::thread::spawn (loom::thread::spawn), not with std::thread::spawn"
            ),
        ),
        Cause::Cut => (FailureKind::Unexplored, describe_cuts(facts, trace)),
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

/// Returns the threads that wait, and the reads that would have to change.
fn describe_waits(facts: &Facts, trace: &Trace<'_>) -> String {
    let mut message = String::from("a wait that nothing in this execution ends:");
    for (thread, reads) in waits(facts) {
        message += &format!("\n  {} waits, having read the last value of each:", thread_name(thread));
        for id in reads {
            message += &format!("\n    {}", trace.describe(id));
        }
    }
    message
}

/// Describes the threads whose wait was cut.
fn describe_cuts(facts: &Facts, trace: &Trace<'_>) -> String {
    let mut message = String::new();
    for thread in facts.threads.iter().filter(|thread| thread.state == State::Cut).map(|thread| thread.number) {
        let bound = facts.yield_bound;
        message += &format!("\n  {} went on waiting after {bound} rounds (Config::yield_bound)", thread_name(thread));
        if let Some(last) = facts.graph.len(thread).checked_sub(1) {
            message += &format!(", the last of which ended with\n    {}", trace.describe(EventId::new(thread, last)));
        }
    }
    message
}

/// A failure's text, with the command that runs its test, if there is one.
#[derive(Debug)]
pub(crate) struct Told<'a>(pub(crate) &'a Failure, pub(crate) Option<String>);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(failure, command) = self;
        if failure.replay.is_empty() {
            return f.write_str(&failure.message);
        }
        writeln!(f, "{}\n\n{}", failure.message, failure.trace)?;
        writeln!(f, "replay string: {}", failure.replay)?;
        match command {
            Some(command) => write!(f, "to replay: {REPLAY}='{}' {command}", failure.replay),
            None => write!(f, "to replay: Config::replay, or {REPLAY}='{}'", failure.replay),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thread = std::thread::current();
        let test = thread.name().filter(|name| *name != "main");
        Told(self, test.map(|name| format!("cargo test -- --exact {name}"))).fmt(f)
    }
}

impl std::error::Error for Failure {}
