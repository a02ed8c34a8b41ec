//! The places of the program's atomic operations, and the values seen at each.

use std::fmt;

use super::trace::method;
use crate::graph::Graph;
use crate::graph::event::{Event, Kind};
use crate::graph::site_map::SiteMap;

/// An atomic call site that some execution reached.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct SiteReport {
    /// The source file.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The method: `load`, `fetch_add`, `fence`, ...
    pub operation: &'static str,
    /// The ordering that the program names: for a compare-exchange, that of its success.
    pub ordering: &'static str,
    /// The ordering of a compare-exchange's failure.
    pub failure_ordering: Option<&'static str>,
    /// Whether the operation succeeded in some execution. Always true, except for a
    /// compare-exchange.
    pub succeeds: bool,
    /// Whether a compare-exchange failed in some execution.
    pub fails: bool,
}

impl fmt::Display for SiteReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, operation, ordering, .. } = self;
        write!(f, "{file}:{line}:{column} {operation} {ordering}")?;
        if let Some(failure) = self.failure_ordering {
            let outcomes = match (self.succeeds, self.fails) {
                (true, true) => "succeeds and fails",
                (true, false) => "never fails",
                _ => "never succeeds",
            };
            write!(f, "/{failure}, {outcomes}")?;
        }
        Ok(())
    }
}

/// The observations of each site, with its operation and orderings.
#[derive(Default)]
pub(crate) struct Sites {
    seen: SiteMap<SiteReport>,
}

impl Sites {
    /// Notes an execution's events. Each event is examined once, as long as it does not change.
    pub(crate) fn note(&mut self, graph: &mut Graph) {
        for thread in &mut graph.threads {
            for event in thread.iter_mut().filter(|e| !e.noted) {
                event.noted = true;
                self.note_event(event);
            }
        }
    }

    fn note_event(&mut self, event: &Event) {
        let label = &event.label;
        let atomic = matches!(label.kind, Kind::Read | Kind::Write) || label.kind.is_fence();
        if !atomic || label.kind == Kind::Write && event.exclusive {
            return;
        }
        let compares = label.op.compares();
        let fails = (compares || label.op.locks()) && !event.exclusive;
        let key = std::ptr::from_ref(label.site) as u64
            ^ (label.mode as u64) << 56
            ^ (label.failure as u64) << 60
            ^ (label.op as u64) << 50;
        let report = self.seen.entry(key).or_insert_with(|| {
            let operation = match label.kind {
                Kind::Fence => "fence",
                Kind::LightFence => "light_fence",
                Kind::HeavyFence => "heavy_fence",
                Kind::Write => "store",
                _ => method(label.op),
            };
            SiteReport {
                file: label.site.file(),
                line: label.site.line(),
                column: label.site.column(),
                operation,
                ordering: label.mode.name(),
                failure_ordering: compares.then(|| label.failure.name()),
                succeeds: false,
                fails: false,
            }
        });
        report.succeeds |= !fails;
        report.fails |= fails;
    }

    /// Returns all observations, sorted.
    pub(crate) fn report(&self) -> Vec<SiteReport> {
        let mut all = Vec::new();
        merge(&mut all, self.seen.values().cloned());
        all
    }
}

/// Adds reports to a list, and merges those of one site and operation.
pub(crate) fn merge(all: &mut Vec<SiteReport>, more: impl IntoIterator<Item = SiteReport>) {
    all.extend(more);
    all.sort();
    all.dedup_by(|b, a| {
        let key = |s: &SiteReport| (s.file, s.line, s.column, s.operation, s.ordering, s.failure_ordering);
        let same = key(a) == key(b);
        if same {
            a.succeeds |= b.succeeds;
            a.fails |= b.fails;
        }
        same
    });
}
