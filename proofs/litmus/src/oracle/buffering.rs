//! The oracle with load buffering: RC11 without its axiom on cycles of program order and
//! reads-from, if each such cycle has a write that nothing keeps behind an earlier read of its
//! thread.
//!
//! A write is kept behind a read of its thread if it depends on the read, belongs to the read's
//! read-modify-write, or the read acquires; it is kept behind all reads if it releases, and behind
//! all reads before a fence. The kept pairs and reads-from have no cycle, so no value comes out of
//! thin air.
//!
//! A read may take a value that is written later. So each thread is run alone with every value that
//! some write could give, and all runs are then combined in every way.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::axioms::{Event, EventKind, Skeleton};
use super::orders;
use super::relation::{CAPACITY, Relation};
use super::{Limits, Question, TooBig};
use crate::ast::{MemoryOrder, Program};
use crate::machine::dependencies::Tracked;
use crate::machine::{Action, Code};
use crate::outcome::{FinalState, Model};

/// One run of one thread, with prescribed values for its reads.
#[derive(Debug, Clone)]
struct Run {
    events: Vec<Event>,
    /// Pairs of events of this run that are kept in order.
    kept: Vec<(usize, usize)>,
    /// Pairs of the two halves of a read-modify-write.
    rmw: Vec<(usize, usize)>,
    /// The registers at the end, or `None` if a loop reached its bound.
    registers: Option<Vec<i32>>,
}

/// The greatest number of values of a location. Without a limit, a sum of a location's earlier
/// values would have no end.
const MOST_VALUES: usize = 8;

/// The values that a location may have.
type Values = BTreeMap<usize, BTreeSet<i32>>;

/// Returns the final states of all executions in which every thread reaches its end, and which have
/// a cycle of program order and reads-from. Executions without a cycle are RC11's.
///
/// # Errors
///
/// [`TooBig`] if the program exceeds a limit of the question.
pub fn states(program: &Program, question: &Question) -> Result<BTreeSet<FinalState>, TooBig> {
    let code = Code::new(program, question.loop_bound);
    let initial = program.locations.iter().enumerate();
    let mut values: Values = initial.map(|(at, location)| (at, BTreeSet::from([location.initial]))).collect();
    loop {
        let runs = (0..code.thread_count()).map(|thread| runs(&code, thread, &values, &question.limits));
        let runs = runs.collect::<Result<Vec<_>, _>>()?;
        let before: usize = values.values().map(BTreeSet::len).sum();
        for event in runs.iter().flatten().flat_map(|run| &run.events).filter(|event| event.kind == EventKind::Write) {
            let location = event.location.expect("a write has a location");
            values.entry(location).or_default().insert(event.value);
        }
        if values.values().any(|values| values.len() > MOST_VALUES) {
            return Err(TooBig::Partial);
        }
        if values.values().map(BTreeSet::len).sum::<usize>() == before {
            let mut whole = Whole { program, question, states: BTreeSet::new(), complete: 0 };
            whole.join(&runs, &mut Vec::new())?;
            return Ok(whole.states);
        }
    }
}

/// Returns every run of a thread, to its end or to a loop's bound, in which each read has one of
/// the location's values.
fn runs(code: &Code, thread: usize, values: &Values, limits: &Limits) -> Result<Vec<Run>, TooBig> {
    let mut found = Vec::new();
    let start = Run { events: Vec::new(), kept: Vec::new(), rmw: Vec::new(), registers: None };
    let mut left = vec![(Tracked::new(code, thread), start)];
    while let Some((mut tracked, mut run)) = left.pop() {
        if found.len() + left.len() > limits.partial {
            return Err(TooBig::Partial);
        }
        let depends = match tracked.action(code) {
            Action::Blocked => {
                found.push(run);
                continue;
            }
            Action::Done => {
                run.registers = Some(tracked.registers(code).to_vec());
                found.push(run);
                continue;
            }
            _ => tracked.depends_on(code),
        };
        let (location, written): (_, Box<dyn Fn(i32) -> Vec<Written>>) = match tracked.action(code) {
            Action::Fence(order) => {
                run.push(thread, EventKind::Fence, None, 0, Some(order));
                tracked.answer(code, 0, false);
                left.push((tracked, run));
                continue;
            }
            Action::Store { location, value, order } => {
                run.write(thread, location, value, order, depends);
                tracked.answer(code, 0, false);
                left.push((tracked, run));
                continue;
            }
            Action::Load { location, order } => (location, Box::new(move |_| vec![(order, None)])),
            Action::Rmw { op, location, operand, order } => {
                let order = Some(order);
                (location, Box::new(move |read| vec![(order, Some(op.apply(read, operand)))]))
            }
            Action::CompareExchange { location, expected, desired, cas } => {
                let [success, failure] = [cas.success, cas.failure].map(Some);
                let outcomes = move |read| match (read == expected, cas.weak) {
                    (true, false) => vec![(success, Some(desired))],
                    (true, true) => vec![(success, Some(desired)), (failure, None)],
                    (false, _) => vec![(failure, None)],
                };
                (location, Box::new(outcomes))
            }
            Action::Blocked | Action::Done => unreachable!("handled above"),
        };
        for &read in &values[&location] {
            for (order, written) in written(read) {
                let (mut tracked, mut run) = (tracked.clone(), run.clone());
                let at = run.push(thread, EventKind::Read, Some(location), read, order);
                if let Some(value) = written {
                    let write = run.write(thread, location, value, order, depends);
                    run.rmw.push((at, write));
                    run.kept.push((at, write));
                }
                tracked.answer(code, read, written.is_some());
                left.push((tracked, run));
            }
        }
    }
    Ok(found)
}

/// An outcome of a read: its ordering, and the value that the operation then writes.
type Written = (Option<MemoryOrder>, Option<i32>);

impl Run {
    fn push(
        &mut self,
        thread: usize,
        kind: EventKind,
        location: Option<usize>,
        value: i32,
        order: Option<MemoryOrder>,
    ) -> usize {
        self.events.push(Event { thread: Some(thread), line: 0, kind, location, value, order });
        self.events.len() - 1
    }

    /// Adds a write that depends on these reads of the thread, and notes the reads behind which it
    /// is kept.
    fn write(&mut self, thread: usize, location: usize, value: i32, order: Option<MemoryOrder>, depends: u64) -> usize {
        let write = self.push(thread, EventKind::Write, Some(location), value, order);
        let fence = self.events.iter().rposition(|event| event.kind == EventKind::Fence).unwrap_or(0);
        let releases = order.is_some_and(MemoryOrder::releases);
        let reads = self.events.iter().enumerate().filter(|(_, event)| event.kind == EventKind::Read);
        let kept = reads.enumerate().filter(|(number, (at, event))| {
            let acquires = event.order.is_some_and(MemoryOrder::acquires);
            releases || acquires || *at < fence || depends >> number & 1 == 1
        });
        let kept: Vec<_> = kept.map(|(_, (at, _))| (at, write)).collect();
        self.kept.extend(kept);
        write
    }
}

/// The search over all combinations of runs.
struct Whole<'p> {
    program: &'p Program,
    question: &'p Question,
    states: BTreeSet<FinalState>,
    complete: usize,
}

impl Whole<'_> {
    /// Joins the chosen runs with each run of the remaining threads.
    fn join<'r>(&mut self, runs: &'r [Vec<Run>], chosen: &mut Vec<&'r Run>) -> Result<(), TooBig> {
        let Some(next) = runs.get(chosen.len()) else {
            self.count()?;
            return self.read_from(chosen);
        };
        for run in next.iter().filter(|run| run.registers.is_some()) {
            chosen.push(run);
            self.join(runs, chosen)?;
            chosen.pop();
        }
        Ok(())
    }

    /// Counts an attempt, against the limit.
    fn count(&mut self) -> Result<(), TooBig> {
        self.complete += 1;
        if self.complete > self.question.limits.complete { Err(TooBig::Complete) } else { Ok(()) }
    }

    /// Tries each write of a read's value as its source.
    fn read_from(&mut self, chosen: &[&Run]) -> Result<(), TooBig> {
        let initial = self.program.locations.iter().enumerate().map(|(at, location)| Event {
            thread: None,
            line: 0,
            kind: EventKind::Write,
            location: Some(at),
            value: location.initial,
            order: None,
        });
        let mut events: Vec<Event> = initial.collect();
        let (mut kept, mut rmw) = (Vec::new(), Vec::new());
        for run in chosen {
            let base = events.len();
            let moved = |&(a, b): &(usize, usize)| (a + base, b + base);
            kept.extend(run.kept.iter().map(moved));
            rmw.extend(run.rmw.iter().map(moved));
            events.extend(run.events.iter().cloned());
        }
        if events.len() > CAPACITY {
            return Err(TooBig::Events);
        }
        let sources = |read: &Event| {
            let gives = |write: &Event| {
                write.kind == EventKind::Write && (write.location, write.value) == (read.location, read.value)
            };
            (0..events.len()).filter(|&write| gives(&events[write])).collect::<Vec<_>>()
        };
        let reads: Vec<_> = (0..events.len()).filter(|&at| events[at].kind == EventKind::Read).collect();
        let choices: Vec<_> = reads.iter().map(|&read| sources(&events[read])).collect();
        let state = chosen.iter().filter_map(|run| run.registers.clone()).collect();
        let graph = Joined { events: &events, kept: &kept, rmw: &rmw, reads: &reads, registers: state };
        self.choose(&graph, &choices, &mut Vec::new())
    }

    fn choose(&mut self, graph: &Joined<'_>, choices: &[Vec<usize>], rf: &mut Vec<usize>) -> Result<(), TooBig> {
        let Some(sources) = choices.get(rf.len()) else {
            return self.complete(graph, rf);
        };
        for &source in sources {
            rf.push(source);
            self.choose(graph, choices, rf)?;
            rf.pop();
        }
        Ok(())
    }

    /// Keeps the final states of the consistent executions.
    fn complete(&mut self, graph: &Joined<'_>, rf: &[usize]) -> Result<(), TooBig> {
        self.count()?;
        let size = graph.events.len();
        let rf = Relation::from_pairs(size, rf.iter().copied().zip(graph.reads.iter().copied()));
        let thread = |at: usize| graph.events[at].thread;
        let before =
            |a: usize, b: usize| a < b && (thread(a).is_none() && thread(b).is_some() || thread(a) == thread(b));
        let pairs = (0..size).flat_map(|a| (0..size).map(move |b| (a, b)));
        let sb = pairs.filter(|&(a, b)| before(a, b) && thread(b).is_some());
        let sb = Relation::from_pairs(size, sb);
        let rmw = Relation::from_pairs(size, graph.rmw.iter().copied());
        let kept = Relation::from_pairs(size, graph.kept.iter().copied());
        if sb.union(&rf).is_acyclic() || !kept.union(&rf).is_acyclic() {
            return Ok(());
        }
        let skeleton = Skeleton::new(graph.events, sb, rf, rmw, self.question.release_sequences);
        orders::each(graph.events, self.program.locations.len(), &skeleton, Model::Rc11, &mut |orders, consistent| {
            if consistent {
                let last = |order: &Vec<usize>| graph.events[*order.last().expect("the initial write")].value;
                let memory = orders.iter().map(last).collect();
                self.states.insert(FinalState { registers: graph.registers.clone(), memory });
            }
            ControlFlow::Continue(())
        });
        Ok(())
    }
}

/// The runs of all threads side by side.
struct Joined<'e> {
    events: &'e [Event],
    kept: &'e [(usize, usize)],
    rmw: &'e [(usize, usize)],
    reads: &'e [usize],
    registers: Vec<Vec<i32>>,
}
