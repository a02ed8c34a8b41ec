//! One thing to measure with every queue that can do it, and the records that come of it.

use std::time::Duration;

use aqueduct::bbq::Geometry;

use super::alone::Act;
use super::fairness::{jain, shares};
use super::plan::{Experiment, Plan, Threads};
use super::stream::Streamed;
use super::subject::Subject;
use super::sweep;
use super::timed::Profiling;
use super::times::Times;
use super::work::Workload;
use crate::record::{Payload, Record};
use crate::report::facet::Facet;
use crate::report::matrix;
use crate::statistics;

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

/// One figure of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    /// What stands behind the experiment's name in the bench's.
    pub(super) part: String,
    pub(super) unit: &'static str,
    pub(super) value: f64,
}

impl Figure {
    pub(super) fn new(part: impl Into<String>, unit: &'static str, value: f64) -> Self {
        Self { part: part.into(), unit, value }
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
            let batches = if experiment == Experiment::Throughput { plan.batches.clone() } else { vec![1] };
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

    pub(super) fn method(&self) -> Method {
        match self.experiment {
            Experiment::Throughput | Experiment::Oversubscription | Experiment::Sweep => {
                Method::Stream(Workload::Simple)
            }
            Experiment::Complex => Method::Stream(Workload::Complex),
            Experiment::Profiling => Method::Stream(Workload::Profiling),
            Experiment::Latency => Method::Stream(Workload::Latency),
            Experiment::Fairness => Method::Stream(Workload::Fairness),
            Experiment::Uncontended => Method::Alone(Act::PushAndPop),
            Experiment::Full => Method::Alone(Act::PushToFull),
            Experiment::Empty => Method::Alone(Act::PopFromEmpty),
        }
    }

    /// Whether `subject` can do it.
    pub(super) fn suits(&self, subject: &dyn Subject) -> bool {
        subject.can(self.threads, self.batch) && (self.geometry.is_none() || sweep::divided(subject).is_some())
    }

    /// Items that the queue can hold.
    pub(super) fn capacity(&self, plan: &Plan) -> usize {
        match (self.experiment, self.geometry) {
            (_, Some(geometry)) => geometry.capacity(),
            (Experiment::Latency, None) => plan.latency_capacity,
            _ => plan.capacity,
        }
    }

    /// Items of the first attempt, of which nothing is known yet.
    pub(super) fn first_amount(&self, slice: Duration) -> u64 {
        match self.experiment {
            Experiment::Profiling => {
                let rate = Profiling::PUSHES_PER_SECOND * self.threads.producers as u64;
                (rate as f64 * slice.as_secs_f64() / 8.0) as u64 + 1
            }
            _ => 10_000,
        }
    }

    /// The figures of a measurement with many threads.
    pub(super) fn figures(&self, streamed: &Streamed) -> Vec<Figure> {
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
                let rate = Figure::new("", "Mitems/s", streamed.mitems_per_second());
                let misses = misses.map(|misses| Figure::new(".l1_misses", "misses/item", misses));
                [Some(rate), misses].into_iter().flatten().collect()
            }
        }
    }

    /// The bench's name in records.
    fn bench(&self) -> String {
        format!("bbq.{}", self.experiment.name())
    }

    /// The bench with all that tells it from others.
    pub(super) fn words(&self) -> String {
        match (self.method(), self.geometry) {
            (Method::Alone(_), _) => self.bench(),
            (_, Some(geometry)) => {
                format!("{} {} {}x{}", self.bench(), self.threads, geometry.blocks(), geometry.block_size())
            }
            (_, None) => format!("{} {} by {}", self.bench(), self.threads, self.batch),
        }
    }

    /// The record of `subject`'s runs, of which `figure` is one.
    pub(super) fn record(&self, plan: &Plan, subject: &dyn Subject, figure: &Figure, runs: Vec<f64>) -> Record {
        let (min, max) = statistics::extremes(&runs);
        let queue = match self.geometry {
            Some(geometry) => matrix::divided_name(subject.name(), geometry.blocks(), geometry.block_size()),
            None => subject.name().to_owned(),
        };
        Record {
            bench: format!("{}{}", self.bench(), figure.part),
            queue,
            peer: subject.is_peer(),
            producers: self.threads.producers,
            consumers: self.threads.consumers,
            capacity: self.capacity(plan),
            batch: self.batch,
            payload: Payload::Embedded,
            producer_load_ns: 0,
            consumer_load_ns: 0,
            unit: figure.unit.to_owned(),
            median: statistics::median(&runs),
            min,
            max,
            runs,
        }
    }
}

/// The quantiles of times, or nothing where none were taken.
fn quantiles(what: &str, times: Option<&Times>, facets: &[Facet]) -> Vec<Figure> {
    let figure = |times: &Times, facet: Facet| {
        let fraction = facet.fraction()?;
        Some(Figure::new(format!(".{what}.{}", facet.suffix()), "ns", times.quantile_ns(fraction)))
    };
    times.map_or_else(Vec::new, |times| facets.iter().filter_map(|&facet| figure(times, facet)).collect())
}

/// Least and greatest share, and Jain's index.
fn evenness(side: &str, shares: &[f64]) -> Vec<Figure> {
    let (least, most) = statistics::extremes(shares);
    [(Facet::Least, least), (Facet::Most, most), (Facet::Jain, jain(shares))]
        .into_iter()
        .map(|(facet, value)| Figure::new(format!(".{side}.{}", facet.suffix()), "share", value))
        .collect()
}
