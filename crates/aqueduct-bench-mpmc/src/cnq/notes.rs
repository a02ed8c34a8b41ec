//! Notes for a reader of the figures.

use super::catalogue::{Contestant, Promise};
use super::memory;
use super::plan::{Experiment, Plan};
use crate::mpmc::{Threads, clock_cost_ns};
use aqueduct_measure::names::{Bench, Facet};
use aqueduct_measure::record::Record;
use aqueduct_measure::unit::Better;

/// Returns the notes on a run of `plan`.
pub(super) fn notes(plan: &Plan, contestants: &[Contestant], cores: usize, records: &[Record]) -> Vec<String> {
    let has = |experiment| plan.experiments.contains(&experiment);
    let mut notes = promises(contestants);
    notes.extend(crowd(plan, cores));
    if has(Experiment::Throughput) {
        notes.extend(rivals(contestants, records));
    }
    if has(Experiment::Order) {
        notes.push(format!(
            "order: producers read the clock before a push and consumers after a pop, which costs {:.1} ns and a fence each time; an \
             item counts as in the queue from the one to the other. A figure is too large by the number of the other threads at most, \
             of which each may be in the middle of an operation, if the cores' counters agree",
            clock_cost_ns()
        ));
        notes.extend(observed(contestants, records));
    }
    if has(Experiment::Memory) {
        notes.push(if memory::is_known() {
            "memory: growth of the process's resident memory at its peak; counts touched pages, with the stacks of the threads, \
             and is wrong by some ten KiB for each core. A queue that allocates piece by piece may get what an earlier run left with \
             the allocator: of such a one, the greatest run is nearest to the truth"
                .to_owned()
        } else {
            "memory: not measured, because this system does not tell the peak of a process's memory".to_owned()
        });
    }
    notes
}

/// Returns which queues give which promise.
fn promises(contestants: &[Contestant]) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in contestants {
        let (words, name) = (one.promise.words(), one.queue.name.as_str());
        match groups.iter_mut().find(|(known, _)| *known == words) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => groups.push((words, vec![name])),
        }
    }
    groups.into_iter().map(|(words, names)| format!("{words}: {}", names.join(", "))).collect()
}

/// Returns a note that threads shared cores, if they did.
fn crowd(plan: &Plan, cores: usize) -> Option<String> {
    let most = plan.threads.iter().map(|threads| threads.producers + threads.consumers).max()?;
    (most > cores).then(|| {
        format!(
            "up to {most} threads shared {cores} cores: a thread that has lost its core keeps its capsule, and the order makes the \
             others wait for it sooner or later"
        )
    })
}

/// Returns comparisons of our queues with the best strict queue, the bound, and the best peer without an order, where
/// they were measured together.
fn rivals(contestants: &[Contestant], records: &[Record]) -> Vec<String> {
    let promise = |record: &Record| contestants.iter().find(|one| one.queue == record.queue).map(|one| one.promise);
    let place = |record: &Record| (record.producers, record.consumers, record.batch);
    let of_throughput = || records.iter().filter(|record| record.bench == "cnq.throughput");
    let best = |beside: &Record, is_rival: &dyn Fn(Promise) -> bool| {
        let rivals =
            of_throughput().filter(|&other| place(other) == place(beside) && promise(other).is_some_and(is_rival));
        rivals.max_by(|a, b| a.median.total_cmp(&b.median))
    };
    let mut notes = Vec::new();
    for ours in of_throughput().filter(|record| !record.is_peer() && record.queue.order().is_some()) {
        let others = [
            ("the best strict queue", best(ours, &|promise| promise == Promise::Fifo)),
            (
                "the best peer with less order",
                best(ours, &|promise| matches!(promise, Promise::PerProducer | Promise::Attempt)),
            ),
            ("a ring for each pair", best(ours, &|promise| promise == Promise::Pairs)),
        ];
        let ratios: Vec<String> = others
            .into_iter()
            .filter_map(|(words, other)| {
                let other = other?;
                let ratio = Better::More.ratio(ours.median, other.median)?;
                Some(format!("{ratio:.2} of {words}, {}", other.queue))
            })
            .collect();
        if !ratios.is_empty() {
            let threads = Threads::new(ours.producers, ours.consumers);
            notes.push(format!("throughput {threads} by {}: {} is {}", ours.batch, ours.queue, ratios.join("; ")));
        }
    }
    notes
}

/// Returns the greatest observed `k` of all rounds, beside the guaranteed one.
fn observed(contestants: &[Contestant], records: &[Record]) -> Vec<String> {
    let of = |record: &Record| {
        let Promise::Order(k) = contestants.iter().find(|one| one.queue == record.queue)?.promise else { return None };
        let threads = Threads::new(record.producers, record.consumers);
        Some(format!("order {threads}: {} promises {k}, {} was observed at the most", record.queue, record.max))
    };
    let greatest = Bench::side("cnq.order", Facet::Max);
    records.iter().filter(|record| record.bench == greatest).filter_map(of).collect()
}
