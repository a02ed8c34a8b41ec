//! Recording the calls of an execution, with the calls that happened before each.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::record::{Call, MAX_CALLS, Record};
use super::spec::Spec;
use crate::graph::clock::Clock;
use crate::graph::event::{Event, EventId, Site};
use crate::runtime::driver::{ask, inside};
use crate::runtime::engine::Engine;
use crate::runtime::state::thread_name;

/// The calls that one execution makes on an object, and the specification of the object.
///
/// A client creates it inside the model's closure, shares it among its threads by [`std::sync::Arc`], records calls
/// with [`call`](Self::call), and ends with [`check`](Self::check). The [module](super) has an example.
pub struct History<S: Spec> {
    spec: S,
    log: Mutex<Log<S>>,
}

struct Log<S: Spec> {
    /// The calls that have returned; those of one thread in their order.
    calls: Vec<Recorded<S>>,
    /// The threads that are inside a call.
    open: Vec<usize>,
}

/// A call that has returned.
struct Recorded<S: Spec> {
    span: Span,
    input: S::Input,
    output: S::Output,
}

/// Where a call began, and where it returned.
struct Span {
    begin: Moment,
    end: Moment,
}

/// A point between two events of a thread.
struct Moment {
    thread: usize,
    /// The number of events of the thread.
    position: usize,
    /// The events that happen before this point.
    known: Clock,
    /// Tells the last event from another one that takes its place when a round of a wait is done again.
    last: Option<(u32, Site)>,
}

impl Moment {
    /// Returns the point at which the calling thread is.
    fn now() -> Self {
        ask(|engine| {
            let (thread, position) = (engine.current, engine.position());
            let graph = &engine.explorer.graph;
            // Before its first event, a thread knows what its creator knew.
            let known = graph.before(EventId::new(thread, position)).map_or(Clock::EMPTY, |event| event.hb);
            Self { thread, position, known, last: event_before(&graph.threads[thread], position) }
        })
    }
}

fn event_before(events: &[Event], position: usize) -> Option<(u32, Site)> {
    let event = events.get(position.checked_sub(1)?)?;
    Some((event.stamp, event.label.site))
}

impl Span {
    /// Returns the event after which a call that ends here is over: its last one or, if it has none, the next
    /// one of its thread.
    fn close(&self) -> EventId {
        let (begin, end) = (self.begin.position, self.end.position);
        EventId::new(self.end.thread, if begin < end { end - 1 } else { end })
    }

    fn is_over_at(&self, moment: &Moment) -> bool {
        self.end.thread == moment.thread || moment.known.contains(self.close())
    }

    /// Whether the call is another thread's, or returned before this point.
    fn is_kept_at(&self, begin: &Moment) -> bool {
        self.end.thread != begin.thread || self.end.position <= begin.position
    }

    /// Whether the last event of the call is in the execution still.
    fn is_in(&self, engine: &Engine) -> bool {
        let Moment { thread, position, last, .. } = &self.end;
        *position <= engine.threads[*thread].position
            && *last == event_before(&engine.explorer.graph.threads[*thread], *position)
    }
}

impl<S: Spec> Recorded<S> {
    fn describe(&self) -> String {
        format!("{}: {:?} -> {:?}", thread_name(self.span.begin.thread), self.input, self.output)
    }
}

impl<S: Spec> History<S> {
    /// Makes an empty history, of an object in the state `spec`.
    ///
    /// # Panics
    ///
    /// Outside of a model: a history belongs to one execution.
    #[must_use]
    pub fn new(spec: S) -> Self {
        assert!(inside(), "a History belongs to one execution: create it inside the model's closure");
        Self { spec, log: Mutex::new(Log { calls: Vec::new(), open: Vec::new() }) }
    }

    /// Makes a call on the object, by `operation`, records it as `input`, and returns its result.
    ///
    /// It costs no events and no executions. Everything that the operation does belongs to the call, so a
    /// wait for the object to be ready should stand outside, unless the object itself waits.
    ///
    /// # Panics
    ///
    /// If the operation records a call itself, or if there are [`MAX_CALLS`] calls already.
    pub fn call(&self, input: S::Input, operation: impl FnOnce() -> S::Output) -> S::Output {
        let begin = self.begin(&input);
        // No lock may be held while other threads run.
        let output = operation();
        self.end(begin, input, output.clone());
        output
    }

    fn begin(&self, input: &S::Input) -> Moment {
        let begin = Moment::now();
        let mut log = self.log();
        assert!(!log.open.contains(&begin.thread), "a recorded call makes another one: {input:?}");
        log.open.push(begin.thread);
        // Calls that this thread recorded beyond its present point belong to a round that the model took
        // back.
        log.calls.retain(|call| call.span.is_kept_at(&begin));
        assert!(log.calls.len() < MAX_CALLS, "a history has at most {MAX_CALLS} calls: make the client smaller");
        begin
    }

    fn end(&self, begin: Moment, input: S::Input, output: S::Output) {
        let end = Moment::now();
        let mut log = self.log();
        log.open.retain(|&thread| thread != end.thread);
        log.calls.push(Recorded { span: Span { begin, end }, input, output });
    }

    /// Checks that the specification allows some order of the calls of this execution.
    ///
    /// Threads that made calls have been joined.
    ///
    /// # Panics
    ///
    /// If there is no such order, with the calls as a table. Also if a call is not over, that is, if it does
    /// not happen before the check.
    #[track_caller]
    pub fn check(&self) {
        if let Err(error) = self.record().linearization() {
            panic!("{error}");
        }
    }

    /// Returns the calls of this execution so far, in an order that does not depend on the model's.
    ///
    /// # Panics
    ///
    /// If a call is not over.
    #[track_caller]
    #[must_use]
    pub fn record(&self) -> Record<S> {
        let now = Moment::now();
        self.forget_taken_back();
        let log = self.log();
        if let Some(&thread) = log.open.first() {
            panic!("{} is inside of a call: join it before the check", thread_name(thread));
        }
        if let Some(call) = log.calls.iter().find(|call| !call.span.is_over_at(&now)) {
            panic!("this call does not happen before the check: {}\njoin its thread first", call.describe());
        }
        in_order(self.spec.clone(), &log.calls)
    }

    /// Drops the calls whose events are gone, because the model took back the round of a wait in which they
    /// were.
    fn forget_taken_back(&self) {
        ask(|engine| self.log().calls.retain(|call| call.span.is_in(engine)));
    }

    fn log(&self) -> MutexGuard<'_, Log<S>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the calls as a record. If there is a choice, the thread with the lowest number goes first, so that
/// every way to run an execution gives one record.
fn in_order<S: Spec>(spec: S, calls: &[Recorded<S>]) -> Record<S> {
    let spans: Vec<&Span> = calls.iter().map(|call| &call.span).collect();
    let mut record = Record::new(spec);
    for (next, before) in order(&spans) {
        let Recorded { span, input, output } = &calls[next];
        record.push(Call { thread: span.begin.thread, input: input.clone(), output: output.clone(), before });
    }
    record
}

/// Returns the indices of the spans in the record's order. The set beside each has the places of those before it.
///
/// It is not generic: it runs at the end of each execution, and generic code is compiled with the clients, without
/// optimisation.
fn order(spans: &[&Span]) -> Vec<(usize, u64)> {
    let before: Vec<u64> = (0..spans.len()).map(|span| all_before(spans, span)).collect();
    let mut order: Vec<(usize, u64)> = Vec::with_capacity(spans.len());
    let mut done = 0_u64;
    while order.len() < spans.len() {
        let next = (0..spans.len())
            .filter(|&span| done & 1 << span == 0 && before[span] & !done == 0)
            .min_by_key(|&span| (spans[span].begin.thread, span));
        let Some(next) = next else { unreachable!("happens-before has no cycles") };
        let earlier = order.iter().enumerate().filter(|&(_, &(earlier, _))| before[next] & 1 << earlier != 0);
        let places = earlier.fold(0, |set, (place, _)| set | 1 << place);
        order.push((next, places));
        done |= 1 << next;
    }
    order
}

/// Returns the spans before one of them, as a set of indices.
fn all_before(spans: &[&Span], later: usize) -> u64 {
    let begin = &spans[later].begin;
    let is_before = |earlier: usize| {
        let span = spans[earlier];
        if span.end.thread == begin.thread { earlier < later } else { span.is_over_at(begin) }
    };
    (0..spans.len()).filter(|&earlier| is_before(earlier)).fold(0, |set, earlier| set | 1 << earlier)
}

impl<S: Spec> fmt::Debug for History<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("History").field("spec", &self.spec).finish_non_exhaustive()
    }
}
