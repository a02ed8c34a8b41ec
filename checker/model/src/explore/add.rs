//! Adding an event: the alternatives that it has.

use crate::graph::event::{EventId, Kind, Label, LocId, NO_LOC, RmwOp};
use crate::graph::rules::Fault;

use super::script::Turn;
use super::{Alternative, Explorer, Preference};

impl Explorer {
    /// Adds a read, the first half of a read-modify-write, or a compare-exchange. It may fail
    /// spuriously only with `may_fail`. Returns `false` if every source breaks the memory
    /// model.
    pub(crate) fn add_read(
        &mut self,
        thread: usize,
        label: Label,
        loc: LocId,
        preference: Preference,
        may_fail: bool,
    ) -> bool {
        let id = self.graph.push(thread, label, loc);
        let start = self.alternatives.len();
        if self.script.is_some() {
            return self.follow_script(id);
        }
        self.note_turn();
        if !label.op.is_load() {
            self.note_conflicts(id);
        }
        let mut first = self.graph.bound_of(id);
        let last = self.graph.loc(loc).mo.len() as u32;
        if !label.op.is_load() && self.graph.rules.fault == Fault::RmwReadsNewest {
            first = last - 1;
        }
        for index in first..last {
            self.add_sources(id, index, may_fail);
        }
        match preference {
            Preference::Oldest if label.op.is_load() => self.alternatives[start..].reverse(),
            Preference::Like { source, spurious } => self.prefer(loc, start, source, spurious),
            _ => {}
        }
        self.keep_all(matches!(preference, Preference::Like { .. }));
        let begun = self.begin(id, start, None);
        self.keep_all(false);
        begun
    }

    /// Puts the alternative that reads from `source` first, of those from `start` on. A random walk
    /// then has no other.
    fn prefer(&mut self, loc: LocId, start: usize, source: EventId, spurious: bool) {
        let mo = &self.graph.loc(loc).mo;
        let is_it = |way: &Alternative| matches!(*way, Alternative::Source { index, spurious: fails } if mo[index as usize] == source && fails == spurious);
        if let Some(at) = self.alternatives[start..].iter().position(is_it) {
            let last = self.alternatives.len() - 1;
            self.alternatives.swap(start + at, last);
            if self.walk.is_some() {
                self.alternatives.drain(start..last);
            }
        }
    }

    fn add_sources(&mut self, read: EventId, index: u32, may_fail: bool) {
        let event = self.graph.event(read);
        let (loc, label) = (event.loc, event.label);
        let source = self.graph.loc(loc).mo[index as usize];
        if self.fails_on_old_write(read, source, index) {
            return;
        }
        if label.op.is_load() {
            let spurious = false;
            self.alternatives.push(Alternative::Source { index, spurious });
            return;
        }
        let value = self.graph.value_from(read, source);
        let writes = !label.fails_on(value);
        if writes && label.op == RmwOp::CompareExchangeWeak && may_fail && self.may_fail_spuriously() {
            let spurious = true;
            self.alternatives.push(Alternative::Source { index, spurious });
        }
        let taken = self.graph.follower(loc, index);
        if !writes || taken.is_none() {
            let spurious = false;
            self.alternatives.push(Alternative::Source { index, spurious });
        } else if self.walk.is_none() && self.schedule.is_none() && self.leads_on(read, source, taken) {
            self.alternatives.push(Alternative::Overtake { index });
        }
    }

    /// Adds a write. The write of a read-modify-write directly follows its read. Returns `false` if
    /// it has no place and no read to revisit.
    pub(crate) fn add_write(&mut self, thread: usize, label: Label, loc: LocId, rmw: bool) -> bool {
        let id = self.graph.push(thread, label, loc);
        self.graph.event_mut(id).exclusive = rmw;
        self.graph.set_release(id);
        if self.script.is_some() {
            return self.follow_script(id);
        }
        self.note_turn();
        self.note_conflicts(id);
        let start = self.alternatives.len();
        if self.walk.is_none() && self.schedule.is_none() {
            self.find_revisits(id);
        }
        self.find_places(id, self.graph.bound_of(id));
        self.begin(id, start, None)
    }

    /// Gives the newest event the script's choice. Returns `false` if that is impossible, as it may
    /// be after a change of the program's orderings.
    fn follow_script(&mut self, id: EventId) -> bool {
        let turns = self.script.as_ref().map(|script| &script.turns);
        let turn = turns.and_then(|turns| turns.get(self.graph.order.len() - 1));
        let turn = turn.map_or(Turn::Last, |&(_, turn)| turn);
        let event = self.graph.event(id);
        let last = self.graph.loc(event.loc).mo.len() as u32;
        let reads = event.label.kind == Kind::Read;
        let bound = self.graph.bound_of(id);
        let alternative = match turn {
            Turn::Last if reads => Alternative::Source { index: last - 1, spurious: false },
            Turn::Last => Alternative::Place { index: last },
            Turn::Source { index, spurious } => Alternative::Source { index, spurious },
            Turn::Place { index } => Alternative::Place { index },
        };
        let fits = match alternative {
            Alternative::Source { index, .. } => reads && (bound..last).contains(&index),
            Alternative::Place { index } => !reads && (bound + 1..=last).contains(&index),
            _ => false,
        };
        fits && {
            self.push_choice(id, self.alternatives.len(), None);
            self.alternatives.push(alternative);
            self.advance(true)
        }
    }

    pub(super) fn find_places(&mut self, write: EventId, bound: u32) {
        let event = self.graph.event(write);
        if event.exclusive {
            if let Some(index) = self.graph.exclusive_place(write)
                && index > bound
            {
                self.alternatives.push(Alternative::Place { index });
            }
            return;
        }
        let loc = event.loc;
        let last = self.graph.loc(loc).mo.len() as u32;
        for index in bound + 1..=last {
            if self.graph.follower(loc, index - 1).is_none() {
                self.alternatives.push(Alternative::Place { index });
            }
        }
    }

    /// Adds an event that has no alternatives: a fence, a thread event. Returns `false` if that
    /// breaks the memory model.
    pub(crate) fn add_only(&mut self, thread: usize, label: Label) -> bool {
        let id = self.graph.push(thread, label, NO_LOC);
        self.note_turn();
        self.is_consistent(id, None)
    }

    /// Adds the join of a thread that has ended.
    pub(crate) fn add_join(&mut self, thread: usize, label: Label) {
        let joined = label.operand as usize;
        let end = EventId::new(joined, self.graph.len(joined) - 1);
        let id = self.graph.push(thread, label, NO_LOC);
        self.note_turn();
        self.graph.set_joined(id, end);
    }

    /// Adds an access that is not atomic.
    ///
    /// In a location that has a modification order, a write goes last and a read reads the last
    /// write: anything else is a race.
    pub(crate) fn add_nonatomic(&mut self, thread: usize, label: Label, loc: LocId) -> bool {
        let id = self.graph.push(thread, label, loc);
        self.note_turn();
        self.conflict = self.graph.conflict_with(id);
        if self.conflict.is_some() {
            return false;
        }
        true
    }

    /// Gives a write that is not atomic, of an atomic location, the last place.
    pub(crate) fn place_last(&mut self, id: EventId) {
        let last = self.graph.loc(self.graph.event(id).loc).mo.len() as u32;
        self.graph.place(id, last);
    }
}
