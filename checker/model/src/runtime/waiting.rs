//! Waiting: rounds of a loop that change nothing until another thread writes.
//!
//! A round that fails ends its thread in this graph. Only a revisit of one of its reads by a later
//! write brings it back, in another graph. A random walk has no other graph: there, the thread
//! waits for a newer write, and makes another round.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::graph::event::{Event, EventId, Kind};

use super::engine::Engine;
use super::facts::{Cause, Ending};
use super::state::{State, Step, Thread};

/// The number of hints without any operation in between that make a wait.
const EMPTY_HINTS: u32 = 10_000;

/// From this value on, rounds do not differ in values, which may be addresses.
const MOST_NOVEL: u64 = 1 << 16;

impl Engine {
    /// Yields: all enabled others run first.
    pub(crate) fn yield_turn(&mut self) -> Step<()> {
        self.take_turn(true)
    }

    /// Waits until it is the current thread's turn to add events, after all others if it yields.
    fn take_turn(&mut self, yields: bool) -> Step<()> {
        let current = self.current;
        if self.aftermath.has_begun() || self.is_on_trial() {
            return Step::Done(());
        }
        if let Some(walk) = &mut self.explorer.walk {
            walk.yield_turn(current);
        } else if self.threads[current].position == self.explorer.graph.len(current) {
            self.threads[current].yielding = yields;
            if self.must_wait() {
                return Step::Switch;
            }
            self.threads[current].yielding = false;
        }
        Step::Done(())
    }

    /// Begins a round of a wait. Returns its position.
    pub(crate) fn begin_round(&mut self) -> Step<usize> {
        if self.aftermath.has_begun() {
            return self.begin_round_aside();
        }
        if self.is_on_trial() {
            self.threads[self.current].mark = None;
            return Step::Done(self.position());
        }
        let current = self.current;
        // A switch before a lock that is open would be a preemption.
        let tries_first = self.explorer.graph.rules.preemptions.is_some() && !self.has_stalled(current);
        if let Step::Switch = self.take_turn(!tries_first) {
            return Step::Switch;
        }
        self.note_round();
        self.has_waited = true;
        self.threads[current].last_round = Some(self.position());
        let mark = self.explorer.mark();
        let fresh = self.threads[current].position == self.explorer.graph.len(current);
        let final_round = self.has_stalled(current) || !self.explorer.is_exhaustive();
        let thread = &mut self.threads[current];
        if !std::mem::take(&mut thread.retries) {
            thread.mark = (fresh && !final_round).then_some((mark, self.progress));
        }
        Step::Done(thread.position)
    }

    /// Ends a round that began at `start` and failed. If it changed nothing, the thread waits.
    ///
    /// A round that fails on the newest writes is taken back as long as another thread may still
    /// add an event: it would only be blocked until that. Which thread comes next remains a
    /// function of the graph.
    pub(crate) fn fail_round(&mut self, start: usize) -> Step<()> {
        if self.aftermath.has_begun() {
            return self.fail_round_aside();
        }
        if !self.leaves_trial() {
            return Step::Switch;
        }
        let thread = self.current;
        let position = self.threads[thread].position;
        if !self.leaves_nothing(start, position) {
            return self.go_on_waiting(start);
        }
        if self.keeps(start, position) {
            self.threads[thread].has_kept = true;
            return Step::Done(());
        }
        self.note_dropped(start, position);
        self.threads[thread].round = start;
        let can_be_redone = self.can_be_redone(start, position);
        if let Some((mark, progress)) = self.threads[thread].mark
            && can_be_redone
            && self.waits_forever(thread)
            && self.explorer.rewind(&mark, thread)
        {
            self.threads[thread].position = start;
            self.progress = progress;
            self.threads[thread].stalled = Some(progress);
            return Step::Done(());
        }
        if self.remaining == 0 && can_be_redone && self.read_is_overwritten() && self.explorer.retry(thread, start) {
            let redone = self.explorer.graph.len(thread) - start;
            self.threads[thread].position = start;
            self.threads[thread].retries = true;
            self.remaining = redone;
            return Step::Done(());
        }
        if self.explorer.conflict.is_some() {
            self.give_up();
            return Step::Switch;
        }
        self.block()
    }

    /// Handles a hint that the thread spins.
    ///
    /// If the round since the last hint repeated the one before, and neither changed anything, the
    /// thread waits, unless it leaves the loop by itself.
    pub(crate) fn hint(&mut self) -> Step<()> {
        let hints = &mut self.threads[self.current].hints;
        *hints = hints.wrapping_add(1);
        if self.aftermath.has_begun() {
            return self.hint_aside();
        }
        if self.is_on_trial() && self.continues_trial() {
            return Step::Done(());
        }
        if self.ending.is_some() {
            return Step::Switch;
        }
        let current = self.current;
        let (round, position) = (self.threads[current].round, self.threads[current].position);
        self.threads[current].hinted_at = Some(position);
        if round == position {
            self.threads[current].empty_hints += 1;
            return if self.threads[current].empty_hints > EMPTY_HINTS { self.block() } else { Step::Done(()) };
        }
        let same = self.same_round(round, position);
        let idle_rounds = if same { self.threads[current].idle_rounds + 1 } else { 0 };
        let is_new = position == self.explorer.graph.len(current);
        if is_new && idle_rounds >= self.spin_bound {
            if self.explorer.script.is_some() || self.may_be_woken(current) || self.is_endless() {
                if let Step::Switch = self.block() {
                    return Step::Switch;
                }
            } else if self.must_wait() {
                return Step::Switch;
            } else {
                self.begin_trial(position - round);
            }
        } else if self.has_effects(round, position)
            && let Step::Switch = self.go_on_waiting(round)
        {
            return Step::Switch;
        }
        let thread = &mut self.threads[current];
        (thread.round, thread.idle_rounds, thread.empty_hints) = (position, idle_rounds, 0);
        Step::Done(())
    }

    /// Begins another round after one that began at `start`, changed something and failed.
    ///
    /// Beyond the bounds the thread ends in this execution, and the others continue.
    fn go_on_waiting(&mut self, start: usize) -> Step<()> {
        let is_novel = self.novel_rounds > 0 && self.is_novel(start);
        let thread = &mut self.threads[self.current];
        if is_novel {
            thread.novel_rounds += 1;
        } else {
            thread.counted_rounds = thread.counted_rounds.saturating_add(1);
        }
        if thread.counted_rounds > self.yield_bound {
            thread.state = State::Cut;
            return Step::Switch;
        }
        Step::Done(())
    }

    /// Whether the round that began at `start` counts as progress: it is unlike all of the current
    /// thread's before, and there have not been too many.
    fn is_novel(&mut self, start: usize) -> bool {
        let mut hasher = DefaultHasher::new();
        for event in &self.explorer.graph.threads[self.current][start..self.threads[self.current].position] {
            // An address may differ from that of other runs, but the comparison of rounds must not.
            let value = event.value.min(MOST_NOVEL);
            (event.label.kind, event.loc, std::ptr::from_ref(event.label.site), value, event.exclusive)
                .hash(&mut hasher);
        }
        let thread = &mut self.threads[self.current];
        let is_new = thread.known_rounds.insert(hasher.finish());
        is_new && thread.novel_rounds < self.novel_rounds
    }

    /// Ends the current thread in this graph, unless its wait may succeed here.
    pub(super) fn block(&mut self) -> Step<()> {
        let current = self.current;
        if self.threads[current].position < self.explorer.graph.len(current) {
            let next = EventId::new(current, self.threads[current].position);
            let before = self.explorer.graph.event(next).label.into();
            self.stray(&Cause::NonDeterminism { before, now: None });
            return Step::Switch;
        }
        let tries_again = self.tries_again();
        self.threads[current].ended_before = self.ended();
        if tries_again {
            return Step::Done(());
        }
        self.threads[current].state = State::Blocked;
        if self.explorer.is_exhaustive() && self.read_is_overwritten() {
            self.ending = Some(Ending::Discarded);
        }
        Step::Switch
    }

    /// Whether the current thread, whose wait has failed, tries again: in a replay if the graph has
    /// more of its events, in a random walk if it has not seen the newest write.
    fn tries_again(&self) -> bool {
        let explorer = &self.explorer;
        match &explorer.script {
            Some(script) => {
                let rest = script.turns.get(explorer.graph.order.len()..).unwrap_or_default();
                rest.iter().any(|&(thread, _)| thread == self.current)
            }
            None => self.may_be_woken(self.current),
        }
    }

    /// Whether a thread whose wait has failed can continue in this graph: only in a random walk, if
    /// there is a write that it has not seen. In a run that has strayed, another thread's end
    /// counts as one.
    pub(super) fn may_be_woken(&self, thread: usize) -> bool {
        let misses_ends = || self.has_strayed && self.ended() != self.threads[thread].ended_before;
        self.explorer.walk.is_some() && (!self.waits_forever(thread) || misses_ends())
    }

    /// Returns how many threads have ended.
    fn ended(&self) -> usize {
        self.born.iter().filter(|&&t| self.threads[t].state == State::Done).count()
    }

    /// Whether the events from `round` to `position` repeat those directly before `round`, and
    /// change nothing.
    fn same_round(&self, round: usize, position: usize) -> bool {
        let events = &self.explorer.graph.threads[self.current];
        let now = &events[round..position];
        let Some(begin) = round.checked_sub(now.len()) else {
            return false;
        };
        let before = &events[begin..round];
        !self.has_effects(round, position)
            && before.iter().zip(now).all(|(a, b)| {
                a.label.kind == b.label.kind
                    && a.label.site == b.label.site
                    && a.loc == b.loc
                    && a.rf == b.rf
                    && a.spurious == b.spurious
            })
    }

    /// Ends a round that has succeeded.
    pub(crate) fn end_round(&mut self) -> Step<()> {
        self.threads[self.current].mark = None;
        Step::Done(())
    }

    fn has_effects(&self, from: usize, to: usize) -> bool {
        self.explorer.graph.threads[self.current][from..to]
            .iter()
            .any(|e| !(matches!(e.label.kind, Kind::Read | Kind::CellRead) || e.label.kind.is_fence()) || e.exclusive)
    }

    /// Whether the last read of the current thread read a write that had been overwritten already.
    ///
    /// Then no later write can revisit a read of this thread, and other graphs have all executions
    /// of this one.
    fn read_is_overwritten(&self) -> bool {
        let graph = &self.explorer.graph;
        let last = (graph.threads[self.current].iter().rev()).find(|e| e.label.kind == Kind::Read);
        last.is_some_and(|read| {
            let index = if read.rf.is_init() { 0 } else { graph.event(read.rf).mo };
            graph.loc(read.loc).mo[index as usize + 1..].iter().any(|&w| graph.event(w).stamp < read.stamp)
        })
    }

    /// Whether every read of the round in which a blocked thread failed read the last write, or its
    /// value behind writes that change nothing. Then no event of this execution will ever end the
    /// wait.
    fn waits_forever(&self, thread: usize) -> bool {
        let graph = &self.explorer.graph;
        graph.threads[thread][self.threads[thread].round..].iter().filter(|e| e.label.kind == Kind::Read).all(|read| {
            let last = graph.loc(read.loc).mo.last().copied();
            !read.spurious && last.is_some_and(|last| self.settled(last) == self.settled(read.rf))
        })
    }

    /// Returns the write that has given a location the value of `write`: its source, if a
    /// read-modify-write writes what it has read.
    fn settled(&self, mut write: EventId) -> EventId {
        while !write.is_init() && self.explorer.graph.event(write).exclusive {
            let read = self.explorer.graph.event(EventId::new(write.thread(), write.index() - 1));
            if self.keeps_rounds || read.value != self.explorer.graph.event(write).value {
                break;
            }
            write = read.rf;
        }
        write
    }

    /// Whether this thread does not keep the execution from counting: it has no kept round, or that
    /// round takes the place of an equal one, in which the thread waits in the end.
    pub(super) fn stands_for_itself(&self, thread: usize) -> bool {
        let Thread { has_kept, state, round, position, .. } = &self.threads[thread];
        let events = &self.explorer.graph.threads[thread];
        let repeats = |last: &[Event]| {
            let before = round.checked_sub(last.len()).map_or(&[][..], |begin| &events[begin..*round]);
            let is_equal = |(a, b): (&Event, &Event)| {
                (a.label.kind, a.label.site, a.loc, a.value, a.spurious)
                    == (b.label.kind, b.label.site, b.loc, b.value, b.spurious)
                    && self.settled(a.rf) == self.settled(b.rf)
            };
            before.len() == last.len() && before.iter().zip(last).all(is_equal)
        };
        !has_kept || *state == State::Blocked && repeats(&events[*round..*position])
    }

    /// Concludes a run in which every thread has ended or waits.
    pub(super) fn conclude_blocked(&mut self) {
        if self.born.iter().any(|&t| self.threads[t].state == State::Cut) {
            let is_told = std::mem::replace(&mut self.is_told, true);
            self.ending = Some(Ending::Cut((!is_told).then(|| self.facts(Cause::Cut))));
            return;
        }
        let mut waiting = (self.born.iter().copied()).filter(|&t| self.threads[t].state == State::Blocked).peekable();
        let joins_only = waiting.peek().is_none();
        if !waiting.all(|t| self.waits_forever(t)) {
            self.ending = Some(Ending::Blocked);
        } else if !self.waits_fail || self.has_halted() {
            self.ending = Some(Ending::Complete);
        } else if joins_only {
            self.fail(Cause::Deadlock);
        } else {
            self.wait_forever();
        }
    }
}
