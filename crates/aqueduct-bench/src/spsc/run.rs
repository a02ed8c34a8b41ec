//! Follows a plan: all measurements of a round, A B C, then the next round, A B C.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::alone::Alone;
use super::bounce::{Bounce, TRIPS_PER_CHUNK};
use super::catalogue::selected;
use super::pair::Fault;
use super::plan::{Experiment, Plan};
use super::stream::Stream;
use super::subject::Subject;
use super::task::{Series, Task, Work};
use crate::counters::l1_misses_available;
use crate::load::Calibration;
use crate::machine::Cores;
use crate::record::Record;

/// Watches a run: a progress bar, a log, or nobody.
pub trait Observer {
    /// That many measurements are planned.
    fn begin(&mut self, total: u64);
    /// The next measurement is of that queue.
    fn measuring(&mut self, bench: &str, queue: &str);
    /// One measurement ended.
    fn measured(&mut self);
    /// The run is over, whether it did all or was cut short.
    fn end(&mut self);
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Observer for Quiet {
    fn begin(&mut self, _total: u64) {}
    fn measuring(&mut self, _bench: &str, _queue: &str) {}
    fn measured(&mut self) {}
    fn end(&mut self) {}
}

/// What a run found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// The figures. A queue that failed in a bench has no figure in it.
    pub records: Vec<Record>,
    /// Queues that failed: the bench, the queue, and what went wrong.
    pub faults: Vec<(String, String, Fault)>,
    /// What this machine cannot measure, as sentences.
    pub notes: Vec<String>,
    /// Rounds that were completed.
    pub rounds: usize,
}

/// Measures what the plan asks for.
///
/// Set `stop` from another thread (a Ctrl-C handler) to end after the measurement that runs; the
/// findings hold what was measured until then.
///
/// # Errors
/// A sentence that says what is wrong with the plan.
pub fn run(
    plan: &Plan,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Findings, String> {
    let cores = Cores::choose(plan.cores)?;
    check(plan)?;
    let subjects = selected(plan);
    if subjects.is_empty() {
        return Err("no queue, peer or bound is left to measure".into());
    }
    let (plan, notes) = possible(plan, cores);
    let mut cells = cells(&plan, &subjects);
    let rounds = plan.rounds.max(1);
    observer.begin(cells.len() as u64 * (rounds as u64 + 1));
    let mut bench = Bench {
        plan: &plan,
        cores,
        calibration: Calibration::measure(),
    };
    let begin = Instant::now();
    let mut done = 0;
    // The round before the first warms up and finds out how many items fill a slice.
    'rounds: for round in 0..=rounds {
        if round > 1
            && plan
                .limit
                .is_some_and(|limit| begin.elapsed() * (round as u32 + 1) / round as u32 > limit)
        {
            break;
        }
        for cell in cells.iter_mut().filter(|cell| cell.fault.is_none()) {
            // Ordering: relaxed; a flag that carries no data.
            if stop.load(Ordering::Relaxed) {
                break 'rounds;
            }
            observer.measuring(&cell.task.bench(), cell.subject.name());
            bench.measure(cell, round);
            observer.measured();
        }
        done = round;
    }
    observer.end();
    let mut findings = Findings {
        notes,
        rounds: done,
        ..Findings::default()
    };
    for cell in cells {
        match cell.fault {
            Some(fault) => {
                findings
                    .faults
                    .push((cell.task.bench(), cell.subject.name().to_string(), fault))
            }
            None => findings
                .records
                .extend(cell.task.records(&plan, cell.subject, &cell.series)),
        }
    }
    Ok(findings)
}

fn check(plan: &Plan) -> Result<(), String> {
    if plan.capacity == 0 {
        return Err("the capacity is 0; a queue must hold at least one item".into());
    }
    if let Some(&batch) = plan
        .batches
        .iter()
        .find(|&&batch| batch == 0 || batch > plan.capacity)
    {
        return Err(format!(
            "a batch of {batch} is not between 1 and the capacity, {}",
            plan.capacity
        ));
    }
    if plan.slice.is_zero() || plan.matrix_slice.is_zero() {
        return Err(
            "a slice of no time measures nothing; 1 ms is the least that makes sense".into(),
        );
    }
    Ok(())
}

/// The plan without what this machine cannot do, and a sentence about each thing left out.
fn possible(plan: &Plan, cores: Cores) -> (Plan, Vec<String>) {
    let mut plan = plan.clone();
    let mut notes = Vec::new();
    if cores.producer == cores.consumer {
        notes.push("only one core is usable: both threads share it, and no figure says anything about the queues".into());
    }
    if plan.experiments.contains(&Experiment::L1Misses)
        && let Err(why) = l1_misses_available()
    {
        plan.experiments.retain(|one| *one != Experiment::L1Misses);
        notes.push(format!("spsc.l1_misses: not available here: {why}"));
    }
    (plan, notes)
}

/// One queue in one task.
struct Cell<'a> {
    task: Task,
    subject: &'a dyn Subject,
    series: Series,
    /// Items, trips or pairs per second, as the last measurement saw it.
    rate: f64,
    fault: Option<Fault>,
}

fn cells<'a>(plan: &Plan, subjects: &'a [Box<dyn Subject>]) -> Vec<Cell<'a>> {
    let mut cells = Vec::new();
    for task in Task::all(plan) {
        let takers = subjects
            .iter()
            .map(Box::as_ref)
            .filter(|subject| task.takes(plan, *subject));
        cells.extend(takers.map(|subject| Cell {
            task: task.clone(),
            subject,
            series: Series::default(),
            rate: 0.0,
            fault: None,
        }));
    }
    cells
}

/// What all measurements of a run have in common.
struct Bench<'a> {
    plan: &'a Plan,
    cores: Cores,
    calibration: Calibration,
}

/// Items, trips or pairs of the very first measurement of a queue.
const PROBE: u64 = 20_000;

impl Bench<'_> {
    fn measure(&mut self, cell: &mut Cell<'_>, round: usize) {
        // A queue's memory lies elsewhere in each round: how fast a queue is may depend on where.
        let placement = vec![0_u8; 64 + round * 4160];
        black_box(&placement);
        let before = cell.series.clone();
        let measured = match cell.task.work {
            Work::Stream { .. } => self.stream(cell),
            Work::Bounce { .. } => self.bounce(cell),
            Work::Alone => self.alone(cell),
        };
        cell.fault = measured.err();
        if round == 0 {
            cell.series = before;
        }
    }

    /// How much to do in the next slice.
    fn amount(&self, cell: &Cell<'_>) -> u64 {
        let slice = if cell.task.is_matrix() {
            self.plan.matrix_slice
        } else {
            self.plan.slice
        };
        match (cell.rate * slice.as_secs_f64()) as u64 {
            0 => PROBE,
            amount => amount,
        }
    }

    fn stream(&self, cell: &mut Cell<'_>) -> Result<(), Fault> {
        let Work::Stream {
            batch,
            payload,
            producer_ns,
            consumer_ns,
        } = cell.task.work
        else {
            return Ok(());
        };
        let plan = self.plan;
        let streamed = cell.subject.stream(&Stream {
            capacity: plan.capacity,
            batch,
            payload,
            warm_up: 2 * plan.capacity as u64,
            items: self.amount(cell),
            producer_steps: self.calibration.steps(producer_ns),
            consumer_steps: self.calibration.steps(consumer_ns),
            wait: plan.wait,
            patience: plan.patience,
            cores: self.cores,
            count_misses: cell.task.counts_misses(),
        })?;
        let items = streamed.items as f64;
        let per_stall = |stalls: u64| items / stalls.max(1) as f64;
        cell.rate = items / streamed.elapsed.as_secs_f64();
        cell.series.main.push(streamed.mitems_per_second());
        cell.series
            .producer_batch
            .push(per_stall(streamed.producer_stalls));
        cell.series
            .consumer_batch
            .push(per_stall(streamed.consumer_stalls));
        if let Some((producer, consumer)) = streamed.misses {
            cell.series.producer_misses.push(producer as f64 / items);
            cell.series.consumer_misses.push(consumer as f64 / items);
        }
        Ok(())
    }

    fn bounce(&self, cell: &mut Cell<'_>) -> Result<(), Fault> {
        let Work::Bounce { payload } = cell.task.work else {
            return Ok(());
        };
        let chunks = (self.amount(cell) / u64::from(TRIPS_PER_CHUNK)).max(1) as u32;
        let bounced = cell.subject.bounce(&Bounce {
            capacity: self.plan.capacity,
            payload,
            warm_up_chunks: (chunks / 8).max(1),
            chunks,
            wait: self.plan.wait,
            patience: self.plan.patience,
            cores: self.cores,
        })?;
        cell.rate = 1e9 / bounced.mean_ns();
        cell.series.main.push(bounced.mean_ns());
        cell.series.chunks.extend(bounced.chunks_ns);
        Ok(())
    }

    fn alone(&self, cell: &mut Cell<'_>) -> Result<(), Fault> {
        let pairs = self.amount(cell);
        let capacity = self.plan.capacity;
        let time = cell.subject.alone(&Alone {
            capacity,
            warm_up: pairs / 8,
            pairs,
            cores: self.cores,
        })?;
        cell.rate = pairs as f64 / time.elapsed.max(Duration::from_nanos(1)).as_secs_f64();
        cell.series.main.push(time.ns_per_pair());
        Ok(())
    }
}
