//! Recording the calls of an execution, with the calls that happened before each.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::clients::Unexplained;
use super::record::{Call, MAX_CALLS, Record};
use super::spec::Spec;
use crate::graph::clock::Clock;
use crate::graph::event::{Event, EventId, Site};
use crate::graph::extended::{Flag, Point};
use crate::runtime::driver::{ask, inside};
use crate::runtime::engine::Engine;
use crate::runtime::state::thread_name;

/// The calls that one execution makes on an object, and the specification of the object.
///
/// A client creates it inside the model's closure, shares it among its threads by
/// [`std::sync::Arc`], records calls with [`call`](Self::call), and ends with
/// [`check`](Self::check). The [module](super) has an example.
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

/// The points at which a call began and returned.
#[derive(Clone, Copy)]
struct Span {
    begin: Moment,
    end: Moment,
}

/// A point between two events of a thread.
#[derive(Clone, Copy)]
struct Moment {
    thread: usize,
    /// The number of events of the thread.
    position: usize,
    /// The events that happen before this point.
    known: Clock,
    /// The stamp and site of the last event. They differ for an event that takes its place when a
    /// round of a wait is done again.
    last: Option<(u32, Site)>,
}

impl Moment {
    /// Returns the calling thread's present point.
    fn now() -> Self {
        ask(|engine| {
            let thread = engine.current;
            let position = engine.threads[thread].position;
            let graph = &engine.explorer.graph;
            // Before its first event, a thread has its creator's clock.
            let known = graph.before(EventId::new(thread, position)).map_or(Clock::EMPTY, |event| event.hb);
            // In a loop on trial, events of the thread are to come that happen after the same ones.
            Self { thread, position: engine.position(), known, last: engine.last_event() }
        })
    }
}

fn event_before(events: &[Event], position: usize) -> Option<(u32, Site)> {
    let event = events.get(position.checked_sub(1)?)?;
    Some((event.stamp, event.label.site))
}

impl Span {
    /// Returns the event that completes a call: its last one or, if it has none, the next one of
    /// its thread.
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
    /// It costs no events and no executions. Everything that the operation does belongs to the
    /// call, so a wait for the object to be ready should stand outside, unless the object itself
    /// waits.
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
        // Calls that this thread recorded beyond its present point belong to a round that the model
        // took back.
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
    /// If there is no such order, with the calls as a table. Also if a call is not over, that is,
    /// if it does not happen before the check.
    #[track_caller]
    pub fn check(&self) {
        if let Err(error) = self.record().linearization() {
            panic!("{error}");
        }
    }

    /// Checks that the specification allows some order of the calls of this execution, also in
    /// clients that order calls further.
    ///
    /// Two calls of different threads that overlap here come one after the other in a client whose
    /// threads synchronize between them, or in which one thread makes both. Wherever the memory
    /// model allows this execution to such a client, there must be an order of the calls that
    /// respects its order, too. So a client in which each call has a thread of its own stands for
    /// all that make these calls, in whatever order and by whatever threads: it is *the most
    /// general client*. The [module](super) has an example.
    ///
    /// It costs no executions; for each pair of calls that overlap, about as much time as an
    /// execution takes.
    ///
    /// # Panics
    ///
    /// As [`check`](Self::check), and if there is such a client without such an order; the message
    /// has its order of the calls.
    #[track_caller]
    pub fn check_for_every_client(&self) {
        let (record, spans) = self.record_with_spans();
        if let Err(error) = record.linearization() {
            panic!("{error}");
        }
        let point = |call: usize, moment: &Moment, rank: usize| Point {
            thread: moment.thread,
            position: moment.position,
            rank: 2 * call + rank,
        };
        let flag = |&(first, second): &(usize, usize)| Flag {
            raised: point(first, &spans[first].end, 1),
            seen: point(second, &spans[second].begin, 0),
        };
        let past = ask(|engine| past_of(engine, engine.current, engine.threads[engine.current].position));
        let allows = |pairs: &[(usize, usize)]| {
            let flags: Vec<Flag> = pairs.iter().map(flag).collect();
            ask(|engine| engine.explorer.graph.allows(&past, &flags))
        };
        if let Some(Unexplained { pairs, error }) = record.unexplained(&allows) {
            let orders: Vec<String> =
                pairs.iter().map(|(first, second)| format!("call {first} before call {second}")).collect();
            panic!("in a client that orders more ({}), {error}", orders.join(", "));
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
        self.record_with_spans().0
    }

    /// Returns the record, and the spans of its calls.
    #[track_caller]
    fn record_with_spans(&self) -> (Record<S>, Vec<Span>) {
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

    /// Drops the calls whose events no longer exist, because the model took back their round of a
    /// wait.
    fn forget_taken_back(&self) {
        ask(|engine| self.log().calls.retain(|call| call.span.is_in(engine)));
    }

    fn log(&self) -> MutexGuard<'_, Log<S>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the calls as a record, and their spans. If there is a choice, the thread with the lowest
/// number goes first, so that every way to run an execution gives one record.
fn in_order<S: Spec>(spec: S, calls: &[Recorded<S>]) -> (Record<S>, Vec<Span>) {
    let spans: Vec<&Span> = calls.iter().map(|call| &call.span).collect();
    let mut record = Record::new(spec);
    let mut in_order = Vec::with_capacity(calls.len());
    for Place { span, before, known } in order(&spans) {
        let Recorded { span, input, output } = &calls[span];
        record.push(Call { thread: span.begin.thread, input: input.clone(), output: output.clone(), before, known });
        in_order.push(*span);
    }
    (record, in_order)
}

/// Returns the events before an event in program order and reads-from.
fn past_of(engine: &Engine, thread: usize, position: usize) -> Clock {
    engine.explorer.graph.before(EventId::new(thread, position)).map_or(Clock::EMPTY, |event| event.porf)
}

/// The place of a span in the record's order.
struct Place {
    /// The index of the span.
    span: usize,
    /// The places of the spans before it, as a set.
    before: u64,
    /// The places of the spans that happen before it.
    known: u64,
}

/// Returns the places of the spans in the record's order.
///
/// It is not generic: it runs at the end of each execution, and generic code is compiled with the
/// clients, without optimisation.
fn order(spans: &[&Span]) -> Vec<Place> {
    let set = |of: fn(&[&Span], usize, usize) -> bool, later: usize| {
        (0..spans.len()).filter(|&earlier| of(spans, earlier, later)).fold(0_u64, |set, earlier| set | 1 << earlier)
    };
    let before: Vec<u64> = (0..spans.len()).map(|span| set(is_before, span)).collect();
    let mut order: Vec<usize> = Vec::with_capacity(spans.len());
    let mut done = 0_u64;
    while order.len() < spans.len() {
        let next = (0..spans.len())
            .filter(|&span| done & 1 << span == 0 && before[span] & !done == 0)
            .min_by_key(|&span| (spans[span].begin.thread, span));
        let Some(next) = next else { unreachable!("happens-before has no cycles") };
        order.push(next);
        done |= 1 << next;
    }
    let places = |set: u64| {
        let members = order.iter().enumerate().filter(|&(_, &span)| set & 1 << span != 0);
        members.fold(0_u64, |places, (place, _)| places | 1 << place)
    };
    let place =
        |&span: &usize| Place { span, before: places(before[span]), known: places(before[span] | set(is_known, span)) };
    order.iter().map(place).collect()
}

fn is_before(spans: &[&Span], earlier: usize, later: usize) -> bool {
    let (span, begin) = (spans[earlier], &spans[later].begin);
    if span.end.thread == begin.thread { earlier < later } else { span.is_over_at(begin) }
}

/// Whether the events before a span happen before those after a later span: its first event does.
fn is_known(spans: &[&Span], earlier: usize, later: usize) -> bool {
    let (begin, end) = (&spans[earlier].begin, &spans[later].end);
    begin.thread != end.thread && end.known.count(begin.thread) > begin.position
}

impl<S: Spec> fmt::Debug for History<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("History").field("spec", &self.spec).finish_non_exhaustive()
    }
}
