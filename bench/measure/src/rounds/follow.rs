//! The order of all measurements: each in turn, A B C, then again A B C.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Findings;
use crate::record::Record;

/// An observer of a run: a progress bar, a log, or none.
pub trait Observer {
    /// Begins a run of `total` measurements.
    fn begin(&mut self, total: u64);
    /// Notes that the next measurement is of this queue.
    fn measuring(&mut self, bench: &str, queue: &str);
    /// Notes that one measurement has ended.
    fn measured(&mut self);
    /// Ends the run, whether it is complete or was cut short.
    fn end(&mut self);
}

/// An observer that ignores all calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Observer for Quiet {
    fn begin(&mut self, _total: u64) {}
    fn measuring(&mut self, _bench: &str, _queue: &str) {}
    fn measured(&mut self) {}
    fn end(&mut self) {}
}

/// One queue in one workload, and its measurements.
pub trait Row {
    /// Returns the workload with all its parameters.
    fn words(&self) -> &str;
    /// Returns the queue's name.
    fn queue(&self) -> &str;
    /// Returns the figures of all rounds.
    fn records(&self) -> Vec<Record>;
}

/// The number of rounds, and their limit.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// The number of times that everything is measured, after a round 0 that is not counted.
    pub rounds: usize,
    /// The limit of the rounds.
    pub limit: Option<Limit>,
}

/// An end to the rounds that follow the least number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// No further round begins that would end later.
    pub time: Duration,
    /// The number of rounds that begin in any case. With 0, no measurement begins later than
    /// `time`, and those that do not fit are left out.
    pub least_rounds: usize,
}

impl From<Duration> for Limit {
    /// Makes an end after `time`. One round begins in any case.
    fn from(time: Duration) -> Self {
        Self { time, least_rounds: 1 }
    }
}

impl Limit {
    /// The limit of quick runs: they end within a minute on any machine, including the measurement
    /// that runs at the limit.
    pub const QUICK: Self = Self { time: Duration::from_secs(45), least_rounds: 0 };

    /// Returns the longest possible time of the rounds; the longest duration if it is unknown.
    #[must_use]
    pub fn bound(self) -> Duration {
        if self.least_rounds == 0 { self.time } else { Duration::MAX }
    }

    /// Whether a measurement of this round begins after the time `elapsed`. Half of the time is for
    /// round 0, so that its preparations can be measured.
    fn leaves_room(self, round: usize, elapsed: Duration) -> bool {
        let time = if round == 0 { self.time / 2 } else { self.time };
        self.least_rounds > 0 || elapsed < time
    }

    /// Whether this round (they count from 1) begins after the time `elapsed`.
    fn allows(self, round: usize, elapsed: Duration) -> bool {
        round <= self.least_rounds.max(1) || elapsed * (round as u32 + 1) / round as u32 <= self.time
    }
}

/// Measures every row in every round, except rows that have failed. Round 0 finds the quantities
/// that are unknown in advance, such as the amount that fills a slice.
///
/// Set `stop` from another thread to end after the present measurement; the findings hold the
/// results up to then.
pub fn follow<R: Row, F>(
    rows: impl IntoIterator<Item = R>,
    course: Course,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
    measure: impl FnMut(&mut R, usize) -> Result<(), F>,
) -> Findings<F> {
    let begin = Instant::now();
    follow_by(&|| begin.elapsed(), rows, course, stop, observer, measure)
}

/// Works as [`follow`], with a clock that returns the time since the start.
pub(super) fn follow_by<R: Row, F>(
    elapsed: &dyn Fn() -> Duration,
    rows: impl IntoIterator<Item = R>,
    course: Course,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
    mut measure: impl FnMut(&mut R, usize) -> Result<(), F>,
) -> Findings<F> {
    let mut rows: Vec<(R, Option<F>)> = rows.into_iter().map(|row| (row, None)).collect();
    let (rounds, planned) = (course.rounds.max(1), rows.len());
    observer.begin(planned as u64 * (rounds as u64 + 1));
    let mut findings = Findings::default();
    // The rows before this one are measured.
    let mut fitting = planned;
    'rounds: for round in 0..=rounds {
        if round > 0 && course.limit.is_some_and(|limit| !limit.allows(round, elapsed())) {
            break;
        }
        for (at, (row, fault)) in rows[..fitting].iter_mut().enumerate().filter(|(_, (_, fault))| fault.is_none()) {
            // Ordering: relaxed; a flag that carries no data.
            if stop.load(Ordering::Relaxed) {
                break 'rounds;
            }
            if course.limit.is_some_and(|limit| !limit.leaves_room(round, elapsed())) {
                // Every row before this one has a figure, or gets one in round 1.
                if round <= 1 {
                    fitting = at;
                }
                if round == 0 {
                    break;
                }
                break 'rounds;
            }
            observer.measuring(row.words(), row.queue());
            // The memory of a queue has another address in each round, because the speed may depend
            // on it.
            let placement = vec![0_u8; 64 + round * 4160];
            black_box(&placement);
            *fault = measure(row, round).err();
            observer.measured();
        }
        findings.rounds = round;
    }
    observer.end();
    let left_out: Vec<&R> = rows[fitting..].iter().filter(|(_, fault)| fault.is_none()).map(|(row, _)| row).collect();
    if let Some(first) = left_out.first() {
        findings.notes.push(format!(
            "{} of {planned} measurements did not fit into the time and were left out, from {} of {} on: ask for fewer at a time",
            left_out.len(),
            first.words(),
            first.queue()
        ));
    }
    for (at, (row, fault)) in rows.into_iter().enumerate() {
        match fault {
            Some(fault) => findings.faults.push((row.words().to_owned(), row.queue().to_owned(), fault)),
            None if at < fitting => findings.records.extend(row.records()),
            None => {}
        }
    }
    findings
}
