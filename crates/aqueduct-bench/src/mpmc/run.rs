//! Follows a plan: all measurements of a round, A B C, then the next round, A B C.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::alone::{Act, Alone};
use super::catalogue::selected;
use super::fault::Fault;
use super::notes::notes;
use super::plan::{Experiment, Plan, Threads};
use super::stream::{Stream, Streamed};
use super::subject::Subject;
use super::sweep;
use super::task::{Figure, Method, Task};
use super::work::Workload;
use crate::counters::l1_misses_available;
use crate::machine;
use crate::record::Record;
use crate::spsc::Observer;

/// What a run found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// The figures. A queue that failed in a bench has no figure in it.
    pub records: Vec<Record>,
    /// Queues that failed: the bench with its threads and batch, the queue, and what went wrong.
    pub faults: Vec<(String, String, Fault)>,
    /// What a reader of the figures should know about the machine, as sentences.
    pub notes: Vec<String>,
    /// Rounds that were completed.
    pub rounds: usize,
}

/// Measures what the plan asks for.
///
/// Set `stop` from another thread (a Ctrl-C handler) to end after the measurement that runs; the findings hold what was
/// measured until then.
///
/// # Errors
/// A sentence that says what is wrong with the plan.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    measure(plan, &selected(plan)?, stop, observer)
}

/// As [`run`], with these queues instead of the plan's, one's own for example.
///
/// # Errors
/// As [`run`].
pub fn measure(
    plan: &Plan,
    subjects: &[Box<dyn Subject>],
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Findings, String> {
    check(plan)?;
    let machine = Here { cores: machine::usable_cores(), misses: l1_misses_available() };
    let mut cells = cells(plan, subjects, machine.cores.len())?;
    if cells.is_empty() {
        return Err("none of the queues can do what is asked with these threads and batches".to_owned());
    }
    let rounds = plan.rounds.max(1);
    observer.begin(cells.len() as u64 * (rounds as u64 + 1));
    let mut done = 0;
    // The round before the first finds out how many items fill a slice.
    'rounds: for round in 0..=rounds {
        for cell in cells.iter_mut().filter(|cell| cell.fault.is_none()) {
            // Ordering: relaxed; a flag that carries no data.
            if stop.load(Ordering::Relaxed) {
                break 'rounds;
            }
            observer.measuring(&cell.task.words(), cell.subject.name());
            // A queue's memory lies elsewhere in each round: how fast a queue is may depend on where.
            let placement = vec![0_u8; 64 + round * 4160];
            black_box(&placement);
            let outcome = if round == 0 { cell.calibrate(plan, &machine) } else { cell.measure(plan, &machine) };
            cell.fault = outcome.err();
            observer.measured();
        }
        done = round;
    }
    observer.end();
    let mut findings =
        Findings { notes: notes(plan, machine.cores.len(), &machine.misses), rounds: done, ..Findings::default() };
    for cell in cells {
        match cell.fault {
            Some(fault) => findings.faults.push((cell.task.words(), cell.subject.name().to_owned(), fault)),
            None => findings.records.extend(cell.records(plan)),
        }
    }
    Ok(findings)
}

fn check(plan: &Plan) -> Result<(), String> {
    if plan.capacity == 0 || plan.latency_capacity == 0 {
        return Err("the capacity is 0; a queue must hold at least one item".to_owned());
    }
    if let Some(&batch) = plan.batches.iter().find(|&&batch| batch == 0 || batch > plan.capacity) {
        return Err(format!("a batch of {batch} is not between 1 and the capacity, {}", plan.capacity));
    }
    let possible = 1..=Threads::MOST;
    if let Some(threads) = plan
        .threads
        .iter()
        .find(|threads| !possible.contains(&threads.producers) || !possible.contains(&threads.consumers))
    {
        return Err(format!("{threads} threads: between 1 and {} are possible on either side", Threads::MOST));
    }
    if plan.slice.is_zero() {
        return Err("a slice of no time measures nothing; 1 ms is the least that makes sense".to_owned());
    }
    Ok(())
}

/// What the measurements need to know of the machine.
struct Here {
    cores: Vec<usize>,
    /// Whether it counts L1 misses, or what it answered.
    misses: Result<(), String>,
}

/// One queue in one task.
struct Cell<'a> {
    task: Task,
    subject: &'a dyn Subject,
    /// Each figure with all its runs; the figure's own value is its first run.
    series: Vec<(Figure, Vec<f64>)>,
    /// Items, pairs or calls per second, as the last measurement saw it.
    rate: f64,
    fault: Option<Fault>,
}

fn cells<'a>(plan: &Plan, subjects: &'a [Box<dyn Subject>], cores: usize) -> Result<Vec<Cell<'a>>, String> {
    let mut cells = Vec::new();
    for task in Task::all(plan, cores)? {
        let takers = subjects.iter().map(Box::as_ref).filter(|&subject| task.suits(subject));
        cells.extend(takers.map(|subject| Cell { task, subject, series: Vec::new(), rate: 0.0, fault: None }));
    }
    Ok(cells)
}

impl Cell<'_> {
    /// Finds the rate, by longer and longer runs until one lasts for a good part of a slice. They warm up the queue's code, too.
    fn calibrate(&mut self, plan: &Plan, here: &Here) -> Result<(), Fault> {
        let mut amount = self.task.first_amount(plan.slice);
        while self.attempt(plan, here, amount)?.1 < plan.slice / 8 {
            amount = amount.saturating_mul(4);
        }
        Ok(())
    }

    /// Measures once, as much as fills a slice.
    fn measure(&mut self, plan: &Plan, here: &Here) -> Result<(), Fault> {
        let amount = (self.rate * plan.slice.as_secs_f64()) as u64;
        let (figures, _) = self.attempt(plan, here, amount.max(1))?;
        for figure in figures {
            match self.series.iter_mut().find(|(known, _)| known.part == figure.part) {
                Some((_, runs)) => runs.push(figure.value),
                None => {
                    let runs = vec![figure.value];
                    self.series.push((figure, runs));
                }
            }
        }
        Ok(())
    }

    /// The figures of `amount` items, pairs or calls, and the time that they took.
    fn attempt(&mut self, plan: &Plan, here: &Here, amount: u64) -> Result<(Vec<Figure>, Duration), Fault> {
        let (figures, done, elapsed) = match self.task.method() {
            Method::Alone(act) => self.alone(plan, here, amount, act)?,
            Method::Stream(workload) => {
                let streamed = self.stream(plan, here, amount, workload)?;
                (self.task.figures(&streamed), streamed.items, streamed.elapsed)
            }
        };
        self.rate = done as f64 / elapsed.max(Duration::from_nanos(1)).as_secs_f64();
        Ok((figures, elapsed))
    }

    fn stream(&self, plan: &Plan, here: &Here, amount: u64, workload: Workload) -> Result<Streamed, Fault> {
        let spec = Stream {
            workload,
            threads: self.task.threads,
            batch: self.task.batch,
            capacity: self.task.capacity(plan),
            items_each: amount.div_ceil(self.task.threads.producers as u64),
            cores: &here.cores,
            patience: plan.patience + 10 * plan.slice,
            count_misses: self.task.experiment == Experiment::Throughput && here.misses.is_ok(),
        };
        match self.task.geometry.zip(sweep::divided(self.subject)) {
            Some((geometry, stream)) => stream(geometry, &spec),
            None => self.subject.stream(&spec),
        }
    }

    fn alone(&self, plan: &Plan, here: &Here, times: u64, act: Act) -> Result<(Vec<Figure>, u64, Duration), Fault> {
        let core = here.cores.first().copied();
        let time = self.subject.alone(&Alone { act, capacity: plan.capacity, warm_up: times / 8, times, core })?;
        Ok((vec![Figure::new("", "ns", time.ns_each())], time.times, time.elapsed))
    }

    fn records(&self, plan: &Plan) -> Vec<Record> {
        let record = |(figure, runs): &(Figure, Vec<f64>)| self.task.record(plan, self.subject, figure, runs.clone());
        self.series.iter().map(record).collect()
    }
}
