//! The counts of a report, as files keep them.

use serde::{Deserialize, Serialize};

use crate::report::Report;

/// The counts of a part of an exploration.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub(super) struct Counts {
    executions: u64,
    blocked: u64,
    discarded: u64,
    cut: u64,
    left_out: u64,
    events: u64,
    seconds: f64,
    /// The share of the whole exploration.
    pub(super) explored: f64,
}

impl Counts {
    pub(super) fn of(report: &Report) -> Self {
        let &Report { executions, blocked, discarded, cut, left_out, events, seconds, explored, .. } = report;
        Self { executions, blocked, discarded, cut, left_out, events, seconds, explored }
    }

    pub(super) fn report(self) -> Report {
        let Self { executions, blocked, discarded, cut, left_out, events, seconds, explored } = self;
        Report { executions, blocked, discarded, cut, left_out, events, seconds, explored, ..Report::default() }
    }

    /// Adds another part's counts.
    pub(super) fn add(&mut self, other: Self) {
        self.executions += other.executions;
        self.blocked += other.blocked;
        self.discarded += other.discarded;
        self.cut += other.cut;
        self.left_out += other.left_out;
        self.events += other.events;
        self.seconds += other.seconds;
        self.explored += other.explored;
    }
}
