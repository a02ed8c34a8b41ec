//! One measurement for every queue that can do it, and its figures.

use std::time::Duration;

use super::alone::Alone;
use super::hungry::{CAPACITY, Hungry};
use super::join::{Join, Shape};
use super::kind::Order;
use super::plan::{Experiment, Plan};
use super::pool::{MEMBERS, Policy, Pool, placed, spread_over};
use super::stolen::Stolen;
use super::subject::Subject;
use super::tree::{Files, Tree};
use aqueduct_measure::record::{Placement, Role};
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured, Place};
use aqueduct_measure::unit::Unit;

/// One measurement, without the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) experiment: Experiment,
    pub(super) order: Order,
    /// The percentage of items that are stolen, or of a filling that thieves attempt to steal.
    pub(super) percent: u32,
    pub(super) batch: usize,
    /// The policy of a pool.
    pub(super) policy: Option<Policy>,
    /// The number of blocks, if it is given.
    pub(super) blocks: Option<usize>,
}

impl Task {
    /// The tasks of a plan, in the order of its experiments, then shares, then orders.
    pub(super) fn all(plan: &Plan) -> Vec<Self> {
        let mut tasks = Vec::new();
        let mut both = |task: Self| tasks.extend([Order::Lifo, Order::Fifo].map(|order| Self { order, ..task }));
        for &experiment in &plan.experiments {
            let plain = Self { experiment, order: Order::Lifo, percent: 0, batch: 1, policy: None, blocks: None };
            match experiment {
                Experiment::Alone | Experiment::Hungry | Experiment::Join | Experiment::Tree => both(plain),
                Experiment::Stolen => {
                    for &batch in &plan.batches {
                        plan.percents.iter().for_each(|&percent| both(Self { percent, batch, ..plain }));
                    }
                }
                Experiment::Looked => plan.percents.iter().for_each(|&percent| both(Self { percent, ..plain })),
                // It measures no queue.
                Experiment::Lines => {}
                Experiment::Blocks => {
                    plan.blocks.iter().for_each(|&blocks| both(Self { percent: 10, blocks: Some(blocks), ..plain }));
                }
                Experiment::Pool => {
                    for &percent in &plan.factors {
                        // Without thefts, all policies are equal.
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
            && (subject.can(self.experiment, self.batch) || self.is_without_thefts())
            && (self.percent == 0 || self.policy.is_none_or(|policy| subject.can_by(policy)))
    }

    /// Whether its thief steals nothing. Then bounds take part, and show what the loops cost.
    fn is_without_thefts(&self) -> bool {
        self.experiment == Experiment::Stolen && self.percent == 0 && self.batch == 1
    }

    /// Returns the bench with all its parameters, in words.
    fn words(&self) -> String {
        match self.experiment {
            Experiment::Stolen => format!("{} by {}", self.bench(&format!("stolen_{}", self.percent)), self.batch),
            Experiment::Pool => {
                format!("{} {}", self.bench(&format!("pool_{}", self.percent)), self.policy().unwrap_or_default())
            }
            Experiment::Blocks => format!("{} {}", self.bench("blocks"), self.blocks.unwrap_or_default()),
            Experiment::Looked => self.bench(&format!("looked_{}", self.percent)),
            Experiment::Alone | Experiment::Hungry | Experiment::Join | Experiment::Tree | Experiment::Lines => {
                self.bench(self.experiment.name())
            }
        }
    }

    /// Returns the name of the policy of a pool's members, if they steal.
    fn policy(&self) -> Option<String> {
        self.policy.filter(|_| self.percent > 0).map(Policy::name)
    }

    fn bench(&self, what: &str) -> String {
        format!("steal.{what}.{}", self.order.name())
    }

    fn figure(&self, what: &str, unit: Unit, value: f64) -> Figure {
        Figure::new(self.bench(what), unit, value)
    }

    /// Its measurement with `subject`.
    pub(super) fn cell<'a>(self, plan: &'a Plan, usable: &'a [usize], subject: &'a dyn Subject) -> Cell<'a> {
        let members = if self.experiment == Experiment::Pool { MEMBERS } else { 1 };
        let capacity = if self.experiment == Experiment::Hungry { CAPACITY } else { plan.capacity };
        let place = Place { producers: members, consumers: members, capacity, batch: self.batch };
        let blocks = self.blocks.map(|blocks| format!("{blocks}x{}", plan.capacity.div_ceil(blocks)));
        let how = self.policy().or(blocks);
        Cell {
            placement: self.placement(usable),
            recorded_as: how.map(|how| format!("{}:{how}", subject.name()).into()),
            first: match self.experiment {
                Experiment::Alone | Experiment::Pool | Experiment::Tree | Experiment::Lines => 1,
                Experiment::Stolen | Experiment::Looked | Experiment::Blocks => 2 * plan.capacity as u64,
                Experiment::Hungry | Experiment::Join => 16,
            },
            ..Cell::new(self.words(), subject.name(), Role::of_queue(subject.is_peer()), place, move |amount| {
                self.measured(plan, usable, subject, amount)
            })
        }
    }

    /// The cores of owners and thieves; in a tree, those of the workers.
    fn placement(&self, usable: &[usize]) -> Placement {
        let [owner, thief] = owner_and_thief(usable).map(|core| core.into_iter().collect());
        match self.experiment {
            Experiment::Alone => Placement { producers: owner, consumers: Vec::new() },
            Experiment::Pool => Placement { producers: placed(usable), consumers: placed(usable) },
            Experiment::Join | Experiment::Tree => Placement { producers: usable.to_vec(), consumers: usable.to_vec() },
            Experiment::Stolen | Experiment::Looked | Experiment::Lines | Experiment::Blocks | Experiment::Hungry => {
                Placement { producers: owner, consumers: thief }
            }
        }
    }

    /// Runs it once, `amount` fillings, items or times.
    fn measured(&self, plan: &Plan, usable: &[usize], subject: &dyn Subject, amount: u64) -> Result<Measured, Fault> {
        let cores = owner_and_thief(usable);
        let (figures, elapsed) = match self.experiment {
            Experiment::Alone => {
                let drained = subject.alone(&self.owner_alone(plan, amount, cores))?;
                (vec![self.figure("alone", Unit::Mitems, drained.mitems_per_second)], drained.elapsed)
            }
            Experiment::Stolen => {
                let shared = subject.stolen(&self.with_thief(plan, amount, cores))?;
                let figures = vec![
                    self.figure(&format!("stolen_{}", self.percent), Unit::Mitems, shared.mitems_per_second()),
                    self.figure(&format!("owner_{}", self.percent), Unit::Mitems, shared.owner_mitems_per_second()),
                ];
                (figures, shared.elapsed)
            }
            Experiment::Looked => {
                let shared = subject.stolen(&Stolen { only_looks: true, ..self.with_thief(plan, amount, cores) })?;
                let what = format!("looked_{}", self.percent);
                (vec![self.figure(&what, Unit::Mitems, shared.owner_mitems_per_second())], shared.elapsed)
            }
            Experiment::Lines => unreachable!("no task is of it"),
            Experiment::Blocks => {
                let times = amount.div_ceil(plan.capacity as u64);
                let drained = subject.alone(&self.owner_alone(plan, times, cores))?;
                let shared = subject.stolen(&self.with_thief(plan, amount, cores))?;
                let figures = vec![
                    self.figure("blocks_alone", Unit::Mitems, drained.mitems_per_second),
                    self.figure("blocks_stolen", Unit::Mitems, shared.mitems_per_second()),
                ];
                (figures, drained.elapsed + shared.elapsed)
            }
            Experiment::Hungry => {
                let starved = |works| subject.hungry(&Hungry { works, times: amount, cores, patience: plan.patience });
                let (fed, idle) = (starved(true)?, starved(false)?);
                let figures = vec![
                    self.figure("hungry", Unit::Operations, fed.operations_of(0.5)),
                    self.figure("hungry_p99", Unit::Operations, fed.operations_of(0.99)),
                    self.figure("hungry_time", Unit::Ns, fed.ns_of(0.5)),
                    self.figure("idle", Unit::Ns, idle.ns_of(0.5)),
                    self.figure("idle_p99", Unit::Ns, idle.ns_of(0.99)),
                ];
                (figures, fed.elapsed + idle.elapsed)
            }
            Experiment::Pool => self.pool(plan, usable, subject, amount)?,
            Experiment::Join => self.join(plan, usable, subject, amount)?,
            Experiment::Tree => self.tree(plan, usable, subject, amount)?,
        };
        Ok(Measured { figures, done: amount, elapsed })
    }

    fn owner_alone(&self, plan: &Plan, times: u64, cores: [Option<usize>; 2]) -> Alone {
        Alone { capacity: plan.capacity, blocks: self.blocks, times, core: cores[0] }
    }

    fn with_thief(&self, plan: &Plan, items: u64, cores: [Option<usize>; 2]) -> Stolen {
        let (capacity, patience) = (plan.capacity, plan.patience);
        let Self { blocks, percent, batch, .. } = *self;
        Stolen { capacity, blocks, items, percent, batch, only_looks: false, cores, patience }
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
        let pooled = subject.pool(&Pool { capacity, times, factor, policy, cores: spread_over(usable), patience })?;
        let mut figures = vec![self.figure(&format!("pool_{factor}"), Unit::Mops, pooled.mops_per_second())];
        if factor > 0 {
            figures.push(self.figure(&format!("pool_{factor}_stolen"), Unit::Percent, pooled.percent_stolen()));
        }
        Ok((figures, pooled.elapsed))
    }

    fn join(
        &self,
        plan: &Plan,
        usable: &[usize],
        subject: &dyn Subject,
        amount: u64,
    ) -> Result<(Vec<Figure>, Duration), Fault> {
        let joined =
            |shape, times| subject.join(&Join { shape, times, cores: usable.to_vec(), patience: plan.patience });
        let pair = joined(Shape::Pair, amount)?;
        // A scope and a recursion take some four times as long.
        let few = amount.div_ceil(4);
        let scope = joined(Shape::Scope, few)?;
        let mut figures = vec![
            self.figure("join_pair", Unit::Us, pair.us_for_each_of(amount)),
            self.figure("join_scope", Unit::Us, scope.us_for_each_of(few)),
        ];
        let mut elapsed = pair.elapsed + scope.elapsed;
        // With the oldest task first, a worker would hold all tasks of a level.
        if self.order == Order::Lifo {
            let fib = joined(Shape::Fib, few)?;
            figures.push(self.figure("join_fib", Unit::Mtasks, fib.mtasks_per_second()));
            figures.push(self.figure("join_fib_stolen", Unit::Share, fib.share_stolen()));
            elapsed += fib.elapsed;
        }
        Ok((figures, elapsed))
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
            self.figure("tree", Unit::Mtasks, mixed.mtasks_per_second()),
            self.figure("tree_small", Unit::Mtasks, small.mtasks_per_second()),
            self.figure("tree_stolen", Unit::Share, mixed.share_stolen()),
            self.figure("tree_small_stolen", Unit::Share, small.share_stolen()),
            self.figure("tree_steals", Unit::Percent, mixed.percent_of_attempts()),
            self.figure("tree_small_steals", Unit::Percent, small.percent_of_attempts()),
        ];
        Ok((figures, mixed.elapsed + small.elapsed))
    }
}

/// The first two cores, or the only one for both.
pub(super) fn owner_and_thief(usable: &[usize]) -> [Option<usize>; 2] {
    [usable.first().copied(), usable.get(1).or(usable.first()).copied()]
}
