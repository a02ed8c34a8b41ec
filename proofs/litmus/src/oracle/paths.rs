//! Control paths and reads-from: every way for the threads to run, each read taking any write that
//! is present.
//!
//! Writes and fences are added as soon as their thread reaches them, which removes no source of any
//! read. So only reads branch: which thread reads next, and from which write. Different orders of
//! reads lead to one partial execution; the search follows it once.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::axioms::{Event, EventKind, Skeleton};
use super::orders;
use super::relation::{CAPACITY, Relation};
use super::{Execution, Question, TooBig};
use crate::ast::{MemoryOrder, Program};
use crate::machine::{Action, Code, Machine};
use crate::outcome::{FinalState, Model, ReleaseSequences};

/// A visitor of each consistent execution; `Break` ends the search.
pub(super) type Visitor<'v> = dyn FnMut(&Execution) -> ControlFlow<()> + 'v;

/// The source of each read of each thread, and whether it stored: enough to identify a partial
/// execution.
type Choices = Vec<Vec<(Option<usize>, usize, bool)>>;

/// Runs the search and passes every consistent execution, complete or blocked, to `visit`.
///
/// With `values_read`, only reads of exactly these values, per thread in program order, are
/// followed.
pub(super) fn search(
    program: &Program,
    code: &Code,
    question: &Question,
    values_read: Option<&[Vec<i32>]>,
    visit: &mut Visitor<'_>,
) -> Result<(), TooBig> {
    let mut search = Search { program, code, question, values_read, visit, seen: HashSet::new(), complete: 0 };
    match search.explore(Partial::start(program, code, question.model)) {
        Ok(()) | Err(Stop::Visitor) => Ok(()),
        Err(Stop::TooBig(error)) => Err(error),
    }
}

enum Stop {
    Visitor,
    TooBig(TooBig),
}

struct Search<'s, 'v> {
    program: &'s Program,
    code: &'s Code,
    question: &'s Question,
    values_read: Option<&'s [Vec<i32>]>,
    visit: &'s mut Visitor<'v>,
    seen: HashSet<Choices>,
    /// The number of complete executions so far.
    complete: usize,
}

/// A partial execution: a prefix of each thread.
#[derive(Debug, Clone)]
pub(super) struct Partial {
    machines: Vec<Machine>,
    pub(super) events: Vec<Event>,
    /// The number of each event within its thread, or within the initial writes.
    numbers: Vec<usize>,
    pub(super) reads_from: Vec<Option<usize>>,
    /// Pairs of the two halves of a read-modify-write.
    rmw: Vec<(usize, usize)>,
    choices: Choices,
    spurious: u32,
    model: Model,
}

impl Partial {
    fn start(program: &Program, code: &Code, model: Model) -> Partial {
        let threads = code.thread_count();
        let mut partial = Partial {
            machines: (0..threads).map(|thread| Machine::new(code, thread)).collect(),
            events: Vec::new(),
            numbers: Vec::new(),
            reads_from: Vec::new(),
            rmw: Vec::new(),
            choices: vec![Vec::new(); threads],
            spurious: 0,
            model,
        };
        for (index, location) in program.locations.iter().enumerate() {
            partial.push(Event {
                thread: None,
                line: 0,
                kind: EventKind::Write,
                location: Some(index),
                value: location.initial,
                order: None,
            });
        }
        partial
    }

    fn push(&mut self, event: Event) -> usize {
        self.numbers.push(self.events.iter().filter(|other| other.thread == event.thread).count());
        self.events.push(event);
        self.reads_from.push(None);
        self.events.len() - 1
    }

    fn push_of(
        &mut self,
        code: &Code,
        thread: usize,
        kind: EventKind,
        place: (Option<usize>, i32),
        order: Option<MemoryOrder>,
    ) -> usize {
        let line = self.machines[thread].line(code);
        // Under SC no access is weaker than another; the orders still distinguish atomic accesses
        // from plain ones.
        let order = match self.model {
            Model::Rc11 => order,
            Model::Sc => order.map(|_| MemoryOrder::SeqCst),
        };
        self.push(Event { thread: Some(thread), line, kind, location: place.0, value: place.1, order })
    }

    /// Adds all writes and fences that come next in some thread.
    fn run_to_reads(&mut self, code: &Code) {
        for thread in 0..self.machines.len() {
            loop {
                match self.machines[thread].action(code) {
                    Action::Store { location, value, order } => {
                        self.push_of(code, thread, EventKind::Write, (Some(location), value), order);
                    }
                    Action::Fence(order) => {
                        self.push_of(code, thread, EventKind::Fence, (None, 0), Some(order));
                    }
                    _ => break,
                }
                self.machines[thread].answer(code, 0, false);
            }
        }
    }

    /// Returns the location that `thread` reads next, if its next step is a read.
    fn location_read(&self, code: &Code, thread: usize) -> Option<usize> {
        match self.machines[thread].action(code) {
            Action::Load { location, .. } | Action::Rmw { location, .. } | Action::CompareExchange { location, .. } => {
                Some(location)
            }
            _ => None,
        }
    }

    /// Returns this execution with the pending read of `thread` from `source`, or `None` if that is
    /// impossible.
    ///
    /// `stores` is true if the read also writes, where the program allows both.
    fn read(&self, code: &Code, thread: usize, source: usize, stores: bool) -> Option<Partial> {
        let mut next = self.clone();
        let value = self.events[source].value;
        let (order, written) = match self.machines[thread].action(code) {
            Action::Load { order, .. } => (order, None),
            Action::Rmw { op, operand, order, .. } => (Some(order), Some(op.apply(value, operand))),
            Action::CompareExchange { expected, desired, cas, .. } if value == expected => {
                if stores {
                    (Some(cas.success), Some(desired))
                } else {
                    next.spurious += 1;
                    (Some(cas.failure), None)
                }
            }
            Action::CompareExchange { cas, .. } => (Some(cas.failure), None),
            other => unreachable!("{other:?} reads nothing"),
        };
        if stores != written.is_some() {
            return None;
        }
        let location = self.events[source].location;
        let read = next.push_of(code, thread, EventKind::Read, (location, value), order);
        next.reads_from[read] = Some(source);
        if let Some(written) = written {
            let write = next.push_of(code, thread, EventKind::Write, (location, written), order);
            next.rmw.push((read, write));
        }
        next.choices[thread].push((self.events[source].thread, self.numbers[source], stores));
        next.machines[thread].answer(code, value, stores);
        Some(next)
    }

    /// Returns the graph so far, without modification orders.
    pub(super) fn skeleton(&self, release_sequences: ReleaseSequences) -> Skeleton {
        let size = self.events.len();
        let thread = |event: usize| self.events[event].thread;
        let before = |a: usize, b: usize| match (thread(a), thread(b)) {
            // Initial values precede all events.
            (None, Some(_)) => true,
            (Some(x), Some(y)) => x == y && self.numbers[a] < self.numbers[b],
            (_, None) => false,
        };
        let pairs = (0..size).flat_map(|a| (0..size).map(move |b| (a, b)));
        let sb = Relation::from_pairs(size, pairs.filter(|(a, b)| before(*a, *b)));
        let reads = self.reads_from.iter().enumerate();
        let rf = Relation::from_pairs(size, reads.filter_map(|(read, source)| Some(((*source)?, read))));
        let rmw = Relation::from_pairs(size, self.rmw.iter().copied());
        Skeleton::new(&self.events, sb, rf, rmw, release_sequences)
    }

    /// Whether some read is already impossible, whatever the modification orders.
    ///
    /// Either another write to the location lies between its source and the read, or two
    /// read-modify-writes read one write.
    fn is_hopeless(&self, skeleton: &Skeleton) -> bool {
        let hidden = |read: usize, source: usize| {
            (0..self.events.len()).any(|other| {
                self.events[other].kind == EventKind::Write
                    && self.events[other].location == self.events[read].location
                    && skeleton.hb.holds(source, other)
                    && skeleton.hb.holds(other, read)
            })
        };
        let mut reads = self.reads_from.iter().enumerate();
        if reads.any(|(read, source)| source.is_some_and(|source| hidden(read, source))) {
            return true;
        }
        let mut sources: Vec<_> = self.rmw.iter().map(|(read, _)| self.reads_from[*read]).collect();
        sources.sort();
        sources.windows(2).any(|pair| pair[0] == pair[1])
    }
}

impl Search<'_, '_> {
    fn explore(&mut self, mut partial: Partial) -> Result<(), Stop> {
        partial.run_to_reads(self.code);
        if partial.events.len() > CAPACITY {
            return Err(Stop::TooBig(TooBig::Events));
        }
        if !self.seen.insert(partial.choices.clone()) {
            return Ok(());
        }
        if self.seen.len() > self.question.limits.partial {
            return Err(Stop::TooBig(TooBig::Partial));
        }
        let skeleton = partial.skeleton(self.question.release_sequences);
        if partial.is_hopeless(&skeleton) {
            return Ok(());
        }
        let mut at_end = true;
        for thread in 0..partial.machines.len() {
            let Some(location) = partial.location_read(self.code, thread) else {
                continue;
            };
            at_end = false;
            for source in 0..partial.events.len() {
                let event = &partial.events[source];
                if event.kind != EventKind::Write || event.location != Some(location) {
                    continue;
                }
                if !self.is_wanted(&partial, thread, event.value) {
                    continue;
                }
                for stores in [false, true] {
                    if let Some(next) = self.read(&partial, thread, source, stores) {
                        self.explore(next)?;
                    }
                }
            }
        }
        if at_end { self.complete(&partial, &skeleton) } else { Ok(()) }
    }

    fn read(&self, partial: &Partial, thread: usize, source: usize, stores: bool) -> Option<Partial> {
        // A strong compare-exchange never fails on the expected value, a weak one may.
        if let Action::CompareExchange { expected, cas, .. } = partial.machines[thread].action(self.code)
            && partial.events[source].value == expected
            && !stores
            && !cas.weak
        {
            return None;
        }
        partial.read(self.code, thread, source, stores)
    }

    /// Whether `value` is the value prescribed for the next read of `thread`, if one is.
    fn is_wanted(&self, partial: &Partial, thread: usize, value: i32) -> bool {
        let next = partial.choices[thread].len();
        self.values_read.is_none_or(|values| values[thread].get(next) == Some(&value))
    }

    fn complete(&mut self, partial: &Partial, skeleton: &Skeleton) -> Result<(), Stop> {
        let blocked = partial.machines.iter().any(|machine| machine.action(self.code) == Action::Blocked);
        let race = skeleton.race(&partial.events);
        let registers: Vec<_> = partial.machines.iter().map(|machine| machine.registers(self.code).to_vec()).collect();
        let locations = self.program.locations.len();
        let mut stop = None;
        let limit = self.question.limits.complete;
        orders::each(&partial.events, locations, skeleton, self.question.model, &mut |orders, consistent| {
            self.complete += 1;
            if self.complete > limit {
                stop = Some(Stop::TooBig(TooBig::Complete));
                return ControlFlow::Break(());
            }
            if !consistent {
                return ControlFlow::Continue(());
            }
            let last = |order: &Vec<usize>| partial.events[*order.last().expect("the initial write")].value;
            let execution = Execution {
                events: partial.events.clone(),
                reads_from: partial.reads_from.clone(),
                spurious: partial.spurious,
                modification_orders: orders.to_vec(),
                state: FinalState { registers: registers.clone(), memory: orders.iter().map(last).collect() },
                blocked,
                race,
            };
            let go_on = (self.visit)(&execution);
            if go_on.is_break() {
                stop = Some(Stop::Visitor);
            }
            go_on
        });
        stop.map_or(Ok(()), Err)
    }
}
