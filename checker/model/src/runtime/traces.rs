//! The traces of failed rounds in memory of their threads' own, as plain data: see `rounds`.

use std::collections::HashSet;

use crate::graph::event::Kind;

/// A place in a thread's own memory, at the beginning of a round, and a kind of write to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Trace {
    pub(super) thread: usize,
    /// The position at which the round began.
    pub(super) round: usize,
    /// The position of the allocation.
    pub(super) allocation: usize,
    /// The offset in it; [`WHOLE`] for all of it.
    pub(super) offset: usize,
    pub(super) kind: Kind,
}

/// The offset that stands for a whole allocation.
const WHOLE: usize = usize::MAX;

impl Trace {
    /// Returns the trace that stands for all of an allocation.
    pub(super) fn whole(thread: usize, round: usize, allocation: usize) -> Self {
        Self { thread, round, allocation, offset: WHOLE, kind: Kind::Alloc }
    }
}

/// Rounds seen in all executions so far that write to their thread's own memory.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    /// The writes of dropped rounds.
    dropped: HashSet<Trace>,
    /// The reads that would see such writes.
    seen: HashSet<Trace>,
    /// True if a trace is new since the last merge.
    is_new: bool,
}

impl Traces {
    pub(super) fn drop(&mut self, trace: Trace) {
        self.is_new |= self.dropped.insert(trace);
    }

    pub(super) fn see(&mut self, trace: Trace) {
        self.is_new |= self.seen.insert(trace);
    }

    /// Returns whether a trace is new since the last call.
    pub(crate) fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.is_new)
    }

    /// Adds another worker's traces.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.dropped.extend(&other.dropped);
        self.seen.extend(&other.seen);
    }

    /// Whether a read would see the write of a dropped round: then an execution without the round
    /// does not stand for one with it.
    pub(crate) fn are_missed(&self) -> bool {
        let is_seen = |trace: &Trace| {
            let whole = Trace::whole(trace.thread, trace.round, trace.allocation);
            self.seen.contains(trace) || self.seen.contains(&whole)
        };
        self.dropped.iter().any(is_seen)
    }
}
