//! The common parts of modules of experiments: interleaved rounds of measurements (A B C, then
//! again A B C), their findings, and the choice of measurements.
//!
//! A module has its own experiments, its queues, and a [`Cell`] for each workload with each queue;
//! [`measure`] measures them in turn. A module that measures otherwise uses `follow`.

mod cell;
mod choice;
mod experiments;
mod fault;
mod findings;
mod follow;
mod outlook;
mod table;
mod threads;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub use cell::{Cell, Figure, Measured};
pub use choice::{check_side, check_sizes, check_slice, check_threads, is_called, select};
pub use experiments::experiments;
pub use fault::Fault;
pub use findings::Findings;
pub use follow::{Course, Row, follow};
pub use follow::{Limit, Observer, Quiet};
pub use outlook::{BYTES_PER_ITEM, Outlook};
pub use outlook::{check_memory, check_memory_of, times};
pub use table::render;
pub use threads::Threads;

pub use crate::record::Place;

/// The number of rounds, and their duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The number of times that everything is measured.
    pub rounds: usize,
    /// The duration of one measurement.
    pub slice: Duration,
    /// The limit of the rounds, if there is one.
    pub limit: Option<Limit>,
}

impl Pace {
    /// Makes a plan of `rounds` rounds, without a limit.
    #[must_use]
    pub const fn new(rounds: usize, slice: Duration) -> Self {
        Self { rounds, slice, limit: None }
    }
}

/// Measures all cells in turn, in the rounds of the pace, after a round that finds the amount that
/// fills a slice.
///
/// Set `stop` from another thread (a Ctrl-C handler) to end after the present measurement; the
/// findings hold the results up to then.
///
/// # Errors
/// A sentence that names the error: no cells, or a slice of no time.
pub fn measure(
    cells: Vec<Cell<'_>>,
    pace: Pace,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Findings, String> {
    Outlook::of(&cells, pace)?;
    let course = Course { rounds: pace.rounds, limit: pace.limit };
    let rows = cells.into_iter().map(cell::Runs::from);
    Ok(follow(rows, course, stop, observer, |row, round| {
        if round == 0 { row.calibrate(pace.slice) } else { row.measure(pace.slice) }
    }))
}

#[cfg(test)]
mod tests;
