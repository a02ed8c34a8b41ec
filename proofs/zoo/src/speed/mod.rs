//! The model checkers side by side: one set of programs through ours, through loom, and through
//! shuttle.
//!
//! Their executions differ in kind. Ours are the executions of RC11, each once. loom's are the
//! interleavings that its reduction leaves, with the stores that a load may see in its model.
//! shuttle's are any number of random interleavings. So the time to exhaust a program compares ours
//! with loom, and executions per second compares the cost of a run of the program.

mod catalogue;
mod table;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use aqueduct_measure::record::{Place, Record, Role};
use aqueduct_measure::rounds::Observer;
use aqueduct_measure::unit::Unit;
use aqueduct_model::Config;

use crate::explored::Explored;
use crate::worlds;

pub use catalogue::{PROGRAMS, Program};
pub use table::render;

/// A checker and its options; loom and shuttle with the feature `rivals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checker {
    /// Ours, on a number of the system's threads.
    Aqueduct {
        /// Threads that explore.
        jobs: usize,
    },
    /// loom, without a bound on preemptions.
    #[cfg(feature = "rivals")]
    Loom,
    /// shuttle, with its random scheduler.
    #[cfg(feature = "rivals")]
    Shuttle,
}

impl Checker {
    /// All checkers that were compiled in, ours on one thread and on two.
    pub const ALL: &[Self] = &[
        Self::Aqueduct { jobs: 1 },
        Self::Aqueduct { jobs: 2 },
        #[cfg(feature = "rivals")]
        Self::Loom,
        #[cfg(feature = "rivals")]
        Self::Shuttle,
    ];

    /// Returns the name in records.
    pub fn name(self) -> String {
        match self {
            Self::Aqueduct { jobs: 1 } => "aqueduct/model".to_owned(),
            Self::Aqueduct { jobs } => format!("aqueduct/model on {jobs} threads"),
            #[cfg(feature = "rivals")]
            Self::Loom => "loom/0.7".to_owned(),
            #[cfg(feature = "rivals")]
            Self::Shuttle => "shuttle/random".to_owned(),
        }
    }

    fn is_peer(self) -> bool {
        !matches!(self, Self::Aqueduct { .. })
    }

    /// Whether the checker ends by itself.
    fn exhausts(self) -> bool {
        match self {
            Self::Aqueduct { .. } => true,
            #[cfg(feature = "rivals")]
            Self::Loom => true,
            #[cfg(feature = "rivals")]
            Self::Shuttle => false,
        }
    }

    fn explore(self, program: &Program, limit: Duration) -> Explored {
        match self {
            Self::Aqueduct { jobs } => {
                worlds::aqueduct::explore(program.ours, &Config::new().jobs(jobs).time_limit(limit))
            }
            #[cfg(feature = "rivals")]
            Self::Loom => worlds::loom::explore(program.loom, limit),
            #[cfg(feature = "rivals")]
            Self::Shuttle => {
                // shuttle leaves a hook that reports every later panic as its own.
                let hook = std::panic::take_hook();
                let explored = worlds::shuttle::explore(program.shuttle, limit);
                std::panic::set_hook(hook);
                explored
            }
        }
    }
}

/// A plan of measurements.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Names of programs; none means all.
    pub programs: Vec<String>,
    /// The number of times that each checker explores each program.
    pub rounds: usize,
    /// The time limit of an exploration that does not end.
    pub limit: Duration,
    /// The time limit of shuttle, which never ends by itself.
    pub slice: Duration,
}

impl Plan {
    /// Makes a plan of five rounds, with five seconds for explorations that do not end.
    #[must_use]
    pub fn full() -> Self {
        Self { programs: Vec::new(), rounds: 5, limit: Duration::from_secs(5), slice: Duration::from_millis(200) }
    }

    /// Makes a plan of three rounds, with half a second for explorations that do not end.
    #[must_use]
    pub fn quick() -> Self {
        Self { rounds: 3, limit: Duration::from_millis(500), slice: Duration::from_millis(50), ..Self::full() }
    }
}

/// All explorations of one program by one checker.
#[derive(Clone, Debug)]
pub struct Row {
    /// The program.
    pub program: &'static Program,
    /// The checker.
    pub checker: Checker,
    /// One entry per round, or one only if the first did not end.
    pub rounds: Vec<Explored>,
}

impl Row {
    /// Whether every round exhausted the program.
    pub fn exhausted(&self) -> bool {
        self.rounds.iter().all(|round| round.exhausted)
    }

    /// Returns the reported error, if there was one.
    pub fn fault(&self) -> Option<&str> {
        self.rounds.iter().find_map(|round| round.fault.as_deref())
    }

    /// Returns the seconds of each round.
    pub fn seconds(&self) -> Vec<f64> {
        self.rounds.iter().map(|round| round.seconds).collect()
    }

    /// Returns the executions per second of each round.
    pub fn rates(&self) -> Vec<f64> {
        self.rounds.iter().map(|round| round.executions as f64 / round.seconds.max(1e-9)).collect()
    }
}

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// A row for each program and checker, in the order of the catalogue.
    pub rows: Vec<Row>,
}

/// Describes the plan's explorations, without exploring.
///
/// # Errors
/// The errors of [`run`].
pub fn outlook(plan: &Plan) -> Result<Outlook, String> {
    let programs = catalogue::chosen(&plan.programs)?;
    Ok(Outlook { programs: programs.len(), checkers: Checker::ALL.len(), rounds: plan.rounds, limit: plan.limit })
}

/// The extent of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// The number of programs.
    pub programs: usize,
    /// The number of checkers that explore each program.
    pub checkers: usize,
    /// The number of rounds.
    pub rounds: usize,
    /// The time limit of an exploration. A checker may end later.
    pub limit: Duration,
}

impl fmt::Display for Outlook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { programs, checkers, rounds, limit } = self;
        write!(f, "{programs} programs by {checkers} checkers in each of {rounds} rounds, {limit:?} at most for each")
    }
}

/// Explores every program with every checker in turn, round after round.
///
/// # Errors
/// If the plan has the name of no program. The error lists the programs.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    let programs = catalogue::chosen(&plan.programs)?;
    let checkers = Checker::ALL;
    observer.begin((programs.len() * checkers.len() * plan.rounds) as u64);
    let mut findings = Findings::default();
    for program in programs {
        let mut rows: Vec<Row> = checkers.iter().map(|&checker| Row { program, checker, rounds: Vec::new() }).collect();
        for _ in 0..plan.rounds {
            for row in &mut rows {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                observer.measuring(program.name, &row.checker.name());
                let limit = if row.checker.exhausts() { plan.limit } else { plan.slice };
                // An exploration that did not end, or reported an error, will do so again.
                let again = row.rounds.is_empty() || row.exhausted() || !row.checker.exhausts();
                if again && row.fault().is_none() {
                    row.rounds.push(row.checker.explore(program, limit));
                }
                observer.measured();
            }
        }
        findings.rows.extend(rows.into_iter().filter(|row| !row.rounds.is_empty()));
    }
    observer.end();
    Ok(findings)
}

impl Findings {
    /// Returns the figures in the form of every bench.
    ///
    /// `model.exhaust.PROGRAM` has seconds for exhausted programs, `model.rate.PROGRAM` executions
    /// per second.
    pub fn records(&self) -> Vec<Record> {
        let mut records = Vec::new();
        for row in self.rows.iter().filter(|row| row.fault().is_none()) {
            if row.exhausted() && row.checker.exhausts() {
                records.push(record(row, "exhaust", Unit::Seconds, row.seconds()));
            }
            records.push(record(row, "rate", Unit::Executions, row.rates()));
        }
        records
    }
}

/// Returns a record of this bench. `producers` counts the program's threads, and fields that only
/// queues have are 0.
fn record(row: &Row, what: &str, unit: Unit, runs: Vec<f64>) -> Record {
    let place = Place { producers: row.program.threads, consumers: 0, capacity: 0, batch: 1 };
    let bench = format!("model.{what}.{}", row.program.name);
    Record::of(bench, row.checker.name(), Role::of_queue(row.checker.is_peer()), place, unit, runs)
}
