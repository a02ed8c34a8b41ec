//! Notes for a reader of the figures.

use super::plan::{Experiment, Plan};
use super::slowest::Slowest;
use super::task::Here;
use super::timed::Profiling;
use aqueduct_measure::times::clock_cost_ns;

/// Returns the notes on a run of `plan` on that machine.
pub(super) fn notes(plan: &Plan, here: &Here) -> Vec<String> {
    let cores = here.cores.len();
    let all = [
        crowd(plan, cores),
        clock(plan),
        filling(plan, cores),
        uncounted(plan, &here.misses),
        full_load(&here.slowest),
    ];
    all.into_iter().flatten().collect()
}

/// Returns a note that threads shared cores, if they did.
fn crowd(plan: &Plan, cores: usize) -> Option<String> {
    let of_experiment = |&experiment: &Experiment| plan.threads_of(experiment, cores);
    let alone = [Experiment::Uncontended, Experiment::Full, Experiment::Empty];
    let shared = plan.experiments.iter().filter(|experiment| !alone.contains(experiment)).flat_map(of_experiment);
    let most = shared.map(|threads| threads.producers + threads.consumers).max()?;
    if most <= cores {
        return None;
    }
    let plural = if cores == 1 { "" } else { "s" };
    let mut note = format!(
        "up to {most} threads shared {cores} core{plural}: figures with more threads than cores tell how a queue bears threads \
         that lose their cores in the middle of a call, not how it scales"
    );
    if plan.experiments.contains(&Experiment::Fairness) {
        note.push_str(
            ", and shares of the operations tell as much of the system's scheduler, and of which threads share a core, as of the \
             queue",
        );
    }
    Some(note)
}

/// Returns the cost of the clock that is read around single calls.
fn clock(plan: &Plan) -> Option<String> {
    let timed = [Experiment::Latency, Experiment::OpenLoop, Experiment::Profiling];
    plan.experiments.iter().any(|experiment| timed.contains(experiment)).then(|| {
        format!(
            "latency, open loop and profiling: reading the clock costs {:.1} ns here, which is part of each time; times are rounded up by at \
             most 1 %, and a run's greatest is often a thread that lost its core",
            clock_cost_ns()
        )
    })
}

/// Returns a note that producers at a fixed rate had to wait, if they had.
fn filling(plan: &Plan, cores: usize) -> Option<String> {
    if !plan.experiments.contains(&Experiment::Profiling) {
        return None;
    }
    let items = |per_second: u64, threads: usize| per_second as f64 * threads as f64 * plan.slice.as_secs_f64();
    let left = |(producers, consumers)| {
        items(Profiling::PUSHES_PER_SECOND, producers) - items(Profiling::POPS_PER_SECOND, consumers)
    };
    let all = plan.threads_of(Experiment::Profiling, cores);
    let most = all.iter().map(|threads| left((threads.producers, threads.consumers))).fold(0.0, f64::max);
    (most > plan.capacity as f64).then(|| {
        format!(
            "profiling: up to {most:.0} more items were pushed than popped in a measurement, and the capacity is {}: producers had \
             to wait, and only the push that succeeded is timed",
            plan.capacity
        )
    })
}

/// Returns the full load of the open loop.
fn full_load(slowest: &Slowest) -> Option<String> {
    let each: Vec<String> = slowest
        .all()
        .into_iter()
        .map(|it| format!("{}: {:.3} Mitems/s ({})", it.threads, it.items_per_second / 1e6, it.queue))
        .collect();
    (!each.is_empty()).then(|| {
        format!(
            "open-loop: a load of 100 per cent is what the slowest queue moved in a closed loop: {}",
            each.join(", ")
        )
    })
}

/// Returns a note that L1 misses are missing, if they are.
fn uncounted(plan: &Plan, misses: &Result<(), String>) -> Option<String> {
    let why = misses.as_ref().err()?;
    let wanted = plan.experiments.contains(&Experiment::Throughput);
    wanted.then(|| format!("throughput: no L1 misses beside it, because this machine does not count them ({why})"))
}
