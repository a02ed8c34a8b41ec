//! One thing to measure with every queue that can do it, and the record that comes of it.

use super::plan::{Experiment, Plan, Threads};
use super::subject::Subject;
use crate::record::{Payload, Record};
use crate::statistics;

/// One measurement, without the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) experiment: Experiment,
    pub(super) threads: Threads,
    pub(super) batch: usize,
}

impl Task {
    /// The tasks of a plan, in the order of its experiments, then of its batches.
    pub(super) fn all(plan: &Plan) -> Vec<Self> {
        let mut tasks = Vec::new();
        for &experiment in &plan.experiments {
            match experiment {
                Experiment::Throughput => {
                    for &batch in &plan.batches {
                        tasks.extend(plan.threads.iter().map(|&threads| Self { experiment, threads, batch }));
                    }
                }
                Experiment::Uncontended | Experiment::Full | Experiment::Empty => {
                    tasks.push(Self { experiment, threads: Threads::PAIR, batch: 1 });
                }
            }
        }
        tasks
    }

    /// The bench's name in records.
    pub(super) fn bench(&self) -> String {
        format!("bbq.{}", self.experiment.name())
    }

    /// The bench with all that tells it from others.
    pub(super) fn words(&self) -> String {
        match self.experiment {
            Experiment::Throughput => format!("{} {} by {}", self.bench(), self.threads, self.batch),
            Experiment::Uncontended | Experiment::Full | Experiment::Empty => self.bench(),
        }
    }

    /// The record of `subject`'s runs.
    pub(super) fn record(&self, plan: &Plan, subject: &dyn Subject, runs: Vec<f64>) -> Record {
        let (min, max) = statistics::extremes(&runs);
        let unit = if self.experiment == Experiment::Throughput { "Mitems/s" } else { "ns" };
        Record {
            bench: self.bench(),
            queue: subject.name().to_owned(),
            peer: subject.is_peer(),
            producers: self.threads.producers,
            consumers: self.threads.consumers,
            capacity: plan.capacity,
            batch: self.batch,
            payload: Payload::Embedded,
            producer_load_ns: 0,
            consumer_load_ns: 0,
            unit: unit.to_owned(),
            median: statistics::median(&runs),
            min,
            max,
            runs,
        }
    }
}
