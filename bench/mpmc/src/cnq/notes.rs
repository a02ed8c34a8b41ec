//! Notes for a reader of the figures.

use std::time::Duration;

use super::contestant::{Contestant, Promise};
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
        notes.extend(plan.p99.into_iter().flat_map(|wanted| greatest_k(wanted, records)));
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

/// Returns the queues of each promise.
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

/// Returns comparisons of our queues with the best strict queue, the bound, and the best peer
/// without an order, where they were measured together.
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

/// Returns, for each of our queues and each number of threads, the greatest `k` with which 99 of
/// 100 items stayed no longer than is wanted (J. Wang's thesis, section 3.9.2: raise `k` as far as
/// the latency allows).
fn greatest_k(wanted: Duration, records: &[Record]) -> Vec<String> {
    let p99 = Bench::side("cnq.in_queue", Facet::P99);
    let us = wanted.as_secs_f64() * 1e6;
    let mut groups: Vec<(&str, Threads, Vec<&Record>)> = Vec::new();
    for record in records.iter().filter(|it| it.bench == p99 && !it.is_peer() && it.queue.order().is_some()) {
        let threads = Threads::new(record.producers, record.consumers);
        match groups.iter_mut().find(|(name, at, _)| (*name, *at) == (record.queue.name.as_str(), threads)) {
            Some((_, _, all)) => all.push(record),
            None => groups.push((&record.queue.name, threads, vec![record])),
        }
    }
    let of_group = |(name, threads, all): (&str, Threads, Vec<&Record>)| {
        let begin = format!("order {threads}: {name}, 99 of 100 items within {us} us");
        let within = all.into_iter().filter(|record| record.median <= us);
        match within.max_by_key(|record| record.queue.order()) {
            Some(record) => {
                format!("{begin}: up to k = {} ({:.2} us)", record.queue.order().unwrap_or_default(), record.median)
            }
            None => format!("{begin}: with none of these k"),
        }
    };
    groups.into_iter().map(of_group).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use aqueduct_measure::names::Queue;
    use aqueduct_measure::record::Role;
    use aqueduct_measure::rounds::Place;
    use aqueduct_measure::unit::Unit;

    #[test]
    fn the_greatest_k_within_the_wanted_time_is_named() {
        let record = |k: usize, us: f64| {
            let place = Place { producers: 2, consumers: 2, capacity: 64, batch: 1 };
            let queue = Queue::with_order("aqueduct/cnq_faaq", k);
            Record::of(Bench::side("cnq.in_queue", Facet::P99), queue, Role::Ours, place, Unit::Us, vec![us])
        };
        let records = [record(16, 2.0), record(256, 9.5), record(4096, 40.0)];
        let named = |us| greatest_k(Duration::from_micros(us), &records).join("");
        assert!(named(10).ends_with("within 10 us: up to k = 256 (9.50 us)"), "{}", named(10));
        assert!(named(1).ends_with("with none of these k"), "{}", named(1));
        assert!(named(100).contains("k = 4096"), "{}", named(100));
    }
}
