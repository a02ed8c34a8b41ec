//! The measurements of the NBLFQ paper (Denis and Goedefroit, IPDPS 2025, section VI), with widely
//! used queues and the paper's lock-free ones (more of them with the feature `published`). Every
//! run is checked: the number of items that came and their sum, or that each message was answered
//! once.
//!
//! - `nblfq.pairs`: N producers and N consumers; million items per second. (The paper's threads
//!   exchange 64k items each; here a run lasts as long as is asked for.)
//! - `nblfq.alone`: a push and a pop on one thread.
//! - `nblfq.single`, `nblfq.threads`: round trips of messages between two nodes, in place of the
//!   paper's communication library: a datagram socket of this machine, a queue of submissions and
//!   one of completions on either node. In `single` a node is one thread, in `threads` N threads
//!   and some workers. Median and 99 % of all round trips.
//! - `nblfq.processes`: `single`, with a process for each node.

mod advice;
mod catalogue;
mod cells;
mod concurrent;
mod line;
mod messages;
mod notes;
#[cfg(feature = "peers")]
mod peers;
mod plan;
mod processes;
pub(crate) mod queues;
mod slot;

use std::sync::atomic::AtomicBool;

use aqueduct_measure::machine;
use aqueduct_measure::rounds::{self, Cell, Findings, Observer, Outlook};

pub use advice::GUIDE;
pub use catalogue::{CAPACITIES, Contestant, Progress, RANGE, contestant, contestants, selected};
pub use messages::{Answered, Messages};
pub use plan::{Experiment, Plan};

/// LCRQ, for other benches.
#[cfg(all(feature = "peers", target_arch = "x86_64"))]
pub(crate) type Lcrq = concurrent::Of<queues::lcrq::Lcrq>;

/// The greatest number of producers, consumers, threads of a node, or workers.
pub const MOST_THREADS: usize = 64;

/// Runs the plan's measurements.
///
/// # Errors
/// A sentence that names the error of the plan.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    measure(plan, &selected(plan)?, stop, observer)
}

/// Returns the extent of the plan, and measures nothing.
///
/// # Errors
/// The errors of [`run`].
pub fn outlook(plan: &Plan) -> Result<Outlook, String> {
    Outlook::of(&checked_cells(plan, &selected(plan)?, &machine::cores(&plan.cores)?)?, plan.pace)
}

/// Measures like [`run`], with these queues instead of the plan's: a caller's own, for example.
///
/// # Errors
/// The errors of [`run`].
pub fn measure(
    plan: &Plan,
    contestants: &[Contestant],
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Findings, String> {
    let cores = machine::cores(&plan.cores)?;
    let cells = checked_cells(plan, contestants, &cores)?;
    let mut findings = rounds::measure(cells, plan.pace, stop, observer)?;
    findings.notes.extend(notes::notes(plan, contestants, cores.len(), &findings.records));
    Ok(findings)
}

/// Returns the workloads of the plan, or why its numbers of threads are not possible.
fn checked_cells(plan: &Plan, contestants: &[Contestant], cores: &[usize]) -> Result<Vec<Cell<'static>>, String> {
    Experiment::check_built(&plan.experiments)?;
    for (option, counts) in [("threads", &plan.threads[..]), ("workers", &[plan.workers])] {
        if let Some(count) = counts.iter().find(|&&count| !(1..=MOST_THREADS).contains(&count)) {
            return Err(format!("--{option}: {count} threads: between 1 and {MOST_THREADS} are possible"));
        }
    }
    Ok(cells::cells(plan, contestants, cores))
}
