//! The places of the program's atomic operations, and the values seen at each.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::Ordering;

use super::trace::method;
use crate::graph::Graph;
use crate::graph::event::{Event, Kind, Label, Mode, RmwOp};

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
    /// The ordering asked for: of a compare-exchange, that of its success.
    pub ordering: &'static str,
    /// Of a compare-exchange, the ordering of its failure.
    pub failure_ordering: Option<&'static str>,
    /// Whether it succeeded in some execution: other than a compare-exchange, always true.
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

/// Hashes addresses: sites are compared as pointers while the check runs.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

type AddressMap<V> = HashMap<u64, V, BuildHasherDefault<AddressHasher>>;

/// What has been seen of each site, and with which operation and orderings.
#[derive(Default)]
pub(crate) struct Sites {
    seen: AddressMap<SiteReport>,
}

impl Sites {
    /// Notes what an execution's events did. Each event is looked at once as long as it stays the
    /// same.
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
        let fails = compares && !event.exclusive;
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

    /// All that was seen, sorted.
    pub(crate) fn report(&self) -> Vec<SiteReport> {
        let mut all = Vec::new();
        merge(&mut all, self.seen.values().cloned());
        all
    }
}

/// Adds reports to a list, those of one site and operation together.
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

/// Another ordering for one call site, in place of what the program says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Override {
    /// The source file, as [`SiteReport::file`] gives it, or the end of its path: `spsc/lamport.rs`.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The ordering instead; `Relaxed` takes a fence away.
    pub ordering: Option<Ordering>,
    /// The ordering of a compare-exchange's failure instead. Where the call is also a plain load, as `fetch_update` is
    /// before its first attempt, that load has it too.
    pub failure: Option<Ordering>,
}

impl Override {
    /// Whether it is meant for what stands there.
    #[must_use]
    pub fn is_for(&self, file: &str, line: u32, column: u32) -> bool {
        let before = file.strip_suffix(self.file.as_str());
        self.line == line && self.column == column && before.is_some_and(|b| b.is_empty() || b.ends_with(['/', '\\']))
    }
}

/// The overrides of a check, found by the address of a site.
#[derive(Default)]
pub(crate) struct Overrides {
    all: Vec<Override>,
    known: AddressMap<Option<usize>>,
}

impl Overrides {
    pub(crate) fn new(all: &[Override]) -> Self {
        Self { all: all.to_vec(), known: AddressMap::default() }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Gives a label the modes for its site, if there are others than those that it has.
    pub(crate) fn apply(&mut self, label: &mut Label) {
        let (all, site) = (&self.all, label.site);
        let found = *self
            .known
            .entry(std::ptr::from_ref(site) as u64)
            .or_insert_with(|| all.iter().rposition(|o| o.is_for(site.file(), site.line(), site.column())));
        let Some(found) = found else { return };
        let is_load = label.kind == Kind::Read && label.op == RmwOp::None;
        let (ordering, failure) = (all[found].ordering.map(Mode::of), all[found].failure.map(Mode::of));
        label.mode = if is_load { failure.or(ordering) } else { ordering }.unwrap_or(label.mode);
        label.failure = failure.unwrap_or(label.failure);
    }
}
