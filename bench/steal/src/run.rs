//! Runs a [`Plan`]: a cell for each task and queue, measured in turn, round after round.

use std::sync::atomic::AtomicBool;

use super::catalogue::selected;
use super::lines;
use super::plan::{Experiment, Plan};
use super::pool::{MEMBERS, is_made_up};
use super::subject::Subject;
use super::task::Task;
use aqueduct_measure::machine;
use aqueduct_measure::rounds::{self, Cell, Findings, Observer, Outlook, Pace, check_memory_of, check_sizes};

/// Runs the plan's measurements.
///
/// Set `stop` from another thread (a Ctrl-C handler) to end after the measurement that runs; the
/// findings hold the measurements until then.
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
    let subjects = selected(plan)?;
    Outlook::of(&cells(plan, &subjects, &machine::cores(&plan.cores)?)?, pace(plan))
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
    let usable = machine::cores(&plan.cores)?;
    let mut findings = rounds::measure(cells(plan, subjects, &usable)?, pace(plan), stop, observer)?;
    findings.notes.extend(notes(plan, &usable));
    Ok(findings)
}

fn pace(plan: &Plan) -> Pace {
    Pace { rounds: plan.rounds, slice: plan.slice, limit: plan.limit }
}

/// Returns every task with every queue that can do it.
fn cells<'a>(plan: &'a Plan, subjects: &'a [Box<dyn Subject>], usable: &'a [usize]) -> Result<Vec<Cell<'a>>, String> {
    check(plan)?;
    let of = |task: Task| {
        let takers = subjects.iter().map(Box::as_ref).filter(move |&subject| task.can(subject));
        takers.map(move |subject| task.cell(plan, usable, subject))
    };
    let mut cells: Vec<_> = Task::all(plan).into_iter().flat_map(of).collect();
    if plan.experiments.contains(&Experiment::Lines) {
        cells.extend(lines::cells(plan, usable));
    }
    if cells.is_empty() {
        return Err("none of the queues can do what is asked: bounds have no thieves".to_owned());
    }
    Ok(cells)
}

/// Most bytes for each item of the capacity: the members of a pool have a queue of two words for
/// each, rounded up to a power of two, and a thief's own.
const BYTES_PER_ITEM: usize = 64 * MEMBERS;

fn check(plan: &Plan) -> Result<(), String> {
    Experiment::check_built(&plan.experiments)?;
    if plan.capacity < 2 {
        return Err(format!("--capacity: {} is too small; 2 items are the least to share", plan.capacity));
    }
    check_memory_of("capacity", plan.capacity, BYTES_PER_ITEM)?;
    check_sizes(plan.capacity, &plan.batches)?;
    if let Some(percent) = plan.percents.iter().find(|&&percent| percent > 50) {
        return Err(format!("--stolen: {percent} % stolen: between 0 and 50 are possible"));
    }
    if let Some(factor) = plan.factors.iter().find(|&&factor| factor > 100) {
        return Err(format!("--factors: a balancing factor of {factor} %: between 0 and 100 are possible"));
    }
    if let Some(blocks) = plan.blocks.iter().find(|&&blocks| blocks == 0 || blocks > plan.capacity) {
        return Err(format!(
            "--blocks, --capacity: {blocks} blocks: between 1 and the capacity, {}, are possible",
            plan.capacity
        ));
    }
    Ok(())
}

fn notes(plan: &Plan, cores: &[usize]) -> Vec<String> {
    let mut notes = Vec::new();
    if plan.experiments.contains(&Experiment::Pool) && is_made_up(cores) {
        notes.push(
            "pool: all cores have one L3 cache and one NUMA node, as far as the system tells; near members are those on one \
             half of the cores"
                .to_owned(),
        );
    }
    let with_thief = plan.experiments.iter().any(|&experiment| experiment != Experiment::Alone);
    if with_thief && cores.len() < 2 {
        notes.push("owner and thief shared one core: the figures with a thief tell little".to_owned());
    }
    notes
}
