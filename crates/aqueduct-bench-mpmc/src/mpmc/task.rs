//! One thing to measure with every queue that can do it, and the figures that come of it.

use std::time::Duration;

use aqueduct::bbq::Geometry;

use super::alone::{Act, Alone};
use super::fairness::{jain, shares};
use super::plan::{Experiment, Plan};
use super::stream::{Stream, Streamed};
use super::subject::Subject;
use super::sweep;
use super::timed::Profiling;
use super::work::Workload;
use super::{Fault, Threads};
use aqueduct_measure::counters::l1_misses_available;
use aqueduct_measure::machine;
use aqueduct_measure::record::Placement;
use aqueduct_measure::report::facet::Facet;
use aqueduct_measure::report::matrix;
use aqueduct_measure::rounds::{Cell, Figure, Measured, Place};
use aqueduct_measure::statistics;
use aqueduct_measure::times::Times;

/// One measurement, without the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) experiment: Experiment,
    pub(super) threads: Threads,
    pub(super) batch: usize,
    /// How the queue is divided, where that is told.
    pub(super) geometry: Option<Geometry>,
}

/// How a task is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// On one thread.
    Alone(Act),
    /// On many.
    Stream(Workload),
}

/// What the measurements need to know of the machine.
pub(super) struct Here {
    pub(super) cores: Vec<usize>,
    /// Whether it counts L1 misses, or what it answered.
    pub(super) misses: Result<(), String>,
}

impl Here {
    /// Looks at the machine that this process runs on; threads are placed on the cores `wanted`.
    ///
    /// # Errors
    /// If one of them is not usable.
    pub(super) fn look(wanted: &[usize]) -> Result<Self, String> {
        Ok(Self { cores: machine::cores(wanted)?, misses: l1_misses_available() })
    }
}

/// One figure of a measurement: what stands behind the experiment's name in the bench's, its unit, and how much.
type Part = (String, &'static str, f64);

/// How that experiment is measured.
pub(super) fn method(experiment: Experiment) -> Method {
    match experiment {
        Experiment::Throughput | Experiment::Oversubscription | Experiment::Sweep => Method::Stream(Workload::Simple),
        Experiment::Drain => Method::Stream(Workload::Drain),
        Experiment::Complex => Method::Stream(Workload::Complex),
        Experiment::Profiling => Method::Stream(Workload::Profiling),
        Experiment::Latency => Method::Stream(Workload::Latency),
        Experiment::Fairness => Method::Stream(Workload::Fairness),
        Experiment::Uncontended => Method::Alone(Act::PushAndPop),
        Experiment::Full => Method::Alone(Act::PushToFull),
        Experiment::Empty => Method::Alone(Act::PopFromEmpty),
    }
}

impl Task {
    /// The tasks of a plan, in the order of its experiments, then of its batches or divisions.
    ///
    /// # Errors
    /// If a division is impossible.
    pub(super) fn all(plan: &Plan, cores: usize) -> Result<Vec<Self>, String> {
        let mut tasks = Vec::new();
        for &experiment in &plan.experiments {
            let batches = match experiment {
                Experiment::Throughput | Experiment::Drain => plan.batches.clone(),
                _ => vec![1],
            };
            let geometries = match experiment {
                Experiment::Sweep => sweep::geometries(plan)?.into_iter().map(Some).collect(),
                _ => vec![None],
            };
            for batch in batches {
                for &geometry in &geometries {
                    let of_threads = |threads| Self { experiment, threads, batch, geometry };
                    tasks.extend(plan.threads_of(experiment, cores).into_iter().map(of_threads));
                }
            }
        }
        Ok(tasks)
    }

    /// Whether `subject` can do it. A queue without batches moves the items of the plan's first batch one by one.
    pub(super) fn suits(&self, plan: &Plan, subject: &dyn Subject) -> bool {
        let item_by_item = plan.batches.first() == Some(&self.batch) && subject.can(self.threads, 1);
        (subject.can(self.threads, self.batch) || item_by_item)
            && (self.geometry.is_none() || sweep::divided(subject).is_some())
    }

    /// Items that the queue can hold.
    fn capacity(&self, plan: &Plan) -> usize {
        match (self.experiment, self.geometry) {
            (_, Some(geometry)) => geometry.capacity(),
            (Experiment::Drain, None) => plan.drain_capacity,
            (Experiment::Latency, None) => plan.latency_capacity,
            _ => plan.capacity,
        }
    }

    /// Items of the first attempt, of which nothing is known yet.
    fn first_amount(&self, slice: Duration) -> u64 {
        match self.experiment {
            Experiment::Profiling => {
                let rate = Profiling::PUSHES_PER_SECOND * self.threads.producers as u64;
                (rate as f64 * slice.as_secs_f64() / 8.0) as u64 + 1
            }
            // A queue whose threads wait for each other in turn takes milliseconds for an item where they share cores.
            _ => 500,
        }
    }

    /// The figures of a measurement with many threads.
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
            Experiment::Profiling => {
                quantiles("push", streamed.timed.push.as_ref(), &[Facet::P50, Facet::P99, Facet::Max])
            }
            Experiment::Fairness => [("producers", &streamed.pushed), ("consumers", &streamed.popped)]
                .into_iter()
                .flat_map(|(side, operations)| evenness(side, &shares(operations)))
                .collect(),
            _ => {
                let misses = streamed.l1_misses.map(|misses| misses as f64 / streamed.items as f64);
                let rate = (String::new(), "Mitems/s", streamed.mitems_per_second());
                let misses = misses.map(|misses| (".l1_misses".to_owned(), "misses/item", misses));
                [Some(rate), misses].into_iter().flatten().collect()
            }
        }
    }

    /// The bench's name in records.
    fn bench(&self) -> String {
        format!("bbq.{}", self.experiment.name())
    }

    /// The bench with all that tells it from others.
    fn words(&self) -> String {
        match (method(self.experiment), self.geometry) {
            (Method::Alone(_), _) => self.bench(),
            (_, Some(geometry)) => {
                format!("{} {} {}x{}", self.bench(), self.threads, geometry.blocks(), geometry.block_size())
            }
            (_, None) => format!("{} {} by {}", self.bench(), self.threads, self.batch),
        }
    }

    /// Its measurement with `subject`.
    pub(super) fn cell<'a>(self, plan: &'a Plan, here: &'a Here, subject: &'a dyn Subject) -> Cell<'a> {
        let Threads { producers, consumers } = self.threads;
        let place = Place { producers, consumers, capacity: self.capacity(plan), batch: self.batch };
        let divided =
            |geometry: Geometry| matrix::divided_name(subject.name(), geometry.blocks(), geometry.block_size());
        Cell {
            recorded_as: self.geometry.map(divided),
            first: self.first_amount(plan.slice),
            placement: match method(self.experiment) {
                Method::Alone(_) => {
                    Placement { producers: here.cores.first().copied().into_iter().collect(), ..Placement::default() }
                }
                Method::Stream(_) => self.threads.placement(&here.cores),
            },
            ..Cell::new(self.words(), subject.name(), subject.is_peer(), place, move |amount| {
                self.measured(plan, here, subject, amount)
            })
        }
    }

    /// The figures of `amount` items, pairs or calls.
    fn measured(&self, plan: &Plan, here: &Here, subject: &dyn Subject, amount: u64) -> Result<Measured, Fault> {
        let (parts, done, elapsed) = match method(self.experiment) {
            Method::Alone(act) => {
                let (times, core) = (amount, here.cores.first().copied());
                let time = subject.alone(&Alone { act, capacity: plan.capacity, warm_up: times / 8, times, core })?;
                (vec![(String::new(), "ns", time.ns_each())], time.times, time.elapsed)
            }
            Method::Stream(workload) => {
                let streamed = self.streamed(plan, here, subject, amount, workload)?;
                (self.parts(&streamed), streamed.items, streamed.elapsed)
            }
        };
        let figure = |(part, unit, value)| Figure::new(format!("{}{part}", self.bench()), unit, value);
        Ok(Measured { figures: parts.into_iter().map(figure).collect(), done, elapsed })
    }

    fn streamed(
        &self,
        plan: &Plan,
        here: &Here,
        subject: &dyn Subject,
        amount: u64,
        workload: Workload,
    ) -> Result<Streamed, Fault> {
        let spec = Stream {
            workload,
            threads: self.threads,
            batch: if subject.can(self.threads, self.batch) { self.batch } else { 1 },
            capacity: self.capacity(plan),
            items_each: amount.div_ceil(self.threads.producers as u64),
            cores: &here.cores,
            patience: plan.patience + 10 * plan.slice,
            count_misses: self.experiment == Experiment::Throughput && here.misses.is_ok(),
        };
        match self.geometry.zip(sweep::divided(subject)) {
            Some((geometry, stream)) => stream(geometry, &spec),
            None => subject.stream(&spec),
        }
    }
}

/// The quantiles of times, or nothing where none were taken.
fn quantiles(what: &str, times: Option<&Times>, facets: &[Facet]) -> Vec<Part> {
    let part = |times: &Times, facet: Facet| {
        Some((format!(".{what}.{}", facet.suffix()), "ns", times.quantile_ns(facet.fraction()?)))
    };
    times.map_or_else(Vec::new, |times| facets.iter().filter_map(|&facet| part(times, facet)).collect())
}

/// Least and greatest share, and Jain's index.
fn evenness(side: &str, shares: &[f64]) -> Vec<Part> {
    let (least, most) = statistics::extremes(shares);
    [(Facet::Least, least), (Facet::Most, most), (Facet::Jain, jain(shares))]
        .into_iter()
        .map(|(facet, value)| (format!(".{side}.{}", facet.suffix()), "share", value))
        .collect()
}
