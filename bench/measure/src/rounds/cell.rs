//! One workload with one queue.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use super::Fault;
use super::follow::Row;
use crate::names::{Bench, Queue};
use crate::record::{Place, Placement, Record, Role};
use crate::unit::Unit;

/// Operations of a cell's first run, by default.
const FIRST: u64 = 10_000;

/// Does a number of operations on a fresh queue.
type Run<'a> = Box<dyn Fn(u64) -> Result<Measured, Fault> + 'a>;

/// One workload with one queue.
pub struct Cell<'a> {
    /// The workload with all its parameters, in words.
    pub words: String,
    /// The queue's name.
    pub queue: Cow<'a, str>,
    /// The name in records, if it is more than the queue's name: with the division of the queue, or
    /// the policy of its use.
    pub recorded_as: Option<Queue>,
    /// The origin of the queue.
    pub role: Role,
    /// The place of its figures.
    pub place: Place,
    /// The cores of its threads.
    pub placement: Placement,
    /// Operations of the first run, which finds the number of operations that fill a slice.
    pub first: u64,
    /// Does a number of operations on a fresh queue.
    pub run: Run<'a>,
}

impl<'a> Cell<'a> {
    /// Makes a workload with this description.
    pub fn new(
        words: String,
        queue: impl Into<Cow<'a, str>>,
        role: Role,
        place: Place,
        run: impl Fn(u64) -> Result<Measured, Fault> + 'a,
    ) -> Self {
        let (queue, placement, run) = (queue.into(), Placement::default(), Box::new(run));
        Self { words, queue, recorded_as: None, role, place, placement, first: FIRST, run }
    }

    /// Returns the cell with this placement of its threads.
    #[must_use]
    pub fn on(self, placement: Placement) -> Self {
        Self { placement, ..self }
    }
}

impl fmt::Debug for Cell<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell").field("words", &self.words).field("queue", &self.queue).finish_non_exhaustive()
    }
}

/// One number of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The measured quantity.
    pub bench: Bench,
    /// Consuming threads, if they differ from the cell's.
    pub consumers: Option<usize>,
    /// Its unit.
    pub unit: Unit,
    /// The number.
    pub value: f64,
}

impl Figure {
    /// Makes a number with the cell's threads.
    pub fn new(bench: impl Into<Bench>, unit: Unit, value: f64) -> Self {
        Self { bench: bench.into(), consumers: None, unit, value }
    }
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The figures, each of another bench or other threads. A run may lack some.
    pub figures: Vec<Figure>,
    /// Operations that were done.
    pub done: u64,
    /// The time that they took.
    pub elapsed: Duration,
}

impl Measured {
    /// Operations per second.
    fn rate(&self) -> f64 {
        self.done as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// A cell, and its measurements.
pub(super) struct Runs<'a> {
    cell: Cell<'a>,
    /// Each figure with the values of all runs; the figure's own value is from its first run.
    series: Vec<(Figure, Vec<f64>)>,
    /// Operations per second in the last run.
    rate: f64,
}

impl<'a> From<Cell<'a>> for Runs<'a> {
    fn from(cell: Cell<'a>) -> Self {
        Self { cell, series: Vec::new(), rate: 0.0 }
    }
}

impl Runs<'_> {
    /// Finds the rate, by longer and longer runs until one lasts for a good part of a slice. These
    /// runs also warm up the queue's code.
    pub(super) fn calibrate(&mut self, slice: Duration) -> Result<(), Fault> {
        let mut amount = self.cell.first;
        while self.run(amount)?.elapsed < slice / 8 {
            amount = amount.saturating_mul(4);
        }
        Ok(())
    }

    /// Measures once, with as many operations as fill a slice.
    pub(super) fn measure(&mut self, slice: Duration) -> Result<(), Fault> {
        let amount = (self.rate * slice.as_secs_f64()) as u64;
        for figure in self.run(amount.max(1))?.figures {
            let is_same = |known: &Figure| (&known.bench, known.consumers) == (&figure.bench, figure.consumers);
            match self.series.iter_mut().find(|(known, _)| is_same(known)) {
                Some((_, values)) => values.push(figure.value),
                None => {
                    let values = vec![figure.value];
                    self.series.push((figure, values));
                }
            }
        }
        Ok(())
    }

    fn run(&mut self, amount: u64) -> Result<Measured, Fault> {
        let measured = (self.cell.run)(amount)?;
        self.rate = measured.rate();
        Ok(measured)
    }
}

impl Row for Runs<'_> {
    fn words(&self) -> &str {
        &self.cell.words
    }

    fn queue(&self) -> &str {
        &self.cell.queue
    }

    /// Returns a record for each figure.
    fn records(&self) -> Vec<Record> {
        let Cell { queue, recorded_as, role, place, placement, .. } = &self.cell;
        let queue = recorded_as.clone().unwrap_or_else(|| (**queue).into());
        let record = |(figure, values): &(Figure, Vec<f64>)| {
            let place = Place { consumers: figure.consumers.unwrap_or(place.consumers), ..*place };
            let mut placement = placement.clone();
            placement.consumers.truncate(figure.consumers.unwrap_or(usize::MAX));
            let record = Record::of(figure.bench.clone(), queue.clone(), *role, place, figure.unit, values.clone());
            Record { placement, ..record }
        };
        self.series.iter().map(record).collect()
    }
}
