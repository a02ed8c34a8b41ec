//! One workload with one queue.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use crate::mpmc::Fault;

/// Where a figure stands in a table: threads, capacity and batch, as records have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Producing threads.
    pub producers: usize,
    /// Consuming threads.
    pub consumers: usize,
    /// Items that the queue can hold.
    pub capacity: usize,
    /// Items per call; 1 is the single-item interface.
    pub batch: usize,
}

/// One workload with one queue.
pub struct Cell {
    /// What the workload is called.
    pub bench: &'static str,
    /// The queue's name.
    pub queue: Cow<'static, str>,
    /// Whether it is somebody else's.
    pub peer: bool,
    /// Where its figures stand.
    pub place: Place,
    /// Does so many operations on a fresh queue.
    pub run: Box<dyn Fn(u64) -> Result<Measured, Fault>>,
}

impl Cell {
    /// The workload with all that tells it from others.
    pub(super) fn words(&self) -> String {
        let Place { producers, consumers, capacity, batch } = self.place;
        format!("{} {producers}x{consumers} by {batch}, capacity {capacity}", self.bench)
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell").field("words", &self.words()).field("queue", &self.queue).finish_non_exhaustive()
    }
}

/// One number of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// What it is called.
    pub bench: &'static str,
    /// Consuming threads, where they are others than the cell's.
    pub consumers: Option<usize>,
    /// Its unit.
    pub unit: &'static str,
    /// The number.
    pub value: f64,
}

/// What a run found: the same figures each time, in the same order.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The figures.
    pub figures: Vec<Figure>,
    /// Operations that were done.
    pub done: u64,
    /// The time that they took.
    pub elapsed: Duration,
}

impl Measured {
    /// Operations per second.
    pub(super) fn rate(&self) -> f64 {
        self.done as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}
