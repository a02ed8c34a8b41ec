//! One measurement for every queue that can do it, and its figures.

use std::time::Duration;

use aqueduct::bbq::Geometry;

use super::alone::{Act, Alone};
use super::crowd::Crowd;
use super::fairness::{jain, shares};
use super::plan::{Experiment, Plan};
use super::slowest::Slowest;
use super::stream::{Stream, Streamed};
use super::subject::Subject;
use super::sweep;
use super::timed::Profiling;
use super::workload::{Arrival, Offered, Workload};
use aqueduct_measure::counters::l1_misses_available;
use aqueduct_measure::machine;
use aqueduct_measure::names::{Bench, Facet, Queue};
use aqueduct_measure::record::{Placement, Role};
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured, Place, Threads};
use aqueduct_measure::statistics;
use aqueduct_measure::times::Times;
use aqueduct_measure::unit::Unit;

/// One measurement, without the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) experiment: Experiment,
    pub(super) threads: Threads,
    pub(super) batch: usize,
    /// The queue's division into blocks, if one is given.
    pub(super) geometry: Option<Geometry>,
    /// In the open loop, the arrival of items, and the load in per cent of the slowest queue's
    /// throughput.
    pub(super) load: Option<(Arrival, u32)>,
}

/// The measurement of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// On one thread.
    Alone(Act),
    /// On many.
    Stream(Workload),
    /// On many, items at a rate that depends on the slowest queue.
    OpenLoop,
}

/// The facts on the machine that measurements need.
pub(super) struct Here {
    pub(super) cores: Vec<usize>,
    /// Success if the machine counts L1 misses, or its error.
    pub(super) misses: Result<(), String>,
    pub(super) slowest: Slowest,
}

impl Here {
    /// Describes the machine that this process runs on; threads are placed on the cores `wanted`.
    ///
    /// # Errors
    /// If one of them is not usable.
    pub(super) fn look(wanted: &[usize]) -> Result<Self, String> {
        Ok(Self { cores: machine::cores(wanted)?, misses: l1_misses_available(), slowest: Slowest::default() })
    }
}

/// One figure of a measurement.
struct Part {
    /// The suffix of the bench's name behind the experiment's, with a dot before it.
    what: String,
    facet: Option<Facet>,
    unit: Unit,
    value: f64,
}

impl Part {
    /// Returns the figure of a bench that has one.
    fn whole(unit: Unit, value: f64) -> Self {
        Self { what: String::new(), facet: None, unit, value }
    }

    fn side(what: &str, facet: Facet, unit: Unit, value: f64) -> Self {
        Self { what: format!(".{what}"), facet: Some(facet), unit, value }
    }
}

/// Returns the method of that experiment.
pub(super) fn method(experiment: Experiment) -> Method {
    match experiment {
        Experiment::Throughput | Experiment::Oversubscription | Experiment::Sweep => Method::Stream(Workload::Simple),
        Experiment::Drain => Method::Stream(Workload::Drain),
        Experiment::Complex => Method::Stream(Workload::Complex),
        Experiment::Profiling => Method::Stream(Workload::Profiling),
        Experiment::Latency | Experiment::SweepLatency => Method::Stream(Workload::Latency),
        Experiment::OpenLoop => Method::OpenLoop,
        Experiment::Fairness => Method::Stream(Workload::Fairness),
        Experiment::Uncontended => Method::Alone(Act::PushAndPop),
        Experiment::Full => Method::Alone(Act::PushToFull),
        Experiment::Empty => Method::Alone(Act::PopFromEmpty),
    }
}

impl Task {
    /// Returns the tasks of a plan, in the order of its experiments, then of its batches or
    /// divisions.
    ///
    /// # Errors
    /// If a division or a load is impossible.
    pub(super) fn all(plan: &Plan, cores: usize) -> Result<Vec<Self>, String> {
        let mut tasks = Vec::new();
        for &experiment in &plan.experiments {
            let batches = match experiment {
                Experiment::Throughput | Experiment::Drain => plan.batches.clone(),
                _ => vec![1],
            };
            let geometries = if experiment.divides() {
                sweep::geometries(plan)?.into_iter().map(Some).collect()
            } else {
                vec![None]
            };
            let loads = match experiment {
                Experiment::OpenLoop => loads(plan)?.into_iter().map(Some).collect(),
                _ => vec![None],
            };
            for batch in batches {
                for &geometry in &geometries {
                    for &load in &loads {
                        let of_threads = |threads| Self { experiment, threads, batch, geometry, load };
                        tasks.extend(plan.threads_of(experiment, cores).into_iter().map(of_threads));
                    }
                }
            }
        }
        Ok(tasks)
    }

    /// Whether `subject` can do it. A queue without batches moves the items of the plan's first
    /// batch one by one.
    pub(super) fn suits(&self, plan: &Plan, subject: &dyn Subject) -> bool {
        let item_by_item = plan.batches.first() == Some(&self.batch) && subject.can(self.threads, 1);
        (subject.can(self.threads, self.batch) || item_by_item)
            && (self.geometry.is_none() || sweep::divided(subject).is_some())
    }

    /// Returns the number of items that the queue can hold.
    fn capacity(&self, plan: &Plan) -> usize {
        match (self.experiment, self.geometry) {
            (_, Some(geometry)) => geometry.capacity(),
            (Experiment::Drain, None) => plan.drain_capacity,
            (Experiment::Latency, None) => plan.latency_capacity,
            _ => plan.capacity,
        }
    }

    /// Returns the number of items of the first attempt, before any rate is known.
    fn first_amount(&self, slice: Duration) -> u64 {
        match self.experiment {
            Experiment::Profiling => {
                let rate = Profiling::PUSHES_PER_SECOND * self.threads.producers as u64;
                (rate as f64 * slice.as_secs_f64() / 8.0) as u64 + 1
            }
            // A queue whose threads wait for each other in turn takes milliseconds for an item
            // where they share cores.
            _ => 500,
        }
    }

    /// Returns the figures of a measurement with many threads.
    fn parts(&self, streamed: &Streamed) -> Vec<Part> {
        match self.experiment {
            Experiment::Latency => {
                let tails = [Facet::P50, Facet::P99, Facet::P999, Facet::Max];
                let timed = &streamed.timed;
                [("in_queue", &timed.in_queue), ("push", &timed.push), ("pop", &timed.pop)]
                    .into_iter()
                    .flat_map(|(what, times)| quantiles(what, times.as_ref(), &tails))
                    .collect()
            }
            Experiment::SweepLatency => {
                quantiles("in_queue", streamed.timed.in_queue.as_ref(), &[Facet::P50, Facet::P99])
            }
            Experiment::OpenLoop => {
                let tails = [Facet::P50, Facet::P99, Facet::P999, Facet::Max];
                quantiles(&self.load_words(), streamed.timed.since_due.as_ref(), &tails)
            }
            Experiment::Profiling => {
                quantiles("push", streamed.timed.push.as_ref(), &[Facet::P50, Facet::P99, Facet::Max])
            }
            Experiment::Fairness => [("producers", &streamed.pushed), ("consumers", &streamed.popped)]
                .into_iter()
                .flat_map(|(side, operations)| evenness(side, &shares(operations)))
                .collect(),
            _ => {
                let misses = streamed.l1_misses.map(|misses| misses as f64 / streamed.items as f64);
                let rate = Part::whole(Unit::Mitems, streamed.mitems_per_second());
                let misses =
                    misses.map(|misses| Part { what: ".l1_misses".to_owned(), ..Part::whole(Unit::Misses, misses) });
                [Some(rate), misses].into_iter().flatten().collect()
            }
        }
    }

    /// Returns the bench's name in records.
    fn bench(&self) -> String {
        format!("mpmc.{}", self.experiment.name())
    }

    /// Returns the arrival of items and the load, such as `poisson.30`; empty without a load.
    fn load_words(&self) -> String {
        self.load.map_or_else(String::new, |(arrival, per_cent)| format!("{}.{per_cent}", arrival.name()))
    }

    /// Returns the bench with all its parameters, in words.
    fn words(&self) -> String {
        match (method(self.experiment), self.geometry) {
            (Method::Alone(_), _) if self.threads == Threads::PAIR => self.bench(),
            (Method::Alone(_), _) => format!("{} {}", self.bench(), self.threads),
            (Method::OpenLoop, _) => format!("{}.{} {}", self.bench(), self.load_words(), self.threads),
            (_, Some(geometry)) => {
                format!("{} {} {}x{}", self.bench(), self.threads, geometry.blocks(), geometry.block_size())
            }
            (_, None) => format!("{} {} by {}", self.bench(), self.threads, self.batch),
        }
    }

    /// Returns the cores of the threads of the side that is at work.
    fn crowd_placement(&self, cores: &[usize]) -> Placement {
        let Threads { producers, consumers } = self.threads;
        let placed = Threads::new(producers.max(consumers), 0).placement(cores).producers;
        if producers > 1 {
            Placement { producers: placed, ..Placement::default() }
        } else {
            Placement { consumers: placed, ..Placement::default() }
        }
    }

    /// Returns its measurement with `subject`.
    ///
    /// `subjects` are all that are measured.
    pub(super) fn cell<'a>(
        self,
        plan: &'a Plan,
        here: &'a Here,
        subjects: &'a [Box<dyn Subject>],
        subject: &'a dyn Subject,
    ) -> Cell<'a> {
        let Threads { producers, consumers } = self.threads;
        let place = Place { producers, consumers, capacity: self.capacity(plan), batch: self.batch };
        let divided = |geometry: Geometry| {
            Queue::with_blocks(subject.name(), geometry.blocks() as u32, geometry.block_size() as u32)
        };
        Cell {
            recorded_as: self.geometry.map(divided),
            first: self.first_amount(plan.slice),
            placement: match method(self.experiment) {
                Method::Alone(_) if self.threads == Threads::PAIR => {
                    Placement { producers: here.cores.first().copied().into_iter().collect(), ..Placement::default() }
                }
                Method::Alone(_) => self.crowd_placement(&here.cores),
                Method::Stream(_) | Method::OpenLoop => self.threads.placement(&here.cores),
            },
            ..Cell::new(self.words(), subject.name(), Role::of_queue(subject.is_peer()), place, move |amount| {
                self.measured(plan, here, subjects, subject, amount)
            })
        }
    }

    /// Returns the figures of `amount` items, pairs or calls.
    fn measured(
        &self,
        plan: &Plan,
        here: &Here,
        subjects: &[Box<dyn Subject>],
        subject: &dyn Subject,
        amount: u64,
    ) -> Result<Measured, Fault> {
        let (parts, done, elapsed) = match method(self.experiment) {
            Method::Alone(act) => {
                let (times, core) = (amount, here.cores.first().copied());
                let each = Alone { act, capacity: plan.capacity, warm_up: times / 8, times, core };
                let time = if self.threads == Threads::PAIR {
                    subject.alone(&each)?
                } else {
                    // One side is at work.
                    let threads = self.threads.producers.max(self.threads.consumers);
                    subject.crowd(&Crowd { each, threads, cores: &here.cores })?
                };
                (vec![Part::whole(Unit::Ns, time.ns_each())], time.times, time.elapsed)
            }
            Method::Stream(workload) => self.streamed(plan, here, subject, amount, workload)?,
            Method::OpenLoop => {
                let workload = self.open_loop(plan, here, subjects, amount)?;
                self.streamed(plan, here, subject, amount, workload)?
            }
        };
        let figure = |Part { what, facet, unit, value }: Part| {
            let bench = Bench { facet, ..Bench::new(format!("{}{what}", self.bench())) };
            Figure::new(bench, unit, value)
        };
        Ok(Measured { figures: parts.into_iter().map(figure).collect(), done, elapsed })
    }

    fn spec<'a>(&self, plan: &Plan, here: &'a Here, amount: u64, workload: Workload) -> Stream<'a> {
        Stream {
            workload,
            threads: self.threads,
            batch: self.batch,
            capacity: self.capacity(plan),
            items_each: amount.div_ceil(self.threads.producers as u64),
            cores: &here.cores,
            patience: plan.patience + 10 * plan.slice,
            count_misses: self.experiment == Experiment::Throughput && here.misses.is_ok(),
        }
    }

    /// Returns the open loop at this task's load.
    fn open_loop(
        &self,
        plan: &Plan,
        here: &Here,
        subjects: &[Box<dyn Subject>],
        amount: u64,
    ) -> Result<Workload, Fault> {
        let slowest = here.slowest.among(subjects, &self.spec(plan, here, amount, Workload::Simple));
        let (slowest, (arrival, per_cent)) = slowest
            .zip(self.load)
            .ok_or_else(|| Fault::Refused("no queue could be measured to derive a load".into()))?;
        let per_second = (slowest.items_per_second * f64::from(per_cent) / 100.0) as u64;
        Ok(Workload::OpenLoop(Offered { per_second, arrival }))
    }

    /// Returns the figures of a measurement on many threads, the items that went through, and its
    /// time.
    fn streamed(
        &self,
        plan: &Plan,
        here: &Here,
        subject: &dyn Subject,
        amount: u64,
        workload: Workload,
    ) -> Result<(Vec<Part>, u64, Duration), Fault> {
        let spec = self.spec(plan, here, amount, workload);
        let spec = Stream { batch: if subject.can(self.threads, self.batch) { self.batch } else { 1 }, ..spec };
        let streamed = match self.geometry.zip(sweep::divided(subject)) {
            Some((geometry, stream)) => stream(geometry, &spec)?,
            None => subject.stream(&spec)?,
        };
        Ok((self.parts(&streamed), streamed.items, streamed.elapsed))
    }
}

/// Returns the loads of a plan, for each arrival.
///
/// # Errors
/// If one is 0.
fn loads(plan: &Plan) -> Result<Vec<(Arrival, u32)>, String> {
    if plan.loads.contains(&0) {
        return Err("a load of 0 per cent offers no items; give 1 or more".into());
    }
    Ok(Arrival::ALL.iter().flat_map(|&arrival| plan.loads.iter().map(move |&load| (arrival, load))).collect())
}

/// Returns the quantiles of times, or nothing where none were taken.
fn quantiles(what: &str, times: Option<&Times>, facets: &[Facet]) -> Vec<Part> {
    let part =
        |times: &Times, facet: Facet| Some(Part::side(what, facet, Unit::Ns, times.quantile_ns(facet.fraction()?)));
    times.map_or_else(Vec::new, |times| facets.iter().filter_map(|&facet| part(times, facet)).collect())
}

/// Returns least and greatest share, and Jain's index.
fn evenness(side: &str, shares: &[f64]) -> Vec<Part> {
    let (least, most) = statistics::extremes(shares);
    [(Facet::Least, least), (Facet::Most, most), (Facet::Jain, jain(shares))]
        .into_iter()
        .map(|(facet, value)| Part::side(side, facet, Unit::Share, value))
        .collect()
}
