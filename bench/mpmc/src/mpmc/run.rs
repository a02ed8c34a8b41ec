//! Runs a [`Plan`]: a cell for each task and queue, measured in turn, round after round.

use std::sync::atomic::AtomicBool;

use super::catalogue::selected;
use super::notes::notes;
use super::plan::{Experiment, Plan};
use super::subject::Subject;
use super::sweep;
use super::task::{Here, Task};
use aqueduct_measure::items;
use aqueduct_measure::record::WORD;
use aqueduct_measure::rounds::{self, Cell, Findings, Observer, Outlook, Pace, Threads, check_sizes, check_threads};

/// Runs the plan's measurements.
///
/// Set `stop` from another thread (a Ctrl-C handler) to end after the measurement that runs; the
/// findings hold the measurements until then.
///
/// # Errors
/// A sentence that names the error of the plan.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    items::check(plan.item_bytes, plan.capacity)?;
    measure(plan, &selected(plan)?, stop, observer)
}

/// Returns the extent of the plan, and measures nothing.
///
/// # Errors
/// The errors of [`run`].
pub fn outlook(plan: &Plan) -> Result<Outlook, String> {
    items::check(plan.item_bytes, plan.capacity)?;
    let subjects = selected(plan)?;
    Outlook::of(&cells(plan, &subjects, &Here::look(&plan.cores)?)?, pace(plan))
}

/// Measures like [`run`], with these queues instead of the plan's: a caller's own, for example.
///
/// # Errors
/// The errors of [`run`].
pub fn measure(
    plan: &Plan,
    subjects: &[Box<dyn Subject>],
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Findings, String> {
    let here = Here::look(&plan.cores)?;
    let cells = cells(plan, subjects, &here)?;
    let mut findings = rounds::measure(cells, pace(plan), stop, observer)?;
    let benches = ["mpmc.throughput", "mpmc.throughput.l1_misses", "mpmc.drain"];
    findings.item_by_item(&plan.batches, &benches, |queue| {
        subjects.iter().any(|subject| *queue == subject.name() && !subject.can(Threads::PAIR, 2))
    });
    findings.records.iter_mut().for_each(|record| record.item_bytes = plan.item_bytes);
    findings.notes.extend(notes(plan, &here));
    Ok(findings)
}

fn pace(plan: &Plan) -> Pace {
    Pace { rounds: plan.rounds, slice: plan.slice, limit: plan.limit }
}

/// Returns every task with every queue that can do it.
fn cells<'a>(plan: &'a Plan, subjects: &'a [Box<dyn Subject>], here: &'a Here) -> Result<Vec<Cell<'a>>, String> {
    check_sizes(plan.latency_capacity, &[])?;
    check_sizes(plan.drain_capacity, &[])?;
    check_sizes(plan.capacity, &plan.batches)?;
    check_threads(&plan.threads)?;
    sweep::geometries(plan)?;
    Experiment::check_built(&plan.experiments)?;
    let mut cells = Vec::new();
    let is_built = |task: &Task| plan.item_bytes == WORD || task.experiment == Experiment::Throughput;
    for task in Task::all(plan, here.cores.len())?.into_iter().filter(is_built) {
        let takers = subjects.iter().map(Box::as_ref).filter(|&subject| task.suits(plan, subject));
        cells.extend(takers.map(|subject| task.cell(plan, here, subjects, subject)));
    }
    if cells.is_empty() {
        let bytes = if plan.item_bytes == WORD { "" } else { "; --item-bytes: above 8 there is `throughput` only" };
        return Err(format!("none of the queues can do what is asked with these threads and batches{bytes}"));
    }
    Ok(cells)
}
