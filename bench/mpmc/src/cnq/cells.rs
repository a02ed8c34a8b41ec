//! The workloads of a plan, each with each queue that can do it.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use quanta::Clock;

use super::catalogue;
use super::contestant::{Contestant, Promise};
use super::plan::{Experiment, Plan};
use super::{memory, order};
use crate::mpmc::{Fault, Stream, Threads, Times, Workload};
use aqueduct_measure::names::{Bench, Facet, Queue};
use aqueduct_measure::record::{Placement, Record, Role};
use aqueduct_measure::rounds::{Cell, Figure, Measured, Place};
use aqueduct_measure::unit::Unit;

/// The time limit after which a run counts as broken.
const PATIENCE: Duration = Duration::from_secs(20);

/// All cells of a plan, with their logs.
pub(super) struct Cells {
    pub(super) cells: Vec<Cell<'static>>,
    pub(super) stays: Vec<Stays>,
}

/// The time that items spent in the queue, in each run of a cell.
pub(super) struct Stays {
    queue: Queue,
    peer: bool,
    threads: Threads,
    placement: Placement,
    runs: Rc<RefCell<Vec<Times>>>,
}

impl Stays {
    /// Returns a record with the distribution over the last `rounds` runs.
    pub(super) fn record(&self, capacity: usize, rounds: usize) -> Option<Record> {
        /// The points of the distribution, each in the middle of an equal share.
        const POINTS: u32 = 200;
        let runs = self.runs.borrow();
        let mut last = runs.iter().rev().take(rounds);
        let mut all = last.next()?.clone();
        last.for_each(|times| all.merge(times));
        let point = |at| all.quantile_ns((f64::from(at) + 0.5) / f64::from(POINTS)) / 1e3;
        let points: Vec<f64> = (0..POINTS).map(point).collect();
        let Threads { producers, consumers } = self.threads;
        let place = Place { producers, consumers, capacity, batch: 1 };
        let bench = Bench::distribution("cnq.in_queue");
        let record = Record::of(bench, self.queue.clone(), Role::of_queue(self.peer), place, Unit::Us, points);
        Some(Record { placement: self.placement.clone(), ..record })
    }
}

pub(super) fn cells(plan: &Plan, contestants: &[Contestant], cores: &[usize]) -> Cells {
    let maker = Maker { capacity: plan.capacity, cores };
    let mut all = Cells { cells: Vec::new(), stays: Vec::new() };
    for &experiment in &plan.experiments {
        let swept = if experiment == Experiment::Sweep { catalogue::swept(plan) } else { Vec::new() };
        for &threads in &plan.threads {
            let takers = |from: &[Contestant], batch| {
                from.iter().filter(|one| one.can(threads, batch)).cloned().collect::<Vec<_>>()
            };
            match experiment {
                Experiment::Throughput => {
                    for &batch in &plan.batches {
                        let of = |one| maker.throughput("cnq.throughput", one, threads, batch);
                        // A queue without batches moves the items of the first batch one by one.
                        let is_first = plan.batches.first() == Some(&batch);
                        let can = |one: &Contestant| one.can(threads, if is_first && !one.batches { 1 } else { batch });
                        all.cells.extend(contestants.iter().filter(|&one| can(one)).cloned().map(of));
                    }
                }
                Experiment::Sweep => {
                    all.cells.extend(
                        takers(&swept, 1).into_iter().map(|one| maker.throughput("cnq.sweep", one, threads, 1)),
                    );
                }
                Experiment::Order => {
                    // A bound is not a queue, and has no order.
                    let queues = takers(contestants, 1).into_iter().filter(|one| one.promise != Promise::Pairs);
                    for (cell, stays) in queues.map(|one| maker.order(one, threads)) {
                        all.cells.push(cell);
                        all.stays.push(stays);
                    }
                }
                Experiment::Memory if memory::is_known() => {
                    all.cells.extend(takers(contestants, 1).into_iter().map(|one| maker.memory(one, threads)));
                }
                Experiment::Memory => {}
            }
        }
    }
    all
}

/// The common state of all cells.
struct Maker<'a> {
    capacity: usize,
    cores: &'a [usize],
}

impl Maker<'_> {
    fn cell(
        &self,
        bench: &'static str,
        one: &Contestant,
        threads: Threads,
        batch: usize,
        run: impl Fn(&Stream<'_>) -> Result<Measured, Fault> + 'static,
    ) -> Cell<'static> {
        let (capacity, cores) = (self.capacity, self.cores.to_vec());
        let place = Place { producers: threads.producers, consumers: threads.consumers, capacity, batch };
        let placement = threads.placement(&cores);
        let batch = if one.batches { batch } else { 1 };
        let numbers = move |items: u64| {
            run(&Stream {
                workload: Workload::Simple,
                threads,
                batch,
                capacity,
                items_each: items.div_ceil(threads.producers as u64),
                cores: &cores,
                patience: PATIENCE,
                count_misses: false,
            })
        };
        let words = place.words(bench);
        Cell {
            recorded_as: Some(one.queue.clone()),
            placement,
            ..Cell::new(words, one.queue.to_string(), Role::of_queue(one.peer), place, numbers)
        }
    }

    fn throughput(&self, bench: &'static str, one: Contestant, threads: Threads, batch: usize) -> Cell<'static> {
        self.cell(bench, &one.clone(), threads, batch, move |spec| {
            let streamed = (one.stream)(spec)?;
            let figures = vec![Figure::new(bench, Unit::Mitems, streamed.mitems_per_second())];
            Ok(Measured { figures, done: streamed.items, elapsed: streamed.elapsed })
        })
    }

    fn order(&self, one: Contestant, threads: Threads) -> (Cell<'static>, Stays) {
        let runs = Rc::default();
        let (placement, runs_kept) = (threads.placement(self.cores), Rc::clone(&runs));
        let stays = Stays { queue: one.queue.clone(), peer: one.peer, threads, placement, runs: runs_kept };
        let cell = self.cell("cnq.order", &one.clone(), threads, 1, move |spec| {
            // The evaluation takes longer than the run, and is a part of the slice.
            let begin = Instant::now();
            let (streamed, mut log) = (one.logged)(spec)?;
            let mut least = order::of_log(&mut log);
            least.sort_unstable();
            kept(one.promise, threads, least.last().copied().unwrap_or(1))?;
            let mut figures = quantiles_of(&least);
            let mut times = Times::new(&Clock::new());
            order::stays(&mut log).for_each(|ticks| times.add(ticks));
            figures.extend(quantiles_of_times(&times));
            runs.borrow_mut().push(times);
            Ok(Measured { figures, done: streamed.items, elapsed: begin.elapsed() })
        });
        (cell, stays)
    }

    fn memory(&self, one: Contestant, threads: Threads) -> Cell<'static> {
        self.cell("cnq.memory", &one.clone(), threads, 1, move |spec| {
            let (streamed, grown) = memory::peak_growth_kib(|| (one.stream)(spec));
            let streamed = streamed?;
            let grown =
                grown.ok_or(Fault::WrongAnswer("the system does not tell how much memory is in use any more"))?;
            let figures = vec![Figure::new("cnq.memory", Unit::Kib, grown as f64)];
            Ok(Measured { figures, done: streamed.items, elapsed: streamed.elapsed })
        })
    }
}

/// Checks the queue's guarantee, with an allowance for an operation in progress in each other
/// thread.
fn kept(promise: Promise, threads: Threads, observed: u32) -> Result<(), Fault> {
    match promise {
        Promise::Order(k) if observed as usize > k + threads.producers + threads.consumers => {
            Err(Fault::WrongAnswer("an item overtook more than the k that the queue promises"))
        }
        _ => Ok(()),
    }
}

/// Returns some quantiles of values that are in order.
fn quantiles_of(values: &[u32]) -> Vec<Figure> {
    let at = |fraction: f64| {
        let place = (fraction * values.len() as f64).ceil() as usize;
        values.get(place.saturating_sub(1)).copied().map_or(0.0, f64::from)
    };
    let of = |facet: Facet| Some(Figure::new(Bench::side("cnq.order", facet), Unit::K, at(facet.fraction()?)));
    [Facet::P50, Facet::P99, Facet::Max].into_iter().filter_map(of).collect()
}

fn quantiles_of_times(times: &Times) -> Vec<Figure> {
    let of = |facet: Facet| {
        let us = times.quantile_ns(facet.fraction()?) / 1e3;
        Some(Figure::new(Bench::side("cnq.in_queue", facet), Unit::Us, us))
    };
    [Facet::P50, Facet::P99, Facet::P999, Facet::Max].into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_promise_is_told_from_threads_in_the_middle_of_an_operation() {
        let threads = Threads::new(2, 2);
        assert_eq!(kept(Promise::Order(10), threads, 14), Ok(()));
        assert!(matches!(kept(Promise::Order(10), threads, 15), Err(Fault::WrongAnswer(_))));
        assert_eq!(kept(Promise::Attempt, threads, 1_000_000), Ok(()));
    }

    #[test]
    fn quantiles_are_values_that_came() {
        let values: Vec<u32> = (1..=1000).collect();
        let found: Vec<f64> = quantiles_of(&values).iter().map(|figure| figure.value).collect();
        assert_eq!(found, [500.0, 990.0, 1000.0]);
    }
}
