//! Queues in the patterns of programs, from the macro-benchmarks of the BBQ paper (section 6.3):
//! the submission and completion queues of `io_uring`, and the events of a Disruptor. Each run is
//! checked: every item came once and in order.
//!
//! - `exchange.io_uring`: one thread submits requests, the second takes them and confirms each at
//!   once, the third takes the confirmations; nanoseconds per request, from the first submission to
//!   the last confirmation taken. The queue of confirmations is twice as large. Batches of one, or
//!   of a random size from 1 to 32 (in tables and records as batch 0).
//! - `exchange.multicast`: producers publish events, and each consumer sees all of them, as in the
//!   Disruptor's tests 1P1C, 3P1C and 1P3C, with any number on one side; million events per second.
//!   A queue gives an item to one consumer, so for several consumers there is one queue each, and
//!   the producer pushes to all of them, as the Disruptor's authors do for the queues of their
//!   comparison. (The BBQ paper does not say how its consumers see all events.) A ring with a lock
//!   stands for Java's `BlockingQueue`; its threads wait as all others do. Consumers take the
//!   events that are there, up to 256 at once; producers publish singly or in batches.

mod advice;
mod batch;
mod blocking;
#[cfg(feature = "rivals")]
mod disruptor;
mod flow;
mod io_ring;
mod io_uring;
mod multicast;
mod multicast_cells;
#[cfg(feature = "peers")]
mod peers;
mod plan;

use std::sync::atomic::AtomicBool;

use aqueduct_measure::machine;
use aqueduct_measure::rounds::{self, Cell, Findings, Observer, Outlook, check_memory, check_side};

pub use advice::GUIDE;
pub use plan::{Experiment, Plan};

/// Returns the extent of the plan, and measures nothing.
///
/// # Errors
/// A sentence that names the error of the plan.
pub fn outlook(plan: &Plan) -> Result<Outlook, String> {
    Outlook::of(&cells(plan, &machine::cores(&plan.cores)?)?, plan.pace)
}

/// Returns the workloads of the plan, if they are possible.
fn cells(plan: &Plan, cores: &[usize]) -> Result<Vec<Cell<'static>>, String> {
    /// The least and the largest ring: a batch fits into it, and its indices into 32 bits.
    const SIZES: std::ops::RangeInclusive<usize> = 32..=1 << 24;
    Experiment::check_built(&plan.experiments)?;
    for (option, sizes) in [("submissions", &plan.submissions[..]), ("events", &[plan.events])] {
        if let Some(size) = sizes.iter().find(|size| !SIZES.contains(size) || !size.is_power_of_two()) {
            let (least, most) = SIZES.into_inner();
            return Err(format!("--{option}: {size} is not a possible size; powers of two from {least} to {most} are"));
        }
        sizes.iter().try_for_each(|&size| check_memory(option, size))?;
    }
    plan.sides.iter().try_for_each(|&side| check_side("sides", side))?;
    let of = |experiment: &Experiment| match experiment {
        Experiment::IoUring => io_uring::cells(plan, cores),
        Experiment::Multicast if cfg!(feature = "workloads") => multicast_cells::cells(plan, cores),
        Experiment::Multicast => Vec::new(),
    };
    Ok(plan.experiments.iter().flat_map(of).collect())
}

/// Runs the plan's measurements.
///
/// # Errors
/// A sentence that names the error of the plan.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    let cores = machine::cores(&plan.cores)?;
    let mut findings = rounds::measure(cells(plan, &cores)?, plan.pace, stop, observer)?;
    let has = |experiment| plan.experiments.contains(&experiment);
    let sides = plan.sides.iter().copied().max().filter(|_| has(Experiment::Multicast));
    let most = sides.map_or(0, |side| side + 1).max(if has(Experiment::IoUring) { 3 } else { 0 });
    if most > cores.len() {
        findings.notes.push(format!("exchange: up to {most} threads shared {} cores", cores.len()));
    }
    Ok(findings)
}
