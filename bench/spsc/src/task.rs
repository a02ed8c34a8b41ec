//! One measurement for every queue that can take part, and its records.

use super::plan::{Experiment, Plan, REGIMES};
use super::subject::{Subject, Workload};
use aqueduct_measure::names::Bench;
use aqueduct_measure::record::{Payload, Place, Record, Role};
use aqueduct_measure::unit::Unit;

/// One measurement, without the queue.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task {
    pub(super) work: Work,
    /// The experiments of the measurement; the figures of all of them come from the same runs.
    pub(super) experiments: Vec<Experiment>,
}

/// A way to make a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Work {
    /// Streaming with emulated loads in nanoseconds.
    Stream { batch: usize, payload: Payload, producer_ns: u32, consumer_ns: u32 },
    /// Request and response.
    Bounce { payload: Payload },
    /// One thread.
    Alone,
}

/// All figures of one queue in one task, a vector per figure, a value per round.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Series {
    /// Million items per second, nanoseconds per round trip, or nanoseconds per pair.
    pub(super) main: Vec<f64>,
    /// Mean round trips of chunks.
    pub(super) chunks: Vec<f64>,
    /// Items between two stalls.
    pub(super) producer_batch: Vec<f64>,
    pub(super) consumer_batch: Vec<f64>,
    /// L1 misses per item or per round trip.
    pub(super) producer_misses: Vec<f64>,
    pub(super) consumer_misses: Vec<f64>,
}

/// The figures of one measurement.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Figures {
    pub(super) main: f64,
    pub(super) chunks: Vec<f64>,
    pub(super) batches: Option<(f64, f64)>,
    pub(super) misses: Option<(f64, f64)>,
}

impl Series {
    pub(super) fn add(&mut self, figures: Figures) {
        self.main.push(figures.main);
        self.chunks.extend(figures.chunks);
        if let Some((producer, consumer)) = figures.batches {
            self.producer_batch.push(producer);
            self.consumer_batch.push(consumer);
        }
        if let Some((producer, consumer)) = figures.misses {
            self.producer_misses.push(producer);
            self.consumer_misses.push(consumer);
        }
    }
}

/// The greatest number of chunks in a distribution, evenly chosen.
const CHUNKS_KEPT: usize = 2000;

impl Task {
    /// Returns the tasks of a plan, in the order of its experiments.
    pub(super) fn all(plan: &Plan) -> Vec<Self> {
        let asked = |experiment| plan.experiments.contains(&experiment);
        // With its misses, where they are asked for.
        let counted = |experiment| {
            [experiment]
                .into_iter()
                .chain(asked(Experiment::L1Misses).then_some(Experiment::L1Misses))
                .collect::<Vec<_>>()
        };
        let mut tasks = Vec::new();
        if asked(Experiment::Throughput) {
            tasks.extend(streams(plan, &[(0, 0)], &[Experiment::Throughput]));
        }
        let in_regimes: Vec<Experiment> = [Experiment::Regimes, Experiment::PerceivedBatch, Experiment::L1Misses]
            .into_iter()
            .filter(|one| asked(*one))
            .collect();
        if !in_regimes.is_empty() {
            let loads = REGIMES.map(|regime| (regime.producer_load_ns, regime.consumer_load_ns));
            tasks.extend(streams(plan, &loads, &in_regimes));
        }
        if asked(Experiment::PingPong) {
            let experiments = counted(Experiment::PingPong);
            let bounce = |&payload| Self { work: Work::Bounce { payload }, experiments: experiments.clone() };
            tasks.extend(plan.payloads.iter().map(bounce));
        }
        if asked(Experiment::Uncontended) {
            tasks.push(Self { work: Work::Alone, experiments: vec![Experiment::Uncontended] });
        }
        if asked(Experiment::Load) {
            let row = |&producer| plan.loads.iter().map(move |&consumer| (producer, consumer));
            let cells: Vec<(u32, u32)> = plan.loads.iter().flat_map(row).collect();
            tasks.extend(streams(plan, &cells, &counted(Experiment::Load)));
        }
        tasks
    }

    /// Whether `subject` takes part. A queue without batches moves the items of the plan's first
    /// batch one by one.
    pub(super) fn takes(&self, plan: &Plan, subject: &dyn Subject) -> bool {
        let matrix = self.is_matrix();
        if matrix && subject.role() == Role::Peer && !plan.matrix_peers {
            return false;
        }
        // A bound has no stalls, no useful misses per item, and no place in a matrix.
        if subject.role() == Role::Bound && !self.has_main() {
            return false;
        }
        match self.work {
            Work::Stream { batch, payload, producer_ns, consumer_ns } => {
                let loaded = matrix || producer_ns + consumer_ns > 0;
                let with = |batch| subject.can(Workload::Stream { batch, payload, loaded });
                with(batch) || plan.batches.first() == Some(&batch) && with(1)
            }
            Work::Bounce { payload } => subject.can(Workload::Bounce { payload }),
            Work::Alone => subject.can(Workload::Alone),
        }
    }

    /// Whether this is a cell of a load matrix.
    pub(super) fn is_matrix(&self) -> bool {
        self.experiments.contains(&Experiment::Load)
    }

    /// Whether both sides must stay greedy: all streaming but the plain throughput.
    pub(super) fn is_greedy(&self) -> bool {
        !self.experiments.contains(&Experiment::Throughput)
    }

    /// Whether the misses are counted.
    pub(super) fn counts_misses(&self) -> bool {
        self.experiments.contains(&Experiment::L1Misses)
    }

    /// Returns the name under which the task's progress is shown.
    pub(super) fn bench(&self) -> String {
        format!("spsc.{}", self.experiments[0].name())
    }

    fn has_main(&self) -> bool {
        self.experiments.iter().any(|one| !matches!(one, Experiment::PerceivedBatch | Experiment::L1Misses))
    }

    /// Returns the records of `subject`'s figures.
    pub(super) fn records(&self, plan: &Plan, subject: &dyn Subject, series: &Series) -> Vec<Record> {
        let mut records = Vec::new();
        let mut add = |bench: Bench, unit: Unit, runs: &[f64]| {
            if !runs.is_empty() {
                records.push(self.record(plan, subject, bench, unit, runs));
            }
        };
        for experiment in &self.experiments {
            let bench = format!("spsc.{}", experiment.name());
            match experiment {
                Experiment::Throughput | Experiment::Regimes | Experiment::Load => {
                    add(bench.into(), Unit::Mitems, &series.main);
                }
                Experiment::Uncontended => add(bench.into(), Unit::Ns, &series.main),
                Experiment::PingPong => {
                    add(Bench::distribution(&bench), Unit::Ns, &thinned(&series.chunks));
                    add(bench.into(), Unit::Ns, &series.main);
                }
                Experiment::PerceivedBatch => {
                    add(format!("{bench}.producer").into(), Unit::Items, &series.producer_batch);
                    add(format!("{bench}.consumer").into(), Unit::Items, &series.consumer_batch);
                }
                Experiment::L1Misses => {
                    let bench = match self.experiments[0] {
                        Experiment::Load | Experiment::PingPong => format!("{}.{}", self.bench(), experiment.name()),
                        _ => bench,
                    };
                    add(format!("{bench}.producer").into(), Unit::Misses, &series.producer_misses);
                    add(format!("{bench}.consumer").into(), Unit::Misses, &series.consumer_misses);
                }
            }
        }
        records
    }

    fn record(&self, plan: &Plan, subject: &dyn Subject, bench: Bench, unit: Unit, runs: &[f64]) -> Record {
        let (batch, payload, producer_ns, consumer_ns) = match self.work {
            Work::Stream { batch, payload, producer_ns, consumer_ns } => (batch, payload, producer_ns, consumer_ns),
            Work::Bounce { payload } => (1, payload, 0, 0),
            Work::Alone => (1, Payload::Embedded, 0, 0),
        };
        let place = Place { producers: 1, consumers: 1, capacity: plan.capacity, batch };
        Record {
            payload,
            producer_load_ns: producer_ns,
            consumer_load_ns: consumer_ns,
            ..Record::of(bench, subject.name().to_owned(), subject.role(), place, unit, runs.to_vec())
        }
    }
}

/// Returns streaming tasks for every payload, batch size and pair of loads.
fn streams(plan: &Plan, loads: &[(u32, u32)], experiments: &[Experiment]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for &payload in &plan.payloads {
        for &batch in &plan.batches {
            tasks.extend(loads.iter().map(|&(producer_ns, consumer_ns)| Task {
                work: Work::Stream { batch, payload, producer_ns, consumer_ns },
                experiments: experiments.to_vec(),
            }));
        }
    }
    tasks
}

/// Returns evenly chosen members, in order, so that a report stays small.
fn thinned(values: &[f64]) -> Vec<f64> {
    let step = values.len().div_ceil(CHUNKS_KEPT).max(1);
    values.iter().copied().step_by(step).collect()
}
