//! An execution that shows why a condition holds or not, or where a race is: threads side by side,
//! reads with sources.
//!
//! The model checker reports the values that the threads read on the way to the state. The oracle,
//! led by these values, finds the execution's reads-from and modification orders. So both of them
//! accept the execution.

use std::fmt::{self, Display, Formatter};

use aqueduct_model::{ExecutionGraph, GraphEvent};

use super::Answered;
use crate::ast::{MemoryOrder, Program, Quantifier};
use crate::oracle::axioms::Event;
use crate::oracle::{self, Execution, Limits, Question, TooBig};
use crate::outcome::FinalState;
use crate::run::Settings;

pub(super) struct Witness<'a> {
    program: &'a Program,
    found: Result<Execution, String>,
}

impl<'a> Witness<'a> {
    /// Makes an execution that ends in `state`.
    pub(super) fn of_state(answered: &'a Answered, settings: &Settings, state: &FinalState) -> Self {
        let program = &answered.program;
        let reads = &answered.answer.reads[state];
        Witness { program, found: shown(oracle::witness(program, &question(settings), reads, state)) }
    }

    /// Makes an execution with a data race.
    pub(super) fn of_race(answered: &'a Answered, settings: &Settings) -> Self {
        let program = &answered.program;
        Witness { program, found: shown(oracle::racy_execution(program, &question(settings))) }
    }

    /// Returns the name by which other events refer to event number `index`.
    fn name(&self, events: &[Event], index: usize) -> String {
        if events[index].thread.is_none() {
            return "init".to_string();
        }
        let initial = events.iter().filter(|event| event.thread.is_none()).count();
        format!("#{}", index - initial + 1)
    }

    /// Formats one event in its thread's column: `#3 R x=1 acq <- #1`.
    fn cell(&self, execution: &Execution, index: usize) -> String {
        let source = execution.reads_from[index];
        let source = source.map_or(String::new(), |source| format!(" <- {}", self.name(&execution.events, source)));
        format!("{} {}{source}", self.name(&execution.events, index), self.action(execution, index))
    }

    /// Formats one event's action: `R x=1 acq`.
    fn action(&self, execution: &Execution, index: usize) -> String {
        let event = &execution.events[index];
        let order = event.order.map_or("plain", short);
        let Some(location) = event.location else {
            return format!("fence {order}");
        };
        let location = &self.program.locations[location].name;
        let what = if execution.reads_from[index].is_some() { 'R' } else { 'W' };
        format!("{what} {location}={} {order}", event.value)
    }

    /// Returns the execution as a graph, and its title, or `None` if there is no execution.
    pub(super) fn graph(&self) -> Option<(String, ExecutionGraph)> {
        let execution = self.found.as_ref().ok()?;
        let threads = (0..self.program.threads.len()).map(|thread| format!("P{thread}")).collect();
        let mut graph = ExecutionGraph { threads, ..ExecutionGraph::default() };
        let places = self.add_events(&mut graph, execution);
        let reads = execution.reads_from.iter().enumerate();
        let reads = reads.filter_map(|(read, source)| Some((places[(*source)?]?, places[read]?)));
        let orders = execution.modification_orders.iter();
        let orders = orders.map(|order| order.iter().filter_map(|write| places[*write]).collect());
        graph.connect(&reads.collect::<Vec<_>>(), &orders.collect::<Vec<_>>());
        let title = format!("{}: {}", self.program.name, self.title(execution));
        match execution.race.and_then(|(first, second)| Some((places[first]?, places[second]?))) {
            Some((first, second)) => graph.mark_conflict(first, second),
            None => _ = graph.mark_cycle(),
        }
        Some((title, graph))
    }

    /// Adds the events to a graph, and the initial values that are read. Returns the index of each.
    fn add_events(&self, graph: &mut ExecutionGraph, execution: &Execution) -> Vec<Option<usize>> {
        let reader = |index: usize| execution.reads_from.iter().position(|source| *source == Some(index));
        let mut places = vec![None; execution.events.len()];
        for (index, event) in execution.events.iter().enumerate() {
            let initial = event.thread.is_none();
            let Some(thread) = event.thread.or_else(|| execution.events[reader(index)?].thread) else { continue };
            places[index] = Some(graph.events.len());
            let location = event.location.map_or("", |location| self.program.locations[location].name.as_str());
            graph.events.push(GraphEvent {
                name: if initial { format!("{location} at first") } else { self.name(&execution.events, index) },
                thread,
                text: if initial { format!("{location} = {}", event.value) } else { self.action(execution, index) },
                place: if event.line > 0 { format!("line {}", event.line) } else { String::new() },
                initial,
                marked: false,
            });
        }
        places
    }

    fn write_threads(&self, f: &mut Formatter<'_>, execution: &Execution) -> fmt::Result {
        let columns: Vec<Vec<String>> = (0..self.program.threads.len())
            .map(|thread| {
                let own = |index: &usize| execution.events[*index].thread == Some(thread);
                (0..execution.events.len()).filter(own).map(|index| self.cell(execution, index)).collect()
            })
            .collect();
        let widths: Vec<usize> =
            columns.iter().map(|column| column.iter().map(String::len).max().unwrap_or(0).max(2)).collect();
        let longest = columns.iter().map(Vec::len).max().unwrap_or(0);
        let titles = (0..columns.len()).map(|thread| format!("P{thread}")).collect();
        let rows =
            (0..longest).map(|row| columns.iter().map(|column| column.get(row).cloned().unwrap_or_default()).collect());
        for row in std::iter::once(titles).chain(rows) {
            let row: Vec<String> = row;
            let line =
                row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect::<Vec<_>>().join("  |  ");
            writeln!(f, "  {}", line.trim_end())?;
        }
        Ok(())
    }

    /// Returns the title of the execution.
    fn title(&self, execution: &Execution) -> String {
        if let Some((first, second)) = execution.race {
            let cell =
                |event: usize| format!("{} (line {})", self.cell(execution, event), execution.events[event].line);
            return format!("nothing orders {} and {}", cell(first), cell(second));
        }
        match self.program.condition.quantifier {
            Quantifier::Exists => "witness".to_owned(),
            Quantifier::Forall | Quantifier::NotExists => "counterexample".to_owned(),
        }
    }

    fn write_modification_orders(&self, f: &mut Formatter<'_>, execution: &Execution) -> fmt::Result {
        let all = self.program.locations.iter().zip(&execution.modification_orders);
        // The order of one write after the initial one is obvious.
        for (location, order) in all.filter(|(_, order)| order.len() > 2) {
            let writes: Vec<String> = order.iter().map(|write| self.name(&execution.events, *write)).collect();
            writeln!(f, "  modification order of {}: {}", location.name, writes.join(", "))?;
        }
        Ok(())
    }
}

impl Display for Witness<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.found {
            Ok(execution) => {
                writeln!(f, "{}:", self.title(execution))?;
                self.write_threads(f, execution)?;
                self.write_modification_orders(f, execution)
            }
            Err(error) => writeln!(f, "no execution to show: {error}"),
        }
    }
}

fn question(settings: &Settings) -> Question {
    Question {
        model: settings.model,
        release_sequences: settings.release_sequences,
        loop_bound: settings.loop_bound,
        limits: Limits { partial: 50_000, complete: 100_000 },
    }
}

fn shown(found: Result<Option<Execution>, TooBig>) -> Result<Execution, String> {
    match found {
        Ok(Some(execution)) => Ok(execution),
        Ok(None) => Err("the oracle finds none, which is a bug of one of the two: please report it".to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn short(order: MemoryOrder) -> &'static str {
    match order {
        MemoryOrder::Relaxed => "rlx",
        MemoryOrder::Acquire => "acq",
        MemoryOrder::Release => "rel",
        MemoryOrder::AcqRel => "acq_rel",
        MemoryOrder::SeqCst => "sc",
    }
}
