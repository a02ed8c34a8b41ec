//! One thing to measure with every queue that can do it, and the figures that come of it.

use std::time::Duration;

use super::Fault;
use super::alone::Alone;
use super::hungry::{CAPACITY, Hungry};
use super::kind::Order;
use super::plan::{Experiment, Plan};
use super::pool::{MEMBERS, Policy, Pool};
use super::stolen::Stolen;
use super::subject::Subject;
use super::tree::{Files, Tree};
use crate::record::{Payload, Record};
use crate::statistics;

/// One measurement, without the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) experiment: Experiment,
    pub(super) order: Order,
    /// Of the items that are stolen, or of a filling that is attempted.
    pub(super) percent: u32,
    pub(super) batch: usize,
    /// Of a pool.
    pub(super) policy: Option<Policy>,
}

/// One of the figures of a measurement: what it is of, its unit, and how much.
pub(super) type Figure = (String, &'static str, f64);

/// What one run of a task yielded.
pub(super) struct Outcome {
    pub(super) figures: Vec<Figure>,
    /// Fillings, items or times, whatever the task's amounts are.
    pub(super) done: u64,
    pub(super) elapsed: Duration,
}

impl Task {
    /// The tasks of a plan, in the order of its experiments, then shares, then orders.
    pub(super) fn all(plan: &Plan) -> Vec<Self> {
        let mut tasks = Vec::new();
        let mut both = |experiment, percent, batch, policy| {
            tasks.extend([Order::Lifo, Order::Fifo].map(|order| Self { experiment, order, percent, batch, policy }));
        };
        for &experiment in &plan.experiments {
            match experiment {
                Experiment::Alone | Experiment::Hungry | Experiment::Tree => both(experiment, 0, 1, None),
                Experiment::Stolen => {
                    for &batch in &plan.batches {
                        plan.percents.iter().for_each(|&percent| both(experiment, percent, batch, None));
                    }
                }
                Experiment::Pool => {
                    for &factor in &plan.factors {
                        // Where nothing is stolen, policies are all the same.
                        let policies = &plan.policies[..if factor == 0 { 1 } else { plan.policies.len() }];
                        policies.iter().for_each(|&policy| both(experiment, factor, 1, Some(policy)));
                    }
                }
            }
        }
        tasks
    }

    pub(super) fn can(&self, subject: &dyn Subject) -> bool {
        subject.order() == self.order
            && subject.can(self.experiment, self.batch)
            && (self.percent == 0 || self.policy.is_none_or(|policy| subject.can_by(policy)))
    }

    /// The bench with all that tells it from others.
    pub(super) fn words(&self) -> String {
        match self.experiment {
            Experiment::Stolen => format!("{} by {}", self.bench(&format!("stolen_{}", self.percent)), self.batch),
            Experiment::Pool => {
                format!("{} {}", self.bench(&format!("pool_{}", self.percent)), self.policy().unwrap_or_default())
            }
            Experiment::Alone | Experiment::Hungry | Experiment::Tree => self.bench(self.experiment.name()),
        }
    }

    /// By what a pool's members steal, if they do.
    fn policy(&self) -> Option<String> {
        self.policy.filter(|_| self.percent > 0).map(Policy::name)
    }

    fn bench(&self, what: &str) -> String {
        format!("bwos.{what}.{}", self.order.name())
    }

    /// Runs it once, `amount` fillings, items or times.
    pub(super) fn attempt(
        &self,
        plan: &Plan,
        usable: &[usize],
        subject: &dyn Subject,
        amount: u64,
    ) -> Result<Outcome, Fault> {
        let patience = plan.patience;
        let cores = [usable.first().copied(), usable.get(1).or(usable.first()).copied()];
        match self.experiment {
            Experiment::Alone => {
                let drained = subject.alone(&Alone { capacity: plan.capacity, times: amount, core: cores[0] })?;
                let figures = vec![(self.bench("alone"), "Mitems/s", drained.mitems_per_second())];
                Ok(Outcome { figures, done: amount, elapsed: drained.elapsed })
            }
            Experiment::Stolen => {
                let (percent, batch) = (self.percent, self.batch);
                let spec = Stolen { capacity: plan.capacity, items: amount, percent, batch, cores, patience };
                let shared = subject.stolen(&spec)?;
                let figures = vec![
                    (self.bench(&format!("stolen_{percent}")), "Mitems/s", shared.mitems_per_second()),
                    (self.bench(&format!("owner_{percent}")), "Mitems/s", shared.owner_mitems_per_second()),
                ];
                Ok(Outcome { figures, done: amount, elapsed: shared.elapsed })
            }
            Experiment::Hungry => {
                let fed = subject.hungry(&Hungry { times: amount, cores, patience })?;
                let figures = vec![
                    (self.bench("hungry"), "operations", fed.operations_of(0.5)),
                    (self.bench("hungry_p99"), "operations", fed.operations_of(0.99)),
                    (self.bench("hungry_time"), "ns", statistics::median(&fed.ns)),
                ];
                Ok(Outcome { figures, done: amount, elapsed: fed.elapsed })
            }
            Experiment::Pool => {
                let (capacity, times, factor) = (plan.capacity, amount, self.percent);
                let policy = self.policy.expect("a pool has one");
                let pooled =
                    subject.pool(&Pool { capacity, times, factor, policy, cores: usable.to_vec(), patience })?;
                let mut figures = vec![(self.bench(&format!("pool_{factor}")), "Mops/s", pooled.mops_per_second())];
                if factor > 0 {
                    figures.push((self.bench(&format!("pool_{factor}_stolen")), "%", pooled.percent_stolen()));
                }
                Ok(Outcome { figures, done: amount, elapsed: pooled.elapsed })
            }
            Experiment::Tree => {
                let spec =
                    |files, times| Tree { capacity: plan.capacity, times, files, cores: usable.to_vec(), patience };
                let mixed = subject.tree(&spec(Files::Mixed, amount))?;
                // Small files are hashed a hundred times as fast; a fifth of the time is enough.
                let small = subject.tree(&spec(Files::Small, 20 * amount))?;
                let figures = vec![
                    (self.bench("tree"), "Mtasks/s", mixed.mtasks_per_second()),
                    (self.bench("tree_small"), "Mtasks/s", small.mtasks_per_second()),
                ];
                Ok(Outcome { figures, done: amount, elapsed: mixed.elapsed + small.elapsed })
            }
        }
    }

    /// The record of `subject`'s runs of one figure.
    pub(super) fn record(
        &self,
        plan: &Plan,
        subject: &dyn Subject,
        (bench, unit): (String, &str),
        runs: Vec<f64>,
    ) -> Record {
        let (min, max) = statistics::extremes(&runs);
        let members = if self.experiment == Experiment::Pool { MEMBERS } else { 1 };
        let policy = self.policy().map_or(String::new(), |policy| format!(":{policy}"));
        Record {
            bench,
            queue: format!("{}{policy}", subject.name()),
            peer: subject.is_peer(),
            producers: members,
            consumers: members,
            capacity: if self.experiment == Experiment::Hungry { CAPACITY } else { plan.capacity },
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
