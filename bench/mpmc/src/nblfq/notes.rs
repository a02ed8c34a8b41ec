//! Notes for a reader of the figures.

use super::catalogue::{Contestant, Progress};
use super::plan::{Experiment, Plan};
use crate::mpmc::clock_cost_ns;
use aqueduct_measure::record::Record;

/// Returns the notes on a run of `plan`.
pub(super) fn notes(plan: &Plan, contestants: &[Contestant], cores: usize, records: &[Record]) -> Vec<String> {
    let mut notes: Vec<String> = Progress::ALL.iter().filter_map(|&progress| promise(contestants, progress)).collect();
    notes.extend(crowd(plan, cores));
    let has = |experiment| plan.experiments.contains(&experiment);
    if has(Experiment::Single) || has(Experiment::Threads) {
        notes.push(format!(
            "messages: reading the clock costs {:.1} ns here, which is part of each time; the socket is part of it too, and \
             bound/one_slot is nearly that alone",
            clock_cost_ns()
        ));
    }
    notes.extend(rivals(contestants, records));
    notes
}

/// Returns the queues with that guarantee.
fn promise(contestants: &[Contestant], progress: Progress) -> Option<String> {
    let names: Vec<&str> = contestants.iter().filter(|one| one.progress == progress).map(|one| one.name).collect();
    (!names.is_empty()).then(|| format!("{}: {}", progress.words(), names.join(", ")))
}

/// Returns a note that threads shared cores, if they did.
fn crowd(plan: &Plan, cores: usize) -> Option<String> {
    let most = plan.threads.iter().max()?;
    let of = |experiment: &Experiment| match experiment {
        Experiment::Alone => 1,
        Experiment::Single | Experiment::Processes => 2,
        Experiment::Pairs => 2 * most,
        Experiment::Threads => 2 * (most + plan.workers),
    };
    let all = plan.experiments.iter().map(of).max()?;
    (all > cores).then(|| {
        format!(
            "up to {all} threads shared {cores} cores: such figures tell how a queue bears threads that lose their cores in the \
             middle of a call, and of messages also how the system shares out cores"
        )
    })
}

/// Returns comparisons of our queue with the best peer of each lock-free kind, for each bench and
/// number of threads.
fn rivals(contestants: &[Contestant], records: &[Record]) -> Vec<String> {
    const OURS: &str = "aqueduct/nblfq";
    let kinds = [
        (Progress::LockFree, "the best lock-free peer"),
        (Progress::Allocates, "the best peer that is lock-free but for memory"),
    ];
    let mut notes = Vec::new();
    for ours in records.iter().filter(|record| record.queue == OURS) {
        let better = ours.unit.better();
        let place = |record: &Record| (record.bench.clone(), record.producers, record.consumers);
        for (progress, words) in kinds {
            let is_rival =
                |name: &str| contestants.iter().any(|one| (one.name, one.peer, one.progress) == (name, true, progress));
            let rivals = records.iter().filter(|other| place(other) == place(ours) && is_rival(&other.queue.name));
            let best =
                rivals.reduce(|best, other| if better.is_better(other.median, best.median) { other } else { best });
            if let Some((best, ratio)) = best.and_then(|best| Some((best, better.ratio(ours.median, best.median)?))) {
                notes.push(format!(
                    "{} {}x{}: {OURS} is {ratio:.2} times as fast as {words}, {}",
                    ours.bench, ours.producers, ours.consumers, best.queue
                ));
            }
        }
    }
    notes
}
