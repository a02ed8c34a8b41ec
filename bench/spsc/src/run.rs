//! Runs a [`Plan`]: all measurements of a round, A B C, then those of the next round, A B C.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::Findings;
use super::alone::Alone;
use super::bounce::{Bounce, TRIPS_PER_CHUNK};
use super::catalogue::selected;
use super::pair::{Conditions, Fault};
use super::payload::BUFFER_BYTES;
use super::plan::{Experiment, Plan};
use super::stream::Stream;
use super::subject::{Subject, Workload};
use super::table1;
use super::task::{Figures, Series, Task, Work};
use aqueduct_measure::counters::l1_misses_available;
use aqueduct_measure::items;
use aqueduct_measure::load::Calibration;
use aqueduct_measure::machine::Cores;
use aqueduct_measure::names::Queue;
use aqueduct_measure::record::{Payload, Record, WORD};
use aqueduct_measure::rounds::{
    Course, Observer, Outlook, Row, check_memory_of, check_sizes, check_slice, follow, times,
};
use aqueduct_measure::statistics;

/// Runs the plan's measurements.
///
/// Set `stop` from another thread (a Ctrl-C handler) to end after the present measurement; the
/// findings hold the results up to then.
///
/// # Errors
/// A sentence that names the error of the plan.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    let (cores, subjects) = checked(plan)?;
    // The prediction is for items of a word.
    let is_predicted = plan.experiments.contains(&Experiment::L1Misses) && plan.item_bytes == WORD;
    let predicted = is_predicted.then(|| table1::records(plan));
    let (plan, notes) = possible(plan, cores);
    let mut bench = Bench {
        plan: &plan,
        cores,
        calibration: Calibration::measure(),
        lines_ns: Vec::new(),
        measured: 0,
        repeated: 0,
    };
    let course = Course { rounds: plan.rounds, limit: plan.limit };
    let cells = cells(&plan, &subjects);
    let mut findings: Findings = follow(cells, course, stop, observer, |cell, round| bench.measure(cell, round));
    findings.notes.splice(..0, notes);
    findings.notes.extend(bench.remarks());
    findings.item_by_item(&plan.batches, &REPEATED, |queue| lacks_batches(queue, &subjects));
    let placement = cores.placement();
    for record in &mut findings.records {
        record.placement = placement.clone();
        record.item_bytes = plan.item_bytes;
    }
    findings.records.extend(predicted.into_iter().flatten());
    Ok(findings)
}

/// The benches with batches; the load matrices are too large to repeat.
const REPEATED: [&str; 6] = [
    "spsc.throughput",
    "spsc.regime",
    "spsc.perceived_batch.producer",
    "spsc.perceived_batch.consumer",
    "spsc.l1_misses.producer",
    "spsc.l1_misses.consumer",
];

fn lacks_batches(queue: &Queue, subjects: &[Box<dyn Subject>]) -> bool {
    let batch = Workload::Stream { batch: 2, payload: Payload::Embedded, loaded: false };
    subjects.iter().any(|subject| *queue == subject.name() && !subject.can(batch))
}

/// Returns the extent of the plan, and measures nothing.
///
/// # Errors
/// The errors of [`run`].
pub fn outlook(plan: &Plan) -> Result<Outlook, String> {
    let (cores, subjects) = checked(plan)?;
    let (plan, _) = possible(plan, cores);
    let cells = cells(&plan, &subjects);
    let slice = |cell: &Cell<'_>| if cell.task.is_matrix() { plan.matrix_slice } else { plan.slice };
    Ok(Outlook {
        measurements: cells.len(),
        rounds: plan.rounds.max(1),
        least_time: times(cells.iter().map(slice).sum(), plan.rounds.max(1))
            .min(plan.limit.map_or(Duration::MAX, |limit| limit.time)),
        capacity: plan.capacity,
        threads: 2,
    })
}

/// Returns the cores and the queues of the plan, if it can be followed.
fn checked(plan: &Plan) -> Result<(Cores, Vec<Box<dyn Subject>>), String> {
    /// Each value behind a pointer has a buffer. There are twice as many buffers as slots, whose
    /// number is a power of two.
    const BYTES_BEHIND_POINTERS: usize = 4 * BUFFER_BYTES;
    let cores = Cores::choose(&plan.cores)?;
    check_sizes(plan.capacity, &plan.batches)?;
    if plan.payloads.contains(&Payload::Indirect) {
        check_memory_of("capacity", plan.capacity, BYTES_BEHIND_POINTERS)?;
    }
    check_slice(plan.slice.min(plan.matrix_slice))?;
    Experiment::check_built(&plan.experiments)?;
    items::check(plan.item_bytes, plan.capacity)?;
    let subjects = selected(plan);
    if subjects.is_empty() {
        return Err("--queues, --peers: no queue, peer or bound is left to measure".into());
    }
    if plan.item_bytes != WORD && !plan.experiments.contains(&Experiment::Throughput) {
        return Err("--item-bytes: items of more than 8 bytes are measured in `throughput` only".into());
    }
    Ok((cores, subjects))
}

/// Returns the plan without the parts that this machine cannot run, and a sentence about each of
/// these.
fn possible(plan: &Plan, cores: Cores) -> (Plan, Vec<String>) {
    let mut plan = plan.clone();
    let mut notes = Vec::new();
    if cores.producer == cores.consumer {
        notes.push(
            "only one core is usable: both threads share it, and no figure says anything about the queues".into(),
        );
    }
    if plan.item_bytes != WORD {
        plan.experiments.retain(|one| *one == Experiment::Throughput);
    }
    if plan.experiments.contains(&Experiment::L1Misses)
        && let Err(why) = l1_misses_available()
    {
        plan.experiments.retain(|one| *one != Experiment::L1Misses);
        notes.push(format!("L1 misses, per item, of the loads and per round trip: not available here: {why}"));
    }
    (plan, notes)
}

/// One queue in one task.
struct Cell<'a> {
    task: Task,
    bench: String,
    plan: &'a Plan,
    subject: &'a dyn Subject,
    series: Series,
    /// Items, trips or pairs per second in the last measurement.
    rate: f64,
}

impl Row for Cell<'_> {
    fn words(&self) -> &str {
        &self.bench
    }

    fn queue(&self) -> &str {
        self.subject.name()
    }

    fn records(&self) -> Vec<Record> {
        self.task.records(self.plan, self.subject, &self.series)
    }
}

fn cells<'a>(plan: &'a Plan, subjects: &'a [Box<dyn Subject>]) -> Vec<Cell<'a>> {
    let mut cells = Vec::new();
    for task in Task::all(plan) {
        let takers = subjects.iter().map(Box::as_ref).filter(|subject| task.takes(plan, *subject));
        cells.extend(takers.map(|subject| Cell {
            task: task.clone(),
            bench: task.bench(),
            plan,
            subject,
            series: Series::default(),
            rate: 0.0,
        }));
    }
    cells
}

/// The common state of all measurements of a run.
struct Bench<'a> {
    plan: &'a Plan,
    cores: Cores,
    calibration: Calibration,
    /// The results of the probes before the measurements.
    lines_ns: Vec<f64>,
    measured: u64,
    repeated: u64,
}

/// Items, trips or pairs of the very first measurement of a queue.
const PROBE: u64 = 20_000;

impl Bench<'_> {
    /// Measures the cell once, and again if the machine spoiled the measurement.
    fn measure(&mut self, cell: &mut Cell<'_>, round: usize) -> Result<(), Fault> {
        /// Attempts until a spoiled measurement is taken as it is.
        const ATTEMPTS: usize = 4;
        for attempt in 1..=ATTEMPTS {
            let (figures, conditions) = self.attempt(cell)?;
            self.measured += 1;
            if self.spoiled(conditions) && attempt < ATTEMPTS {
                self.repeated += 1;
                continue;
            }
            if round > 0 {
                cell.series.add(figures);
            }
            break;
        }
        Ok(())
    }

    fn attempt(&self, cell: &mut Cell<'_>) -> Result<(Figures, Conditions), Fault> {
        match cell.task.work {
            Work::Stream { batch, payload, producer_ns, consumer_ns } => self.stream(
                cell,
                batch,
                payload,
                self.calibration.steps(producer_ns),
                self.calibration.steps(consumer_ns),
            ),
            Work::Bounce { payload } => self.bounce(cell, payload),
            Work::Alone => self.alone(cell),
        }
    }

    /// Whether a thread lost its core, or the distance of the cores was not the usual one.
    fn spoiled(&mut self, conditions: Conditions) -> bool {
        /// The system's own short work takes a core away for less than this share of the time.
        const LEAST_ON_CORE: f64 = 0.97;
        if conditions.on_core < LEAST_ON_CORE {
            return true;
        }
        if conditions.line_ns == 0.0 {
            return false;
        }
        self.lines_ns.push(conditions.line_ns);
        let usual = statistics::median(&self.lines_ns);
        conditions.line_ns < usual / 2.0 || conditions.line_ns > usual * 2.0
    }

    /// Returns notes about the machine for readers of the figures.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if !self.lines_ns.is_empty() {
            let [least, usual, most] = [0.05, 0.5, 0.95].map(|share| statistics::quantile(&self.lines_ns, share));
            remarks.push(format!(
                "a cache line went from one thread to the other and back in {usual:.0} ns \
                 (between {least:.0} and {most:.0} ns in nine of ten measurements)"
            ));
        }
        if self.repeated > 0 {
            remarks.push(format!(
                "{} of {} measurements were made again: a thread lost its core, or the two cores were much \
                 closer or farther than usual",
                self.repeated, self.measured
            ));
        }
        remarks
    }

    /// Returns the amount for the next slice.
    fn amount(&self, cell: &Cell<'_>) -> u64 {
        let slice = if cell.task.is_matrix() { self.plan.matrix_slice } else { self.plan.slice };
        match (cell.rate * slice.as_secs_f64()) as u64 {
            0 => PROBE,
            amount => amount,
        }
    }

    fn stream(
        &self,
        cell: &mut Cell<'_>,
        batch: usize,
        payload: Payload,
        producer_steps: u32,
        consumer_steps: u32,
    ) -> Result<(Figures, Conditions), Fault> {
        let loaded = producer_steps + consumer_steps > 0;
        let has_batches = cell.subject.can(Workload::Stream { batch, payload, loaded });
        let streamed = cell.subject.stream(&Stream {
            capacity: self.plan.capacity,
            batch: if has_batches { batch } else { 1 },
            payload,
            warm_up: 2 * self.plan.capacity as u64,
            items: self.amount(cell),
            producer_steps,
            consumer_steps,
            wait: if cell.task.is_greedy() { self.plan.load_wait } else { self.plan.stream_wait },
            patience: self.plan.patience,
            cores: self.cores,
            count_misses: cell.task.counts_misses(),
        })?;
        let items = streamed.items as f64;
        cell.rate = items / streamed.elapsed.as_secs_f64();
        let figures = Figures {
            main: streamed.mitems_per_second(),
            batches: Some((
                items / streamed.producer_stalls.max(1) as f64,
                items / streamed.consumer_stalls.max(1) as f64,
            )),
            misses: streamed.misses.map(|(producer, consumer)| (producer as f64 / items, consumer as f64 / items)),
            chunks: Vec::new(),
        };
        Ok((figures, streamed.conditions))
    }

    fn bounce(&self, cell: &mut Cell<'_>, payload: Payload) -> Result<(Figures, Conditions), Fault> {
        let chunks = (self.amount(cell) / u64::from(TRIPS_PER_CHUNK)).max(1) as u32;
        let bounced = cell.subject.bounce(&Bounce {
            capacity: self.plan.capacity,
            payload,
            warm_up_chunks: (chunks / 8).max(1),
            chunks,
            wait: self.plan.bounce_wait,
            patience: self.plan.patience,
            cores: self.cores,
            count_misses: cell.task.counts_misses(),
        })?;
        let main = bounced.typical_ns();
        cell.rate = 1e9 / main.max(1.0);
        let trips = f64::from(chunks) * f64::from(TRIPS_PER_CHUNK);
        let misses = bounced.misses.map(|(asking, answering)| (asking as f64 / trips, answering as f64 / trips));
        Ok((Figures { main, misses, chunks: bounced.chunks_ns, ..Figures::default() }, bounced.conditions))
    }

    fn alone(&self, cell: &mut Cell<'_>) -> Result<(Figures, Conditions), Fault> {
        let pairs = self.amount(cell);
        let capacity = self.plan.capacity;
        let time = cell.subject.alone(&Alone { capacity, warm_up: pairs / 8, pairs, cores: self.cores })?;
        cell.rate = pairs as f64 / time.elapsed.max(Duration::from_nanos(1)).as_secs_f64();
        let conditions = Conditions { line_ns: 0.0, on_core: time.on_core };
        Ok((Figures { main: time.ns_per_pair(), ..Figures::default() }, conditions))
    }
}
