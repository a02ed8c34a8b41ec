//! The measurements of CNQ (J. Wang's thesis, section 3.9), beside strict queues, other relaxed
//! ones (most of them with the feature `published`), and a bound: one ring for each pair of
//! threads. Every run is checked: the number of items that came, and their sum.
//!
//! - `cnq.throughput`: producers push numbers as fast as they can, consumers add them up; million
//!   items per second.
//! - `cnq.sweep`: throughput of our queues over `k`, which is a part of the queue's name:
//!   `aqueduct/cnq_faaq[k=1024]`; with the feature `cpp-peers` for xenium's k-FIFO queue, too.
//! - `cnq.order`: the observed order: the least `k` that would do for a pop, over all
//!   pops; and `cnq.in_queue`, the time from push to pop, of the same run. It may be too large by
//!   the number of the other threads: each may be in the middle of a call.
//! - `cnq.memory`: by how much the process's resident memory grew at its peak.

mod advice;
mod catalogue;
mod cells;
mod contestant;
mod logged;
mod memory;
mod notes;
mod order;
mod plan;
mod queues;
#[cfg(feature = "published")]
mod relaxed;

use std::sync::atomic::AtomicBool;

use aqueduct_measure::machine;
use aqueduct_measure::rounds::{self, Findings, Observer, Outlook, check_memory, check_sizes, check_threads};

pub use advice::GUIDE;
pub use catalogue::{contestants, selected};
pub use contestant::{Contestant, Promise, contestant};
pub use order::least_k;
pub use plan::{Experiment, Plan};

/// Runs the plan's measurements.
///
/// # Errors
/// A sentence that names the error of the plan.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    check(plan)?;
    measure(plan, &selected(plan)?, stop, observer)
}

/// Returns the extent of the plan, and measures nothing.
///
/// # Errors
/// The errors of [`run`].
pub fn outlook(plan: &Plan) -> Result<Outlook, String> {
    check(plan)?;
    Outlook::of(&cells::cells(plan, &selected(plan)?, &machine::cores(&plan.cores)?).cells, plan.pace)
}

/// Measures like [`run`], with these queues instead of the plan's: a caller's own, for example.
/// `cnq.sweep` takes ours nevertheless.
///
/// # Errors
/// The errors of [`run`].
pub fn measure(
    plan: &Plan,
    contestants: &[Contestant],
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Findings, String> {
    check(plan)?;
    let cores = machine::cores(&plan.cores)?;
    let cells::Cells { cells, stays } = cells::cells(plan, contestants, &cores);
    let mut findings = rounds::measure(cells, plan.pace, stop, observer)?;
    let distributions: Vec<_> = stays.iter().filter_map(|stay| stay.record(plan.capacity, findings.rounds)).collect();
    findings.records.extend(distributions);
    findings.item_by_item(&plan.batches, &["cnq.throughput"], |queue| {
        contestants.iter().any(|one| one.queue == *queue && !one.batches)
    });
    findings.notes.extend(notes::notes(plan, contestants, cores.len(), &findings.records));
    Ok(findings)
}

fn check(plan: &Plan) -> Result<(), String> {
    Experiment::check_built(&plan.experiments)?;
    check_sizes(plan.capacity, &plan.batches)?;
    check_threads(&plan.threads)?;
    for (option, orders) in [("k", &plan.orders), ("sweep", &plan.sweep)] {
        if orders.contains(&0) {
            return Err(format!("--{option}: k is 0; 1 asks for first in, first out, and is the least"));
        }
        // A queue with segments has at least two, of k items each.
        orders.iter().try_for_each(|&k| check_memory(option, k))?;
    }
    Ok(())
}
