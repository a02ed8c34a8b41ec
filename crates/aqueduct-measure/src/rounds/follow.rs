//! The order of all measurements: each in turn, A B C, then again A B C.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Findings;
use crate::record::Record;

/// Watches a run: a progress bar, a log, or nobody.
pub trait Observer {
    /// Begins a run of that many measurements.
    fn begin(&mut self, total: u64);
    /// Notes that the next measurement is of that queue.
    fn measuring(&mut self, bench: &str, queue: &str);
    /// Notes that one measurement has ended.
    fn measured(&mut self);
    /// Ends the run, whether it did all or was cut short.
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
    /// Returns the workload with all that tells it from others.
    fn words(&self) -> &str;
    /// Returns the queue's name.
    fn queue(&self) -> &str;
    /// Returns the figures of all rounds.
    fn records(&self) -> Vec<Record>;
}

/// How many rounds there are.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// The number of times that everything is measured, after a round 0 that is not counted.
    pub rounds: usize,
    /// Which rounds begin at all.
    pub limit: Option<Limit>,
}

/// An end to the rounds that follow the least number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// No further round begins that would end later.
    pub time: Duration,
    /// So many rounds begin in any case. With 0, no measurement begins later than `time`, and those that do not fit are
    /// left out.
    pub least_rounds: usize,
}

impl From<Duration> for Limit {
    /// Makes an end after that time. One round begins in any case.
    fn from(time: Duration) -> Self {
        Self { time, least_rounds: 1 }
    }
}

impl Limit {
    /// Of quick runs: within a minute on any machine, with the measurement that is going on when the time is over.
    pub const QUICK: Self = Self { time: Duration::from_secs(45), least_rounds: 0 };

    /// Returns the longest that the rounds take in any case; the longest duration where that is not known.
    #[must_use]
    pub fn bound(self) -> Duration {
        if self.least_rounds == 0 { self.time } else { Duration::MAX }
    }

    /// Whether a measurement of this round begins after so much time. Half of the time is round 0's, so that what it
    /// has prepared can be measured.
    fn leaves_room(self, round: usize, elapsed: Duration) -> bool {
        let time = if round == 0 { self.time / 2 } else { self.time };
        self.least_rounds > 0 || elapsed < time
    }

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
    measure: impl FnMut(&mut R, usize) -> Result<(), F>,
) -> Findings<F> {
    let begin = Instant::now();
    follow_by(&|| begin.elapsed(), rows, course, stop, observer, measure)
}

/// Does what [`follow`] does, by a clock that says how much time has passed.
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
    // Rows before this one are measured.
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
            // A queue's memory lies elsewhere in each round: how fast a queue is may depend on where.
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
