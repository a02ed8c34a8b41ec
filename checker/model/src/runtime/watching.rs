//! Notes of an engine on accesses in dropped rounds: see `rounds`.

use crate::graph::clock::{Clock, MAX_THREADS};
use crate::graph::event::{Event, EventId, Kind, LocId, NO_LOC};

use super::engine::Engine;
use super::watch::{Access, Keeps, Name};

impl Engine {
    /// Notes the accesses of a round that leaves nothing behind and is about to be dropped.
    pub(super) fn note_dropped(&mut self, start: usize, end: usize) {
        if !self.explorer.is_exhaustive() {
            return;
        }
        let thread = self.current;
        let Some(watch) = &mut self.watch else {
            let events = &self.explorer.graph.threads[thread][start..end];
            // A check that keeps such rounds needs no notes.
            let is_asked = self.keeps == Keeps::None;
            self.needs_watch |= is_asked && events.iter().any(|event| event.label.kind == Kind::CellRead);
            return;
        };
        let mut watch = std::mem::take(watch);
        for index in start..end {
            let id = EventId::new(thread, index);
            let event = self.explorer.graph.event(id);
            // A write to the thread's own memory is done again.
            let is_own = matches!(event.label.kind, Kind::Write | Kind::CellWrite) && !event.exclusive;
            if event.loc != NO_LOC && !is_own {
                let access = Access { id, kind: event.label.kind, name: self.place_name(event, Some((thread, start))) };
                watch.drop(access, start, event.label.site, &event.hb);
            }
        }
        self.watch = Some(watch);
    }

    /// Whether the round of the current thread is one that is kept, though it has failed and leaves
    /// nothing behind.
    pub(super) fn keeps(&self, start: usize, end: usize) -> bool {
        let thread = self.current;
        if self.threads[thread].has_kept || !self.explorer.is_exhaustive() {
            return false;
        }
        let events = &self.explorer.graph.threads[thread][start..end];
        let is_kept = match self.keeps {
            Keeps::None => false,
            Keeps::CellReads => events.iter().any(|event| event.label.kind == Kind::CellRead),
            Keeps::All => events.iter().any(|event| event.loc != NO_LOC),
        };
        is_kept
            || self.kept_rounds.iter().any(|&(by, begun, site)| {
                (by, begun) == (thread, start) && events.iter().any(|event| event.label.site == site)
            })
    }

    /// Notes, at the end of a run, its accesses that may race with one in a dropped round.
    pub(super) fn note_others(&mut self) {
        if !self.explorer.is_exhaustive() || !self.has_waited {
            return;
        }
        let Some(watch) = &mut self.watch else {
            self.needs_watch |= !self.needs_watch && self.ends_something_early();
            return;
        };
        let mut watch = std::mem::take(watch);
        let graph = &self.explorer.graph;
        for &id in graph.order.iter().skip(self.shared) {
            let event = graph.event(id);
            let kind = event.label.kind;
            if kind.is_writing() && kind != Kind::Alloc || kind == Kind::CellRead {
                watch.see(Access { id, kind, name: self.place_name(event, None) }, &event.hb);
            }
        }
        self.watch = Some(watch);
    }

    /// Whether an access that is not atomic, to an atomic or to memory, is not ordered with the
    /// last wait of another thread.
    fn ends_something_early(&self) -> bool {
        let graph = &self.explorer.graph;
        let is_early = |id: EventId| {
            let past = &graph.event(id).hb;
            self.born.iter().any(|&thread| {
                let Some(begun) = self.threads[thread].last_round.filter(|_| thread != id.thread()) else {
                    return false;
                };
                let follows = begun > 0 && graph.event(EventId::new(thread, begun - 1)).hb.contains(id);
                past.count(thread) <= begun && !follows
            })
        };
        let frees = |id: EventId| graph.event(id).label.kind == Kind::Free;
        let is_nonatomic = |id: EventId| graph.event(id).label.kind.is_nonatomic();
        graph.locs.iter().any(|at| {
            let mut accesses = at.accesses.iter().copied();
            match accesses.len() - at.nonatomic as usize {
                0 => at.accesses.last().copied().is_some_and(frees) && accesses.any(|id| frees(id) && is_early(id)),
                _ if at.nonatomic == 0 => false,
                _ => accesses.any(|id| is_nonatomic(id) && is_early(id)),
            }
        })
    }

    /// Returns a name of the place of an access. For an access in a dropped round, its thread's
    /// accesses from the beginning of that round on do not count.
    fn place_name(&self, event: &Event, round: Option<(usize, usize)>) -> Name {
        let graph = &self.explorer.graph;
        let memory = self.memory_of(event.loc).and_then(|memory| {
            let is_it = |id: &&EventId| graph.event(**id).label.kind == Kind::Alloc;
            let allocation = *graph.loc(memory).accesses.iter().find(is_it)?;
            if memory == event.loc {
                let (from, length) = match event.label.kind {
                    Kind::Free => (0, usize::MAX),
                    _ => (event.label.operand as usize, event.label.expected as usize),
                };
                let to = from.saturating_add(length);
                return Some(Name::Memory { allocation, from, to, is_object: false });
            }
            let (_, from) = self.heap.allocations.find(self.bindings.address(event.loc)?)?;
            Some(Name::Memory { allocation, from, to: from + 1, is_object: true })
        });
        memory.unwrap_or_else(|| Name::Object {
            firsts: self.firsts(event.loc, &event.porf, round),
            is_cell: event.label.bits == 0,
        })
    }

    fn firsts(&self, loc: LocId, past: &Clock, round: Option<(usize, usize)>) -> [u16; MAX_THREADS] {
        let mut firsts = [0; MAX_THREADS];
        for &id in self.explorer.graph.loc(loc).accesses.iter().filter(|&&id| past.contains(id)) {
            let (first, index) = (&mut firsts[id.thread()], id.index() as u16 + 1);
            if round.is_none_or(|(thread, start)| id.thread() != thread || id.index() < start)
                && (*first == 0 || index < *first)
            {
                *first = index;
            }
        }
        firsts
    }
}
