//! One round of a workout: threads on a fresh queue, stopped by a fresh plan, and the check of
//! their calls.

use std::fmt;

use super::checks::Found;
use super::log::{Log, Recorder};
use crate::pauses::{self, Body, Dice, End, Mode, Plan, Ran};
use crate::{Fault, with};

/// A check of the logs of all threads, of a round that ran to its end or was broken off.
type Check = Box<dyn FnOnce(&[Log], bool) -> Result<Found, String>>;

/// A round that is about to be run.
pub(super) struct Workout {
    pub(super) bodies: Vec<Body>,
    pub(super) logs: Vec<Recorder>,
    pub(super) check: Check,
}

/// A queue, and how its workout is made.
pub struct Queue {
    /// Its name: its path in the library, below the crate's name; for tubes and nested queues, the
    /// tube's.
    pub name: &'static str,
    /// The most threads on its two sides.
    pub(super) most: [usize; 2],
    pub(super) workout: fn(&mut Dice, [usize; 2]) -> Workout,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A queue, and the numbers of threads.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The queue.
    pub queue: &'static Queue,
    /// The numbers of threads on its two sides.
    pub threads: [usize; 2],
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { queue, threads: [first, second] } = self;
        write!(f, "{} {first}x{second}", queue.name)
    }
}

/// The outcome of a round.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The findings, or the error.
    pub result: Result<Found, String>,
    /// The number of points that the threads reached.
    pub points: u64,
}

impl Case {
    /// Runs the round of this number, with this fault switched on. In turns, all runs of a number
    /// are equal.
    #[must_use]
    pub fn run(&self, mode: Mode, number: u64, fault: Option<Fault>) -> Outcome {
        with(fault, || {
            let mut dice = Dice::new(number);
            let Workout { bodies, logs, check } = (self.queue.workout)(&mut dice, self.threads);
            let plan = Plan::draw(&mut dice, bodies.len());
            let Ran { end, points } = pauses::run(mode, bodies, &plan, &mut dice);
            let logs: Vec<Log> = logs.iter().map(Recorder::take).collect();
            // The calls' results come first: they tell more than a panic of a thread, or a lack of
            // progress.
            let checked = check(&logs, end == End::Done);
            let result = match end {
                End::Done => checked,
                End::Stuck => checked.and(Err("nobody gets on".to_owned())),
                End::Waiting => checked.and(Err("a call waits for a thread that stands still".to_owned())),
                End::Panicked(message) => checked.and(Err(format!("a thread panicked: {message}"))),
            };
            Outcome { result, points }
        })
    }
}

/// A round with an error.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The queue and the numbers of threads.
    pub case: Case,
    /// The way in which the threads were run.
    pub mode: Mode,
    /// The round's number.
    pub round: u64,
    /// The error.
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { case, mode, round, what } = self;
        write!(f, "{case}, {mode:?}, round {round}: {what}")
    }
}

/// Runs rounds of these numbers, each in all cases, until one fails.
#[must_use]
pub fn first_failure(
    cases: &[Case],
    mode: Mode,
    rounds: std::ops::Range<u64>,
    fault: Option<Fault>,
) -> Option<Failure> {
    rounds.flat_map(|round| cases.iter().map(move |&case| (round, case))).find_map(|(round, case)| {
        let what = case.run(mode, round, fault).result.err()?;
        Some(Failure { case, mode, round, what })
    })
}
