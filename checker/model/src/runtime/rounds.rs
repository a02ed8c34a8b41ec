//! Failed rounds of a wait that leave nothing behind.
//!
//! A round that fails ends its thread (`waiting`), unless it leaves something behind: then the
//! thread makes another round. For each execution `E` in which a thread makes such rounds `R` and
//! then continues, another one, `E'`, must be explored: `E` without the events of `R`. The closure
//! promises that no variable of its own records whether it has failed before. So `E'` is an
//! execution of the program if its reads still have sources and the memory model allows it, and
//! every error of `E` is one of `E'`: the removal takes edges out of happens-before, and adds none.
//! The thread alone at the end of `R` is explored as well. One error of `E` may be none of `E'`: a
//! race of an access in `R` itself (below). Two kinds of writes leave nothing behind.
//!
//! *A read-modify-write that writes the value that it reads.* In `E'`, its readers read from its
//! source: the value is equal. A release sequence through it becomes a shorter one with one end
//! fewer, and the modification order loses one element, so all relations between the events that
//! remain are part of those of `E`.
//!
//! *A write to memory that no other thread can reach*, which each later round writes before it
//! reads. The memory is of an allocation of this thread, after which it has created no thread and
//! written nowhere but in such memory: no other thread has the address. No thread reads the write
//! in `E` if the first access to its place after the beginning of `R` in `E'` is a write by this
//! thread, as long as the memory is its own. That is a property of other executions, so it is
//! observed: [`Traces`](super::traces::Traces) keeps the places that dropped rounds wrote, and the
//! places whose first access after the beginning of a round is none of these writes, in any
//! execution. If a place is in both, the check begins anew and drops no round that writes. Two
//! executions have equal names for a place: the thread, the position at which its round began, the
//! position of the allocation, and the offset in it. Up to the round they may be different pasts of
//! the thread; that joins more, and makes the check begin anew too often at worst. The write of
//! `E'` has the kind of the one of `R`, and comes after it in its thread: a race with one is a race
//! with the other.
//!
//! # Rounds that are kept
//!
//! *A lock that is taken and given back* is a change, although its word has its old value in the
//! end. The model does not see a thread's accesses to the data under the lock: a guard hands out a
//! mutable reference, or the data is not an object of the model at all. A round that counts itself
//! there would be taken for one that only reads. Besides, another thread may read the word in
//! between: its attempt to lock fails then, or a writer gives up because of a reader that counts
//! itself and takes that back. Without the round, that read has no source of its value. Nor can the
//! round be dropped in those executions only in which no thread reads the word: whether the thread
//! continues would depend on later reads of others, and those may depend on the thread's operations
//! after its wait.
//!
//! *A read-modify-write in a loop with hints* is a change, too, even if it writes the value that it
//! reads. The argument above holds, and any one of the equal rounds may stay in `E'`, so that races
//! are found. But such a loop makes no promise, so it counts as a wait only after a trial
//! (`trial`), which repeats its last round. That cannot be repeated if another thread has changed
//! what the round wrote. In a graph that the round's write has made by a revisit, that is so from
//! the beginning, and there may be no other graph with the round.
//!
//! Such loops are cut after some rounds ([`Config::yield_bound`](crate::Config::yield_bound)).
//!
//! # Races of accesses in dropped rounds
//!
//! Let `a`, in a dropped round `R` of thread `T`, race with `b`. Of `E` only the events before `a`
//! or `b` in program order and reads-from count, the rest of `R`, and no other dropped round but
//! that of `b`, if `b` is in one. If `a` is not before `b` in that order, and `R` stays in the
//! graph while `b` is added, the race is found then. Two things may prevent that: `R` may be
//! dropped before, because it has read old values, or `b` depends on operations of `T` after its
//! wait. So two sets are kept, over all executions. One has the accesses of dropped rounds, each
//! with the events that happen before it, its past. The other has all accesses that may conflict
//! with such, with the same. `a` is in the first one, and its past is that of `E`: it depends on
//! nothing but the events before `a`. `b` is in the second one, in `E'`, at its position of `E`.
//! Its past there has no event of `T` from the beginning of `R` on, or it would have one after `a`
//! in `E`. If `b` is in a dropped round itself, it is in the first set. Therefore the race is among
//! the pairs of conflicting accesses of different threads such that `b` is not in the past of `a`,
//! and no event of `T` from the beginning of `R` on is in the past of `b`. Of equal accesses to
//! equal places the sets keep the events of all pasts, which can only add pairs.
//!
//! Places have names: an object in memory of [`alloc`](crate::alloc) has that of its allocation and
//! its offset; another one the position of each thread's first access to it, among the events
//! before the access in question and, of `T`, before `R`. These are equal in `E` and `E'`, so that
//! two names of one place never contradict each other.
//!
//! If there is no such pair, there is no race, and the check is over. Otherwise the program is
//! explored once more. In each thread, a round of one of these waits is kept, if it is the first
//! that fails at that position, and has an access at the site in question: as if the wait were
//! `if !condition() { await_until(condition) }`. `E` is an execution of that program, in which `R`
//! and the round of `b` are not rounds of a wait. So the race is found if there is one. A pair
//! without a race only costs time: these executions do not count. A check that is saved or divided
//! cannot look back at all its executions. It keeps, in the same way, a failed round of each thread
//! that reads a cell, and counts no execution with one. That leaves an atomic access in `R` to what
//! `b` frees, or accesses without atomicity. If an execution has such a `b`, as below, the check
//! begins anew, and keeps a failed round of each thread, whatever its accesses are. A task of a
//! divided check cannot begin anew: it is refused, and a new plan has to be made.
//!
//! The sets are filled only if a race is possible (`watching`): a dropped round has read a cell, or
//! an execution frees memory, or accesses an atomic without atomicity, and nothing orders that with
//! the last wait of another thread. Until then nothing is noted, and then the check begins anew.

use crate::graph::event::{Event, EventId, Kind, LocId, NO_LOC};

use super::engine::Engine;
use super::traces::Trace;

impl Engine {
    /// Whether the round of the current thread from `start` to `end`, which has failed, leaves
    /// nothing behind.
    pub(super) fn leaves_nothing(&mut self, start: usize, end: usize) -> bool {
        let events = &self.explorer.graph.threads[self.current];
        // A halt counts steps, those of failed rounds among them.
        let keeps_rounds = self.keeps_rounds || self.halts[self.current].is_some();
        let repeats = |index: usize| events[index].value == events[index + 1].value;
        let is_idle = |index: usize| match events[index].label.kind {
            Kind::Read => !events[index].exclusive || !keeps_rounds && repeats(index),
            Kind::Write => events[index].exclusive && !keeps_rounds && repeats(index - 1),
            kind => kind == Kind::CellRead || kind.is_fence(),
        };
        let writes: Vec<usize> = (start..end).filter(|&index| !is_idle(index)).collect();
        if writes.is_empty() {
            return true;
        }
        if !self.drops_own_writes || keeps_rounds || self.explorer.walk.is_some() {
            return false;
        }
        let own_from = self.own_from(self.current, end);
        let trace = |&index: &usize| {
            let event = &self.explorer.graph.threads[self.current][index];
            let is_store = matches!(event.label.kind, Kind::Write | Kind::CellWrite) && !event.exclusive;
            let trace = self.trace(self.current, start, event).filter(|_| is_store)?;
            (own_from..start).contains(&trace.allocation).then_some(trace)
        };
        let Some(traces) = writes.iter().map(trace).collect::<Option<Vec<_>>>() else { return false };
        traces.into_iter().for_each(|trace| self.traces.drop(trace));
        true
    }

    /// Whether the round from `start` to `end` can be done again in this run.
    pub(super) fn can_be_redone(&self, start: usize, end: usize) -> bool {
        self.explorer.graph.threads[self.current][start..end].iter().all(|e| e.label.kind != Kind::CellWrite)
    }

    /// Returns the allocation by `thread` in which the object of an event lies.
    fn allocation(&self, thread: usize, loc: LocId) -> Option<EventId> {
        let graph = &self.explorer.graph;
        let owner = self.memory_of(loc)?;
        let is_it = |id: &EventId| id.thread() == thread && graph.event(*id).label.kind == Kind::Alloc;
        graph.loc(owner).accesses.iter().copied().find(is_it)
    }

    /// Returns the location of the memory that contains a location, or that is the location.
    pub(super) fn memory_of(&self, loc: LocId) -> Option<LocId> {
        let owner = self.explorer.graph.locs.get(loc as usize)?.owner;
        let memory = if owner == NO_LOC { loc } else { owner };
        self.heap.allocations.has(memory).then_some(memory)
    }

    /// Returns the name of an event's place in memory that the thread has allocated.
    fn trace(&self, thread: usize, round: usize, event: &Event) -> Option<Trace> {
        let allocation = self.allocation(thread, event.loc)?.index();
        let (_, offset) = self.heap.allocations.find(self.bindings.address(event.loc)?)?;
        let thread = self.explorer.graph.representative(thread);
        Some(Trace { thread, round, allocation, offset, kind: event.label.kind })
    }

    /// Whether the event may publish the address of memory that its thread has allocated from
    /// position `from` on.
    fn is_public(&self, thread: usize, from: usize, event: &Event) -> bool {
        match event.label.kind {
            Kind::Write | Kind::CellWrite => self.allocation(thread, event.loc).is_none_or(|id| id.index() < from),
            kind => kind == Kind::Create,
        }
    }

    /// Returns the position from which on a thread's allocations are reachable from no other thread
    /// at its position `end`.
    fn own_from(&self, thread: usize, end: usize) -> usize {
        let events = self.explorer.graph.threads[thread][..end].iter().enumerate();
        events.fold(0, |from, (index, event)| if self.is_public(thread, from, event) { index + 1 } else { from })
    }

    /// Notes a round that begins while its thread may have memory of its own.
    pub(super) fn note_round(&mut self) {
        let (thread, start) = (self.current, self.position());
        let events = self.explorer.graph.threads[thread][..start].iter().rev();
        let mut may_tell = events.take_while(|event| match event.label.kind {
            Kind::Write | Kind::CellWrite => self.memory_of(event.loc).is_some(),
            kind => kind != Kind::Create,
        });
        if self.drops_own_writes
            && self.begun_rounds.last() != Some(&(thread, start))
            && may_tell.any(|event| event.label.kind == Kind::Alloc)
        {
            self.begun_rounds.push((thread, start));
        }
    }

    /// Notes, at the end of a run, the reads that could see writes to own memory by earlier rounds.
    pub(super) fn note_seen(&mut self) {
        for (thread, start) in std::mem::take(&mut self.begun_rounds) {
            for trace in self.seen_since(thread, start) {
                self.traces.see(trace);
            }
        }
    }

    fn seen_since(&self, thread: usize, start: usize) -> Vec<Trace> {
        let graph = &self.explorer.graph;
        let Some(later) = graph.threads[thread].get(start..) else { return Vec::new() };
        let from = self.own_from(thread, start);
        let is_ours = |loc| self.allocation(thread, loc).is_some_and(|id| (from..start).contains(&id.index()));
        // The locations that the thread writes first, and those that it may read first.
        let (mut written, mut read) = (Vec::new(), Vec::new());
        let mut is_own = true;
        for event in later {
            if event.loc != NO_LOC && is_ours(event.loc) && written.iter().all(|&(loc, _)| loc != event.loc) {
                let writes = matches!(event.label.kind, Kind::Write | Kind::CellWrite) && !event.exclusive;
                if is_own && writes && !read.contains(&event.loc) {
                    written.push((event.loc, event.label.kind));
                } else {
                    read.push(event.loc);
                }
            }
            is_own &= !self.is_public(thread, from, event);
        }
        let mut seen = Vec::new();
        for loc in (0..graph.locs.len() as LocId).filter(|&loc| is_ours(loc)) {
            let is_later = |id: &&EventId| id.thread() != thread || id.index() >= start;
            let is_access = |event: &&Event| !matches!(event.label.kind, Kind::Alloc | Kind::Free);
            let later = graph.loc(loc).accesses.iter().filter(is_later).map(|&id| graph.event(id));
            let Some(event) = { later }.find(is_access) else { continue };
            let first = written.iter().find(|(written, _)| *written == loc).map(|&(_, kind)| kind);
            let kinds = [Kind::Write, Kind::CellWrite].into_iter().filter(|&kind| first != Some(kind));
            match (self.trace(thread, start, event), self.allocation(thread, loc)) {
                (Some(trace), _) => seen.extend(kinds.map(|kind| Trace { kind, ..trace })),
                // A raw access may be to any part.
                (None, Some(id)) => seen.push(Trace::whole(graph.representative(thread), start, id.index())),
                (None, None) => {}
            }
        }
        seen
    }
}
