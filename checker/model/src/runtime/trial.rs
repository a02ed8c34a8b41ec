//! Trials: whether a loop ends by itself.
//!
//! A thread whose round reads the values of the round before, and changes nothing, seems to wait.
//! But a loop may count its rounds and give up. So the thread runs alone, and gets those values
//! once more, round after round. If it leaves the loop, it did not wait: then its reads become
//! events like all others, and their other values are explored. If it does not within [`FIRST`]
//! rounds, the thread waits from the point where the trial began.
//!
//! Operations on trial are not events until the thread leaves the loop, so that many of them cost
//! little. A loop that has not ended mostly comes on trial again with other pasts of its thread,
//! and then has [`LATER`] rounds. That may be another loop at the same place, whose rounds are
//! counted by a parameter. If one has ended after more rounds, all have [`FIRST`].
//!
//! # Spurious failures
//!
//! A weak compare-exchange that has failed spuriously and is tried again may fail so once more. A
//! loop around it would have endless executions. They show no more than the one with a single
//! failure, as far as the loop keeps no count. But two calls of a function that tries once are not
//! a loop, nor is a loop endless that gives up after some tries. So an exchange that fails once
//! more begins a trial, too: its thread runs alone, and its operations since its last try are
//! repeated, up to the same exchange, which fails each time. If the thread leaves the loop, the
//! failures are events. If it does not within [`TRIES`], the run is discarded, and the exchange
//! does not fail a second time after that past of its thread.
//!
//! A read of a further round may find that its write is hidden by a later one in the thread's past.
//! It then gets an equal value of a later write. If there is none, the round cannot be repeated,
//! and the failure is an event without a trial; there are no more than [`FAILURES`] such in a row.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::explore::Preference;
use crate::graph::clock::Clock;
use crate::graph::event::{Event, EventId, Kind, Label, LocId, RmwOp, Site};

use super::engine::Engine;
use super::facts::{Cause, Ending};
use super::state::{Patience, Step, Trial};

/// The number of rounds after which a loop counts as endless, if it has not been on trial.
const FIRST: u32 = 20_000;

/// The number of rounds for a loop that has been on trial, and has never ended after more than
/// this.
const LATER: u32 = 1_000;

/// The number of tries after which a loop around a weak compare-exchange counts as endless.
const TRIES: u32 = 200;

/// The number of spurious failures in a row after which a loop counts as endless whose rounds
/// differ.
const FAILURES: usize = 64;

/// The number of hints without any operation in between that a round may have.
const EMPTY_HINTS: u32 = 10_000;

/// The number of events that a graph can have.
const MOST_EVENTS: usize = 60_000;

/// The number of endless loops that are remembered.
const REMEMBERED: usize = 1 << 14;

impl Engine {
    /// Whether the current thread's loop is on trial.
    #[inline]
    pub(super) fn is_on_trial(&self) -> bool {
        self.trial.as_ref().is_some_and(|trial| trial.thread == self.current)
    }

    /// Returns the number of events that the current thread has done, with those of a trial that
    /// are not in the graph yet.
    #[inline]
    pub(crate) fn position(&self) -> usize {
        let on_trial = self.trial.as_ref().filter(|trial| trial.thread == self.current);
        self.threads[self.current].position + on_trial.map_or(0, |trial| trial.operands.len())
    }

    /// Returns the stamp and the site of the current thread's last event, also if it is not in the
    /// graph yet.
    pub(crate) fn last_event(&self) -> Option<(u32, Site)> {
        let graph = &self.explorer.graph;
        if let Some(trial) =
            self.trial.as_ref().filter(|trial| trial.thread == self.current && !trial.operands.is_empty())
        {
            let site = graph.event(trial.model(trial.operands.len() - 1)).label.site;
            return Some(((graph.order.len() + trial.operands.len() - 1) as u32, site));
        }
        let last = self.threads[self.current].position.checked_sub(1)?;
        let event = graph.event(EventId::new(self.current, last));
        Some((event.stamp, event.label.site))
    }

    /// Whether the current thread's loop was on trial before, after the same past in this graph,
    /// and did not end.
    pub(super) fn is_endless(&self) -> bool {
        // A thread with a halt, which counts its steps, makes none on trial.
        self.halts[self.current].is_some() || !self.endless.is_empty() && self.endless.contains(&self.past())
    }

    /// Puts the current thread's loop, whose last round had `length` events, on trial.
    pub(super) fn begin_trial(&mut self, length: usize) {
        let start = self.position();
        let past = self.past();
        let trial = Trial { thread: self.current, start, length, past, ..Trial::default() };
        let rounds = self
            .patience
            .get(&self.name_of(&trial))
            .map_or(FIRST, |known| if *known == Patience::Little { LATER } else { FIRST });
        self.trial = Some(Trial { rounds, ..trial });
    }

    /// Returns a hash of the places in the program at which a round of a loop has its operations.
    fn name_of(&self, trial: &Trial) -> u64 {
        let mut hasher = DefaultHasher::new();
        for event in &self.explorer.graph.threads[trial.thread][trial.start - trial.length..trial.start] {
            (event.label.kind, std::ptr::from_ref(event.label.site)).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Whether the next weak compare-exchange of the current thread must not fail spuriously: it
    /// has just done so, and would do so forever.
    pub(super) fn fails_idly(&self, label: &Label, loc: LocId) -> bool {
        let thread = self.current;
        let position = self.threads[thread].position;
        let failures = || self.explorer.graph.equal_failures(thread, position, label, loc).filter(|(_, idle)| *idle);
        label.op == RmwOp::CompareExchangeWeak
            && failures().next().is_some()
            && (self.halts[thread].is_some() || self.is_hopeless() || failures().count() >= FAILURES)
    }

    /// Whether the loop of the current thread was on trial before, after the same view, and did not
    /// end.
    fn is_hopeless(&self) -> bool {
        let next = EventId::new(self.current, self.threads[self.current].position);
        !self.hopeless.is_empty() && self.hopeless.contains(&self.explorer.graph.hash_of_view(next))
    }

    /// Puts a loop on trial whose compare-exchange, the newest event, has failed spuriously once
    /// more.
    pub(super) fn try_again(&mut self) {
        let graph = &self.explorer.graph;
        let Some(id) = graph.newest().filter(|&id| graph.event(id).spurious) else { return };
        let event = graph.event(id);
        let mut failures = graph.equal_failures(id.thread(), id.index(), &event.label, event.loc).peekable();
        let Some(last) = failures.peek().map(|&(last, _)| last).filter(|_| failures.any(|(_, idle)| idle)) else {
            return;
        };
        if self.trial.is_some() || self.explorer.walk.is_some() || self.explorer.script.is_some() {
            return;
        }
        let (thread, start, past) = (id.thread(), id.index() + 1, graph.hash_of_view(id));
        let trial = Trial { length: id.index() - last, rounds: TRIES, is_of_failures: true, ..Trial::default() };
        let trial = Trial { thread, start, past, ..trial };
        if let Some(known) = self.known_to_rounds(&trial) {
            self.trial = Some(Trial { known, ..trial });
        }
    }

    /// Returns the events that happen before each further round of a loop, if the round can have
    /// the values of the last one: later writes may hide them by then.
    fn known_to_rounds(&self, trial: &Trial) -> Option<Clock> {
        let graph = &self.explorer.graph;
        let round = &graph.threads[trial.thread][trial.start - trial.length..trial.start];
        let has_fences = round.iter().any(|event| event.label.kind.is_fence());
        let mut known = round.last()?.hb;
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for read in round.iter().filter(|event| event.label.kind == Kind::Read) {
                let is_own = !read.rf.is_init() && read.rf.thread() == trial.thread;
                if is_own && read.rf.index() + trial.length >= trial.start {
                    continue;
                }
                let source = self.source_of(read, trial, &known);
                if source != read.rf && graph.value_of(source, read.loc) != read.value {
                    return None;
                }
                if source != read.rf && (read.mode.acquires() || has_fences) {
                    let before = known;
                    known.join(&graph.event(source).release);
                    is_settled &= known == before;
                }
            }
        }
        Some(known)
    }

    /// Does an operation of a loop on trial without an event, and returns the value of the round
    /// before. An operation outside of the loop ends the trial. Returns `None` if there is no
    /// trial.
    #[inline]
    pub(super) fn repeat(&mut self, label: &Label, loc: impl FnOnce(&Self) -> Option<LocId>) -> Option<Step<u64>> {
        if !self.is_on_trial() {
            return None;
        }
        let loc = loc(self);
        self.repeat_or_leave(label, loc)
    }

    fn repeat_or_leave(&mut self, label: &Label, loc: Option<LocId>) -> Option<Step<u64>> {
        let trial = self.trial.as_mut()?;
        let model = self.explorer.graph.event(trial.model(trial.operands.len()));
        let before = &model.label;
        let is_same = !model.exclusive
            && (before.kind, before.op, before.mode, before.failure)
                == (label.kind, label.op, label.mode, label.failure)
            && before.site == label.site
            && loc == Some(model.loc);
        // The exchange that fails repeatedly is the last of its round.
        let is_last = (trial.operands.len() + 1).is_multiple_of(trial.length);
        let is_equal = || before.operand == label.operand || !(trial.is_of_failures && is_last);
        let comes_out_equal = match label.kind {
            Kind::Write => trial.is_of_failures && before.operand == label.operand,
            _ if label.op.is_load() => true,
            _ if model.spurious => before.expected == label.expected && is_equal(),
            _ => label.fails_on(model.value),
        };
        if !(is_same && comes_out_equal) {
            return if self.end_trial() { None } else { Some(Step::Switch) };
        }
        let value = model.value;
        trial.operands.push((label.operand, label.expected));
        if trial.is_of_failures && is_last {
            (trial.hints, trial.rounds) = (0, trial.rounds - 1);
            if trial.rounds == 0 {
                self.fail_trial();
                self.ending = Some(Ending::Discarded);
                return Some(Step::Switch);
            }
        }
        Some(Step::Done(value))
    }

    /// Handles a hint of the loop on trial. Returns `false` if the trial is over: the thread has
    /// left the loop, or does not leave it.
    pub(super) fn continues_trial(&mut self) -> bool {
        let Some(trial) = &mut self.trial else { return false };
        let done = trial.operands.len();
        if trial.is_of_failures || done == trial.round {
            trial.hints += 1;
            let continues = trial.hints <= EMPTY_HINTS;
            if !continues && trial.is_of_failures {
                self.end_trial();
            }
            return continues || self.fail_trial();
        }
        if done - trial.round != trial.length {
            self.end_trial();
            return false;
        }
        (trial.round, trial.hints) = (done, 0);
        trial.rounds -= 1;
        trial.rounds > 0 || self.fail_trial()
    }

    /// Ends a trial whose loop is endless.
    fn fail_trial(&mut self) -> bool {
        let Some(trial) = self.trial.take() else { return false };
        self.threads[trial.thread].round = trial.start - trial.length;
        let name = self.name_of(&trial);
        let known = if trial.is_of_failures { &mut self.hopeless } else { &mut self.endless };
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(trial.past);
        if !trial.is_of_failures {
            self.patience.entry(name).or_insert(Patience::Little);
        }
        false
    }

    /// Ends the trial of the current thread, if there is one: see [`Self::end_trial`].
    #[inline]
    pub(super) fn leaves_trial(&mut self) -> bool {
        !self.is_on_trial() || self.end_trial()
    }

    /// Ends the trial of a thread that has left its loop: its operations become events. Returns
    /// `false` if that ends the run.
    pub(super) fn end_trial(&mut self) -> bool {
        let Some(trial) = self.trial.take() else { return true };
        let graph = &self.explorer.graph;
        if graph.order.len() + trial.operands.len() > self.max_events.min(MOST_EVENTS) {
            self.fail(Cause::TooManyEvents);
            return false;
        }
        if trial.operands.len() > LATER as usize * trial.length {
            self.patience.insert(self.name_of(&trial), Patience::Much);
        }
        let begins_round = trial.operands.len() == trial.round;
        for (done, &(operand, expected)) in trial.operands.iter().enumerate() {
            if !self.become_event(&trial, done, operand, expected) {
                return false;
            }
        }
        if begins_round && !trial.is_of_failures {
            let thread = &mut self.threads[trial.thread];
            thread.hinted_at = Some(thread.position);
        }
        true
    }

    /// Adds an event as the one of the round before, with the operand and the expected value that
    /// the program named.
    fn become_event(&mut self, trial: &Trial, done: usize, operand: u64, expected: u64) -> bool {
        let thread = trial.thread;
        let position = self.threads[thread].position;
        let model = *self.explorer.graph.event(EventId::new(thread, position - trial.length));
        debug_assert_eq!(position, trial.start + done, "nothing else has happened");
        if model.yields {
            self.threads[thread].hinted_at = Some(position);
        }
        self.prepare_event();
        let (loc, label) = (model.loc, Label { operand, expected, ..model.label });
        let source = self.source_of(&model, trial, &trial.known);
        let may_fail = model.spurious || !self.fails_idly(&label, loc);
        let added = match label.kind {
            Kind::Read => {
                let like = Preference::Like { source, spurious: model.spurious };
                self.explorer.add_read(thread, label, loc, like, may_fail)
            }
            Kind::Write => self.explorer.add_write(thread, label, loc, false),
            kind if kind.is_fence() => self.explorer.add_only(thread, label),
            _ => self.explorer.add_nonatomic(thread, label, loc),
        };
        if !added {
            self.give_up();
            return false;
        }
        let event = self.explorer.graph.event_mut(EventId::new(thread, position));
        if label.kind == Kind::CellRead {
            (event.rf, event.value) = (model.rf, model.value);
        }
        let is_equal = (event.spurious, event.exclusive, event.value) == (model.spurious, false, model.value)
            && (label.kind != Kind::Read || event.rf == source);
        self.added();
        if !is_equal {
            // The bound of preemptions may leave no more spurious failures.
            self.ending = Some(Ending::Discarded);
        }
        is_equal
    }

    /// Returns the source of a read that repeats `model` after the events in `known`. A read of a
    /// value that its round stores itself gets it from this round. A hidden source is replaced by
    /// the next one.
    fn source_of(&self, model: &Event, trial: &Trial, known: &Clock) -> EventId {
        let (graph, own) = (&self.explorer.graph, model.rf);
        if !own.is_init() && own.thread() == trial.thread {
            let stores_again = |event: &&Event| event.label.kind == Kind::Write && event.loc == model.loc;
            let next = own.index() + trial.length;
            if graph.threads[trial.thread].get(next).filter(stores_again).is_some() {
                return EventId::new(trial.thread, next);
            }
        }
        let index = if own.is_init() { 0 } else { graph.event(own).mo };
        let first = if trial.is_of_failures { graph.bound(model.loc, known) } else { 0 };
        if index < first { graph.loc(model.loc).mo[first as usize] } else { own }
    }

    /// Returns a hash of all events on which the current thread's behaviour depends: those that
    /// precede its next event in sb and rf.
    fn past(&self) -> u64 {
        self.explorer.graph.hash_of_past(EventId::new(self.current, self.threads[self.current].position))
    }
}
