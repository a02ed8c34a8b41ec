//! Queues that overwrite what is not read in time: what producers lose to a reader, and how much it reads.
//!
//! Each run is made twice, without a reader and with one, and checked: every item that came is of its producer and newer than the
//! last one of it, and what was written is what was read and what was lost.
//!
//! Where there are fewer cores than threads, a reader takes time from producers whatever the queue is like. So a producer's rate is
//! taken over the time for which it had a core.

mod kind;
mod run;

use std::sync::atomic::AtomicBool;

use crate::machine;
use crate::rounds::{self, Findings, Observer, Pace};

pub use kind::{Ends, Kind, Reader, Writer};
pub use run::{Written, write_and_read};

/// What to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How many producers.
    pub producers: Vec<usize>,
    /// Whether other crates' queues take part.
    pub peers: bool,
    /// Items that a queue keeps.
    pub capacity: usize,
    /// How often and for how long.
    pub pace: Pace,
}

/// Measures what the plan asks for.
///
/// # Errors
/// A sentence that says what is wrong with the plan.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    if plan.capacity == 0 || plan.producers.contains(&0) {
        return Err("a queue keeps at least one item, and has at least one producer".to_owned());
    }
    let mut findings = rounds::measure(run::cells(plan), plan.pace, stop, observer)?;
    let most = plan.producers.iter().max().map_or(0, |most| most + 1);
    let cores = machine::usable_cores().len();
    if most > cores {
        findings.notes.push(format!(
            "up to {most} threads shared {cores} cores; a producer's rate is over the time for which it had one, but a reader \
             that has none meanwhile reads nothing"
        ));
    }
    Ok(findings)
}
