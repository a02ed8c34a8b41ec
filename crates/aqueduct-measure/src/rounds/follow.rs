//! The order of all measurements: each in turn, A B C, then again A B C.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Findings;
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

/// One queue in one workload, and what was measured of it.
pub trait Row {
    /// The workload with all that tells it from others.
    fn words(&self) -> &str;
    /// The queue's name.
    fn queue(&self) -> &str;
    /// The figures of all rounds.
    fn records(&self) -> Vec<Record>;
}

/// How many rounds there are.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// How often everything is measured, after a round 0 that is not counted.
    pub rounds: usize,
    /// Which rounds begin at all.
    pub limit: Option<Limit>,
}

/// An end to the rounds that follow the least number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// No further round begins that would end later.
    pub time: Duration,
    /// So many rounds begin in any case.
    pub least_rounds: usize,
}

impl From<Duration> for Limit {
    /// One round begins in any case.
    fn from(time: Duration) -> Self {
        Self { time, least_rounds: 1 }
    }
}

impl Limit {
    /// Whether this round (they count from 1) begins after so much time.
    fn allows(self, round: usize, elapsed: Duration) -> bool {
        round <= self.least_rounds.max(1) || elapsed * (round as u32 + 1) / round as u32 <= self.time
    }
}

/// Measures every row in every round, but those that have failed. What cannot be foretold, as the amount that fills a
/// slice, is found out in round 0.
///
/// Set `stop` from another thread to end after the measurement that runs; the findings hold what was measured until
/// then.
pub fn follow<R: Row, F>(
    rows: impl IntoIterator<Item = R>,
    course: Course,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
    mut measure: impl FnMut(&mut R, usize) -> Result<(), F>,
) -> Findings<F> {
    let mut rows: Vec<(R, Option<F>)> = rows.into_iter().map(|row| (row, None)).collect();
    let rounds = course.rounds.max(1);
    observer.begin(rows.len() as u64 * (rounds as u64 + 1));
    let mut findings = Findings::default();
    let begin = Instant::now();
    'rounds: for round in 0..=rounds {
        if round > 0 && course.limit.is_some_and(|limit| !limit.allows(round, begin.elapsed())) {
            break;
        }
        for (row, fault) in rows.iter_mut().filter(|(_, fault)| fault.is_none()) {
            // Ordering: relaxed; a flag that carries no data.
            if stop.load(Ordering::Relaxed) {
                break 'rounds;
            }
            observer.measuring(row.words(), row.queue());
            // A queue's memory lies elsewhere in each round: how fast a queue is may depend on where.
            let placement = vec![0_u8; 64 + round * 4160];
            black_box(&placement);
            *fault = measure(row, round).err();
            observer.measured();
        }
        findings.rounds = round;
    }
    observer.end();
    for (row, fault) in rows {
        match fault {
            Some(fault) => findings.faults.push((row.words().to_owned(), row.queue().to_owned(), fault)),
            None => findings.records.extend(row.records()),
        }
    }
    findings
}
