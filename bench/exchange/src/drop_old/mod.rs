//! Queues in drop-old mode, in three workloads.
//!
//! - `written`: producers write as fast as they can. `drop-old.written` is their rate,
//!   `drop-old.slowdown` the share of it that a reader takes away, `drop-old.read` the share of
//!   items that the reader gets.
//! - `complex`: likewise, with the BBQ paper's complex workload (section 6.1): a producer allocates
//!   memory for each item and frees it, and each thread pauses for up to a hundred instructions at
//!   each operation. Items are plain words, because no thread would free the items that a drop-old
//!   queue drops.
//! - `profiling`: each producer writes 10,000 items a second, and a reader takes 1,000 a second.
//!   `drop-old.profiling.push` is the time of a write: the cost of noting an action for a program.
//!
//! Each run is made twice, without a reader and with one, and checked: every item read is of its
//! producer and newer than the producer's last one, and the items read and lost add up to those
//! written, if the queue counts them.
//!
//! If there are fewer cores than threads, a reader takes time from producers, with any queue. So a
//! producer's rate is taken over the time for which it had a core.

mod advice;
mod kind;
mod manner;
mod plan;
#[cfg(feature = "published")]
mod published;
mod run;

use std::sync::atomic::AtomicBool;

use aqueduct_measure::machine;
use aqueduct_measure::rounds::{self, Cell, Findings, Observer, Outlook, check_side, check_sizes};

pub use advice::GUIDE;
pub use kind::{Ends, Kind, Reader, Writer};
pub use plan::{Experiment, Plan};
pub use run::{Writing, Written, write_and_read};

/// Returns the extent of the plan, and measures nothing.
///
/// # Errors
/// A sentence that names the error of the plan.
pub fn outlook(plan: &Plan) -> Result<Outlook, String> {
    Outlook::of(&cells(plan, &machine::cores(&plan.cores)?)?, plan.pace)
}

/// Returns the workloads of the plan, if they are possible.
fn cells(plan: &Plan, cores: &[usize]) -> Result<Vec<Cell<'static>>, String> {
    Experiment::check_built(&plan.experiments)?;
    check_sizes(plan.capacity, &plan.batches)?;
    plan.producers.iter().copied().try_for_each(|side| check_side("producers", side))?;
    Ok(run::cells(plan, cores))
}

/// Runs the plan's measurements.
///
/// # Errors
/// A sentence that names the error of the plan.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    let cores = machine::cores(&plan.cores)?;
    let mut findings = rounds::measure(cells(plan, &cores)?, plan.pace, stop, observer)?;
    let most = plan.producers.iter().max().map_or(0, |most| most + 1);
    let cores = cores.len();
    if most > cores {
        findings.notes.push(format!(
            "up to {most} threads shared {cores} cores; a producer's rate is over the time for which it had one, but a reader \
             that has none meanwhile reads nothing"
        ));
    }
    Ok(findings)
}
