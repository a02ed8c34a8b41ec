//! Backward revisits: a write makes an earlier read read from it.

use super::{Alternative, Explorer, Frame};
use crate::graph::clock::Clock;
use crate::graph::event::{EventId, Kind, Label, LocId, RmwOp, UNPLACED};
use crate::graph::rules::Fault;

/// A write that may revisit, added or about to be.
struct Coming {
    loc: LocId,
    value: u64,
    /// The events before it in sb and rf.
    prefix: Clock,
    /// The first stamp of its own events.
    stamp: u32,
    /// The write of another read-modify-write that has the place behind the common source. It must
    /// be deleted.
    rival: Option<EventId>,
}

impl Explorer {
    /// Collects the revisits by a write that has just been added.
    pub(super) fn find_revisits(&mut self, write: EventId) {
        let event = self.graph.event(write);
        let prefix = match self.graph.before(write) {
            Some(e) => e.porf,
            None => Clock::EMPTY,
        };
        let read = event.exclusive.then(|| EventId::new(write.thread(), write.index() - 1));
        let source = |read| self.graph.mo_index(self.graph.event(read).rf);
        let rival = read.and_then(|read| self.graph.follower(event.loc, source(read)));
        let coming = Coming { loc: event.loc, value: event.value, prefix, stamp: event.stamp, rival };
        self.collect(&coming);
    }

    /// Whether the write of a read-modify-write could revisit a read, although its source's place
    /// is taken.
    ///
    /// If not, that read has no execution.
    pub(super) fn leads_on(&mut self, read: EventId, source: EventId, rival: Option<EventId>) -> bool {
        self.graph.set_source(read, source, false);
        let event = self.graph.event(read);
        let label = event.label;
        let coming = Coming {
            loc: event.loc,
            value: label.op.apply(event.value, label.operand, u32::from(label.bits)),
            prefix: event.porf,
            stamp: event.stamp,
            rival,
        };
        let before = self.alternatives.len();
        self.collect(&coming);
        let found = self.alternatives.len() > before;
        self.alternatives.truncate(before);
        found
    }

    /// Walks backwards through the events that a revisit would delete, while each of them was added
    /// maximally, and collects the reads on the way.
    fn collect(&mut self, coming: &Coming) {
        let Some(oldest) = self.oldest_candidate(coming) else { return };
        self.passed.clear();
        self.passed.resize(self.graph.locs.len(), 0);
        let mut rival_deleted = coming.rival.is_none();
        let mut deleted = 0;
        for stamp in (oldest..coming.stamp as usize).rev() {
            let id = self.graph.order[stamp];
            if coming.prefix.contains(id) {
                continue;
            }
            if !self.is_maximal(id) {
                break;
            }
            rival_deleted |= coming.rival == Some(id);
            let event = self.graph.event(id);
            if event.label.kind.is_writing() && event.mo != UNPLACED {
                self.passed[event.loc as usize] += 1;
            }
            let skipped = self.graph.rules.fault == Fault::SkippedRevisit && deleted > 1;
            deleted += 1;
            let is_candidate = event.label.kind == Kind::Read && event.loc == coming.loc && rival_deleted && !skipped;
            if is_candidate && !self.only_renames(&coming.prefix, id) {
                let weak = event.label.op == RmwOp::CompareExchangeWeak && event.label.expected == coming.value;
                for spurious in [true, false] {
                    if !spurious || weak {
                        self.alternatives.push(Alternative::Revisit { read: id, spurious });
                    }
                }
            }
        }
    }

    /// Returns the stamp of the oldest read that the write could revisit.
    fn oldest_candidate(&self, coming: &Coming) -> Option<usize> {
        let mut oldest = None;
        self.graph.loc(coming.loc).accesses.look_back(|id| {
            let event = self.graph.event(id);
            let is_before = coming.prefix.contains(id);
            if !is_before && event.label.kind == Kind::Read {
                oldest = Some(event.stamp as usize);
            }
            is_before
        });
        oldest
    }

    /// Whether `id` was added as the scheduler would add it last: a write behind all writes, a read
    /// from the last of them.
    ///
    /// Only writes count that were there before it or are in the prefix. Each set of deleted events
    /// has one such way to be added, so each revisit is done once. Those writes are the first ones
    /// of the modification order: of the others, which were all added maximally, each was the last
    /// when the walk passed it.
    fn is_maximal(&self, id: EventId) -> bool {
        let graph = &self.graph;
        let event = graph.event(id);
        let is_last = |index: u32| {
            let loc = event.loc as usize;
            (index + 1 + self.passed[loc]) as usize == graph.locs[loc].mo.len()
        };
        match event.label.kind {
            Kind::Read => !event.spurious && is_last(graph.mo_index(id)),
            Kind::Write if event.mo != UNPLACED => is_last(event.mo) && !graph.comes_early(id),
            _ => true,
        }
    }

    /// Makes a read-modify-write read from a source that another one has taken, and continues with
    /// the revisits by its write.
    pub(super) fn overtake(&mut self, read: EventId, index: u32) -> bool {
        let event = self.graph.event(read);
        let (loc, label) = (event.loc, event.label);
        let source = self.graph.loc(loc).mo[index as usize];
        self.graph.set_source(read, source, false);
        let value = self.graph.event(read).value;
        let write =
            Label { kind: Kind::Write, operand: label.op.apply(value, label.operand, u32::from(label.bits)), ..label };
        let id = self.graph.push(read.thread(), write, loc);
        self.graph.event_mut(id).exclusive = true;
        self.graph.set_release(id);
        let start = self.alternatives.len();
        self.find_revisits(id);
        self.push_choice(id, start, None);
        if self.advance(false) {
            return true;
        }
        if self.graph.newest() == Some(id) {
            // The read is still in the graph, so the location is in use.
            self.graph.pop();
        }
        false
    }

    /// Goes to the graph in which `read` reads from the newest event, `write`.
    ///
    /// All events that were added after the read are deleted, except for the write's prefix. A read
    /// that locks is overtaken: it is deleted, too.
    pub(super) fn enter_revisit(&mut self, write: EventId, read: EventId, spurious: bool) -> bool {
        self.graph.displace(write);
        let saves = self.save_frame();
        let keep = match self.graph.before(write) {
            Some(e) => e.porf,
            None => Clock::EMPTY,
        };
        let overtakes = self.graph.event(read).label.op.locks();
        self.graph.cut(read, write, &keep);
        let mut bound = self.graph.bound_of(write);
        if overtakes {
            self.graph.event_mut(write).overtakes = true;
        } else {
            self.graph.set_source(read, write, spurious);
            self.graph.event_mut(write).revisits = true;
            bound = bound.max(self.graph.bound_of(read));
        }
        let start = self.alternatives.len();
        self.find_places(write, bound);
        let entered = self.begin(write, start, (!overtakes).then_some(read));
        if !entered && saves && self.conflict.is_none() {
            self.leave_frame();
        }
        entered
    }

    /// Continues with a copy of the graph, if there are alternatives to return to.
    pub(super) fn save_frame(&mut self) -> bool {
        let saves = self.schedule.is_some() || self.choices.len() > self.frames.last().map_or(0, |f| f.choices);
        if saves {
            let mut graph = self.pool.pop().unwrap_or_default();
            graph.copy_from(&self.graph);
            self.frames.push(Frame { graph: std::mem::replace(&mut self.graph, graph), choices: self.choices.len() });
        }
        saves
    }
}
