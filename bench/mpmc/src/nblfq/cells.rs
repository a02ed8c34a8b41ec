//! The workloads of a plan, each with each queue that can do it.

use std::time::Duration;

use super::catalogue::{Contestant, Progress};
use super::messages::{Answered, Messages};
use super::plan::{Experiment, Plan};
use crate::mpmc::{Act, Alone, Fault, Stream, Threads, Workload};
use aqueduct_measure::record::{Placement, Role};
use aqueduct_measure::rounds::{Cell, Figure, Measured, Place};
use aqueduct_measure::unit::Unit;

/// The time limit after which a run counts as broken.
const PATIENCE: Duration = Duration::from_secs(20);

/// A message takes as long as some hundred pushes and pops. This keeps the first run with messages
/// short.
const OPERATIONS_PER_MESSAGE: u64 = 256;

/// Returns all cells of a plan.
pub(super) fn cells(plan: &Plan, contestants: &[Contestant], cores: &[usize]) -> Vec<Cell<'static>> {
    let mut cells = Vec::new();
    for &experiment in &plan.experiments {
        let maker = Maker { capacity: plan.capacity, cores: cores.to_vec() };
        let queues =
            |bounds: bool| contestants.iter().filter(move |one| bounds || one.progress != Progress::Alone).copied();
        match experiment {
            Experiment::Alone => cells.extend(queues(true).map(|one| maker.alone(one))),
            Experiment::Single => cells.extend(queues(true).map(|one| maker.messages(one, 1, 0, false))),
            Experiment::Processes => cells.extend(queues(true).map(|one| maker.messages(one, 1, 0, true))),
            Experiment::Pairs => {
                for &count in &plan.threads {
                    cells.extend(queues(false).map(|one| maker.pairs(one, count)));
                }
            }
            Experiment::Threads => {
                for &count in &plan.threads {
                    cells.extend(queues(false).map(|one| maker.messages(one, count, plan.workers, false)));
                }
            }
        }
    }
    cells
}

/// The common state of all cells.
struct Maker {
    capacity: usize,
    cores: Vec<usize>,
}

impl Maker {
    fn cell(
        &self,
        bench: &'static str,
        one: Contestant,
        (producers, consumers): (usize, usize),
        run: impl Fn(u64) -> Result<Measured, Fault> + 'static,
    ) -> Cell<'static> {
        let place = Place { producers, consumers, capacity: self.capacity, batch: 1 };
        Cell::new(place.words(bench), one.name, Role::of_queue(one.peer), place, run)
            .on(Threads::new(producers, consumers).placement(&self.cores))
    }

    fn alone(&self, one: Contestant) -> Cell<'static> {
        let (capacity, core) = (self.capacity, self.cores.first().copied());
        let placement = Placement { producers: core.into_iter().collect(), ..Placement::default() };
        let cell = self.cell("nblfq.alone", one, (1, 1), move |times| {
            let time = (one.alone)(&Alone { act: Act::PushAndPop, capacity, warm_up: times / 8, times, core })?;
            Ok(Measured {
                figures: vec![Figure::new("nblfq.alone", Unit::Ns, time.ns_each())],
                done: times,
                elapsed: time.elapsed,
            })
        });
        cell.on(placement)
    }

    fn pairs(&self, one: Contestant, count: usize) -> Cell<'static> {
        let (capacity, cores) = (self.capacity, self.cores.clone());
        self.cell("nblfq.pairs", one, (count, count), move |items| {
            let streamed = (one.stream)(&numbers(capacity, &cores, count, items))?;
            let figures = vec![Figure::new("nblfq.pairs", Unit::Mitems, streamed.mitems_per_second())];
            Ok(Measured { figures, done: streamed.items, elapsed: streamed.elapsed })
        })
    }

    fn messages(&self, one: Contestant, count: usize, workers: usize, apart: bool) -> Cell<'static> {
        let (capacity, cores) = (self.capacity, self.cores.clone());
        let [bench, median, p99] = match (workers, apart) {
            (0, false) => ["nblfq.single", "nblfq.single.p50", "nblfq.single.p99"],
            (0, true) => ["nblfq.processes", "nblfq.processes.p50", "nblfq.processes.p99"],
            _ => ["nblfq.threads", "nblfq.threads.p50", "nblfq.threads.p99"],
        };
        let placement = round_trips(capacity, &self.cores, (count, workers), 0).placement();
        let cell = self.cell(bench, one, (count, workers), move |operations| {
            let spec = round_trips(capacity, &cores, (count, workers), operations);
            let answered = (one.messages)(&Messages { apart, ..spec })?;
            let us = |fraction| answered.times.quantile_ns(fraction) / 1e3;
            Ok(measured(&answered, vec![Figure::new(median, Unit::Us, us(0.5)), Figure::new(p99, Unit::Us, us(0.99))]))
        });
        cell.on(placement)
    }
}

fn numbers(capacity: usize, cores: &[usize], count: usize, items: u64) -> Stream<'_> {
    Stream {
        workload: Workload::Simple,
        threads: Threads::new(count, count),
        batch: 1,
        capacity,
        items_each: items.div_ceil(count as u64),
        cores,
        patience: PATIENCE,
        count_misses: false,
    }
}

fn round_trips(capacity: usize, cores: &[usize], (threads, workers): (usize, usize), operations: u64) -> Messages<'_> {
    let each = operations.div_ceil(OPERATIONS_PER_MESSAGE * threads as u64);
    Messages { threads, workers, apart: false, capacity, each, cores, patience: PATIENCE }
}

fn measured(answered: &Answered, figures: Vec<Figure>) -> Measured {
    Measured { figures, done: answered.messages * OPERATIONS_PER_MESSAGE, elapsed: answered.elapsed }
}
