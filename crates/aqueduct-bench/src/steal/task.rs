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
    /// In how many blocks, if it is told.
    pub(super) blocks: Option<usize>,
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
        let mut both = |task: Self| tasks.extend([Order::Lifo, Order::Fifo].map(|order| Self { order, ..task }));
        for &experiment in &plan.experiments {
            let plain = Self { experiment, order: Order::Lifo, percent: 0, batch: 1, policy: None, blocks: None };
            match experiment {
                Experiment::Alone | Experiment::Hungry | Experiment::Tree => both(plain),
                Experiment::Stolen => {
                    for &batch in &plan.batches {
                        plan.percents.iter().for_each(|&percent| both(Self { percent, batch, ..plain }));
                    }
                }
                Experiment::Blocks => {
                    plan.blocks.iter().for_each(|&blocks| both(Self { percent: 10, blocks: Some(blocks), ..plain }));
                }
                Experiment::Pool => {
                    for &percent in &plan.factors {
                        // Where nothing is stolen, policies are all the same.
                        let policies = &plan.policies[..if percent == 0 { 1 } else { plan.policies.len() }];
                        policies.iter().for_each(|&one| both(Self { percent, policy: Some(one), ..plain }));
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
            Experiment::Blocks => format!("{} {}", self.bench("blocks"), self.blocks.unwrap_or_default()),
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
        let cores = [usable.first().copied(), usable.get(1).or(usable.first()).copied()];
        let (figures, elapsed) = match self.experiment {
            Experiment::Alone => {
                let drained = subject.alone(&self.owner_alone(plan, amount, cores))?;
                (vec![(self.bench("alone"), "Mitems/s", drained.mitems_per_second())], drained.elapsed)
            }
            Experiment::Stolen => {
                let shared = subject.stolen(&self.with_thief(plan, amount, cores))?;
                let figures = vec![
                    (self.bench(&format!("stolen_{}", self.percent)), "Mitems/s", shared.mitems_per_second()),
                    (self.bench(&format!("owner_{}", self.percent)), "Mitems/s", shared.owner_mitems_per_second()),
                ];
                (figures, shared.elapsed)
            }
            Experiment::Blocks => {
                let times = amount.div_ceil(plan.capacity as u64);
                let drained = subject.alone(&self.owner_alone(plan, times, cores))?;
                let shared = subject.stolen(&self.with_thief(plan, amount, cores))?;
                let figures = vec![
                    (self.bench("blocks_alone"), "Mitems/s", drained.mitems_per_second()),
                    (self.bench("blocks_stolen"), "Mitems/s", shared.mitems_per_second()),
                ];
                (figures, drained.elapsed + shared.elapsed)
            }
            Experiment::Hungry => {
                let fed = subject.hungry(&Hungry { times: amount, cores, patience: plan.patience })?;
                let figures = vec![
                    (self.bench("hungry"), "operations", fed.operations_of(0.5)),
                    (self.bench("hungry_p99"), "operations", fed.operations_of(0.99)),
                    (self.bench("hungry_time"), "ns", statistics::median(&fed.ns)),
                ];
                (figures, fed.elapsed)
            }
            Experiment::Pool => self.pool(plan, usable, subject, amount)?,
            Experiment::Tree => self.tree(plan, usable, subject, amount)?,
        };
        Ok(Outcome { figures, done: amount, elapsed })
    }

    fn owner_alone(&self, plan: &Plan, times: u64, cores: [Option<usize>; 2]) -> Alone {
        Alone { capacity: plan.capacity, blocks: self.blocks, times, core: cores[0] }
    }

    fn with_thief(&self, plan: &Plan, items: u64, cores: [Option<usize>; 2]) -> Stolen {
        let (capacity, patience) = (plan.capacity, plan.patience);
        Stolen { capacity, blocks: self.blocks, items, percent: self.percent, batch: self.batch, cores, patience }
    }

    fn pool(
        &self,
        plan: &Plan,
        usable: &[usize],
        subject: &dyn Subject,
        times: u64,
    ) -> Result<(Vec<Figure>, Duration), Fault> {
        let (capacity, patience, factor) = (plan.capacity, plan.patience, self.percent);
        let policy = self.policy.expect("a pool has one");
        let pooled = subject.pool(&Pool { capacity, times, factor, policy, cores: usable.to_vec(), patience })?;
        let mut figures = vec![(self.bench(&format!("pool_{factor}")), "Mops/s", pooled.mops_per_second())];
        if factor > 0 {
            figures.push((self.bench(&format!("pool_{factor}_stolen")), "%", pooled.percent_stolen()));
        }
        Ok((figures, pooled.elapsed))
    }

    fn tree(
        &self,
        plan: &Plan,
        usable: &[usize],
        subject: &dyn Subject,
        amount: u64,
    ) -> Result<(Vec<Figure>, Duration), Fault> {
        let hashed = |files, times| {
            let (capacity, patience) = (plan.capacity, plan.patience);
            subject.tree(&Tree { capacity, times, files, cores: usable.to_vec(), patience })
        };
        let mixed = hashed(Files::Mixed, amount)?;
        // Small files are hashed a hundred times as fast; a fifth of the time is enough.
        let small = hashed(Files::Small, 20 * amount)?;
        let figures = vec![
            (self.bench("tree"), "Mtasks/s", mixed.mtasks_per_second()),
            (self.bench("tree_small"), "Mtasks/s", small.mtasks_per_second()),
        ];
        Ok((figures, mixed.elapsed + small.elapsed))
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
        let blocks = self.blocks.map(|blocks| format!("{blocks}x{}", plan.capacity.div_ceil(blocks)));
        let how = self.policy().or(blocks).map_or(String::new(), |how| format!(":{how}"));
        Record {
            bench,
            queue: format!("{}{how}", subject.name()),
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
