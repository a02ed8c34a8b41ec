//! Verdicts on a checker's answers.

use std::fmt;
use std::time::Duration;

use aqueduct_model::Config;
use serde::{Deserialize, Serialize};

use crate::catalogue::Entry;
use crate::explored::Explored;
use crate::worlds;

/// A checker; loom and shuttle with the feature `rivals`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Checker {
    /// Ours: every execution under RC11.
    Aqueduct,
    /// loom 0.7, without a bound on preemptions.
    #[cfg(feature = "rivals")]
    Loom,
    /// shuttle's random scheduler.
    #[cfg(feature = "rivals")]
    Shuttle,
}

impl Checker {
    /// All checkers that are compiled in, in the order of the table.
    pub const ALL: &[Self] = &[
        Self::Aqueduct,
        #[cfg(feature = "rivals")]
        Self::Loom,
        #[cfg(feature = "rivals")]
        Self::Shuttle,
    ];
}

/// A form of an entry's program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// The form with the bug.
    Broken,
    /// The form without it.
    Repaired,
}

/// The outcome of a check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "outcome", content = "text")]
pub enum Outcome {
    /// The check found no error.
    Silent,
    /// The check found no error until the time was over.
    Cut,
    /// The check reported an error; its first line.
    Complained(String),
    /// The checker's process died or hung.
    Crashed(String),
}

impl Outcome {
    fn of(explored: Explored) -> Self {
        match explored.fault {
            Some(text) => Self::Complained(text),
            None if explored.exhausted => Self::Silent,
            None => Self::Cut,
        }
    }
}

/// The verdict on an outcome, for a program that is known to be right or wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The bug was found.
    Found,
    /// The bug was not found.
    Missed,
    /// The repaired program passed.
    Clean,
    /// The repaired program did not pass.
    FalseAlarm,
    /// The time was over.
    Unfinished,
    /// The checker broke.
    Crashed,
}

impl Verdict {
    /// Returns the meaning of an outcome.
    #[must_use]
    pub fn of(form: Form, outcome: &Outcome) -> Self {
        match (form, outcome) {
            (_, Outcome::Crashed(_)) => Self::Crashed,
            (Form::Broken, Outcome::Complained(_)) => Self::Found,
            (Form::Repaired, Outcome::Complained(_)) => Self::FalseAlarm,
            (Form::Broken, Outcome::Silent) => Self::Missed,
            (Form::Repaired, Outcome::Silent) => Self::Clean,
            (_, Outcome::Cut) => Self::Unfinished,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Found => "found",
            Self::Missed => "missed",
            Self::Clean => "clean",
            Self::FalseAlarm => "false alarm",
            Self::Unfinished => "unfinished",
            Self::Crashed => "crashed",
        })
    }
}

/// Checks a program with a checker in this process. loom and shuttle may end the process.
#[must_use]
pub fn judge(entry: &Entry, form: Form, checker: Checker, limit: Duration) -> Outcome {
    let program = entry.programs[checker as usize][form as usize];
    match checker {
        Checker::Aqueduct => Outcome::of(worlds::aqueduct::explore(program, &Config::new().time_limit(limit))),
        #[cfg(feature = "rivals")]
        Checker::Loom => Outcome::of(worlds::loom::explore(program, limit)),
        // It never ends by itself.
        #[cfg(feature = "rivals")]
        Checker::Shuttle => Outcome::of(Explored { exhausted: true, ..worlds::shuttle::explore(program, limit) }),
    }
}

/// Checks a program with our checker and this configuration.
#[must_use]
pub fn judge_ours(entry: &Entry, form: Form, config: &Config) -> Outcome {
    let program = entry.programs[Checker::Aqueduct as usize][form as usize];
    Outcome::of(worlds::aqueduct::explore(program, config))
}
