//! Follows a plan: all measurements of a round, A B C, then the next round, A B C.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::catalogue::selected;
use super::plan::{Experiment, Plan};
use super::subject::Subject;
use super::task::{Figure, Task};
use super::{Fault, Findings};
use crate::machine;
use crate::record::Record;
use crate::spsc::Observer;

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
    let mut cells = cells(plan, subjects);
    if cells.is_empty() {
        return Err("none of the queues can do what is asked: bounds have no thieves".to_owned());
    }
    let rounds = plan.rounds.max(1);
    let usable = machine::usable_cores();
    observer.begin(cells.len() as u64 * (rounds as u64 + 1));
    let mut done = 0;
    // The round before the first finds out how much fills a slice.
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
            let outcome = if round == 0 { cell.calibrate(plan, &usable) } else { cell.measure(plan, &usable) };
            cell.fault = outcome.err();
            observer.measured();
        }
        done = round;
    }
    observer.end();
    let mut findings = Findings { notes: notes(plan, &usable), rounds: done, ..Findings::default() };
    for cell in cells {
        match cell.fault {
            Some(fault) => findings.faults.push((cell.task.words(), cell.subject.name().to_owned(), fault)),
            None => findings.records.extend(cell.records(plan)),
        }
    }
    Ok(findings)
}

fn check(plan: &Plan) -> Result<(), String> {
    if plan.capacity < 2 {
        return Err(format!("a capacity of {} is too small; 2 items are the least to share", plan.capacity));
    }
    if let Some(&batch) = plan.batches.iter().find(|&&batch| batch == 0 || batch > plan.capacity) {
        return Err(format!("a batch of {batch} is not between 1 and the capacity, {}", plan.capacity));
    }
    if let Some(percent) = plan.percents.iter().find(|&&percent| percent > 50) {
        return Err(format!("{percent} % stolen: between 0 and 50 are possible"));
    }
    if let Some(factor) = plan.factors.iter().find(|&&factor| factor > 100) {
        return Err(format!("a balancing factor of {factor} %: between 0 and 100 are possible"));
    }
    if let Some(blocks) = plan.blocks.iter().find(|&&blocks| blocks == 0 || blocks > plan.capacity) {
        return Err(format!("{blocks} blocks: between 1 and the capacity, {}, are possible", plan.capacity));
    }
    if plan.slice.is_zero() {
        return Err("a slice of no time measures nothing; 1 ms is the least that makes sense".to_owned());
    }
    Ok(())
}

fn notes(plan: &Plan, cores: &[usize]) -> Vec<String> {
    let with_thief = plan.experiments.iter().any(|&experiment| experiment != Experiment::Alone);
    if !with_thief || cores.len() >= 2 {
        return Vec::new();
    }
    vec!["owner and thief shared one core: the figures with a thief tell little".to_owned()]
}

/// One queue in one task.
struct Cell<'a> {
    task: Task,
    subject: &'a dyn Subject,
    /// The figures of each round.
    runs: Vec<Vec<Figure>>,
    /// Fillings, items or times per second, as the last measurement saw it.
    rate: f64,
    fault: Option<Fault>,
}

fn cells<'a>(plan: &Plan, subjects: &'a [Box<dyn Subject>]) -> Vec<Cell<'a>> {
    let mut cells = Vec::new();
    for task in Task::all(plan) {
        let takers = subjects.iter().map(Box::as_ref).filter(|&subject| task.can(subject));
        cells.extend(takers.map(|subject| Cell { task, subject, runs: Vec::new(), rate: 0.0, fault: None }));
    }
    cells
}

impl Cell<'_> {
    /// Finds the rate, by longer and longer runs until one lasts for a good part of a slice. They warm up the queue's code, too.
    fn calibrate(&mut self, plan: &Plan, cores: &[usize]) -> Result<(), Fault> {
        let mut amount = match self.task.experiment {
            Experiment::Alone | Experiment::Pool | Experiment::Tree => 1,
            Experiment::Stolen | Experiment::Blocks => 2 * plan.capacity as u64,
            Experiment::Hungry => 16,
        };
        while self.attempt(plan, cores, amount)?.1 < plan.slice / 8 {
            amount = amount.saturating_mul(4);
        }
        Ok(())
    }

    /// Measures once, as much as fills a slice.
    fn measure(&mut self, plan: &Plan, cores: &[usize]) -> Result<(), Fault> {
        let amount = (self.rate * plan.slice.as_secs_f64()) as u64;
        let (figures, _) = self.attempt(plan, cores, amount.max(1))?;
        self.runs.push(figures);
        Ok(())
    }

    fn attempt(&mut self, plan: &Plan, cores: &[usize], amount: u64) -> Result<(Vec<Figure>, Duration), Fault> {
        let outcome = self.task.attempt(plan, cores, self.subject, amount)?;
        self.rate = outcome.done as f64 / outcome.elapsed.max(Duration::from_nanos(1)).as_secs_f64();
        Ok((outcome.figures, outcome.elapsed))
    }

    /// A record for each figure.
    fn records(self, plan: &Plan) -> Vec<Record> {
        let Some(first) = self.runs.first() else { return Vec::new() };
        (first.iter().enumerate())
            .map(|(at, (bench, unit, _))| {
                let runs = self.runs.iter().map(|figures| figures[at].2).collect();
                self.task.record(plan, self.subject, (bench.clone(), unit), runs)
            })
            .collect()
    }
}
