//! Trials: whether a loop that spins ends by itself.
//!
//! A thread whose round reads the values of the round before, and changes nothing, seems to wait.
//! But a loop may count its rounds and give up. So the thread goes on alone, and reads those values
//! once more, round after round. If it leaves the loop, it did not wait: these reads are events
//! like all others, and their other values are explored. If it does not, they are taken back, and
//! the thread waits from where the trial began.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::graph::clock::Clock;
use crate::graph::event::{Event, EventId, Label};

use super::engine::Engine;
use super::state::Trial;

/// The number of rounds after which a loop counts as endless.
const ROUNDS: u32 = 64;

/// The number of hints without any operation in between that a round may have.
const EMPTY_HINTS: u32 = 10_000;

/// A trial ends if a graph would have more events than it can.
const MOST_EVENTS: usize = 60_000;

/// The number of endless loops that are remembered.
const REMEMBERED: usize = 1 << 14;

impl Engine {
    /// Whether the current thread's loop is on trial.
    #[inline]
    pub(super) fn is_on_trial(&self) -> bool {
        self.trial.as_ref().is_some_and(|trial| trial.thread == self.current)
    }

    /// Whether the current thread's loop was on trial before, after all that has happened before it in this
    /// graph, and did not end.
    pub(super) fn is_endless(&self) -> bool {
        // A thread with a halt, which counts its steps, makes none on trial.
        self.halts[self.current].is_some() || !self.endless.is_empty() && self.endless.contains(&self.past())
    }

    /// Puts the current thread's loop, whose last round had `length` events, on trial.
    pub(super) fn begin_trial(&mut self, length: usize) {
        let position = self.position();
        self.trial = Some(Trial {
            thread: self.current,
            mark: self.explorer.mark(),
            progress: self.progress,
            start: position,
            length,
            round: position,
            hints: 0,
            rounds: ROUNDS.min((MOST_EVENTS.saturating_sub(self.explorer.graph.order.len()) / length) as u32).max(1),
            past: self.past(),
        });
    }

    /// Handles a hint of the loop on trial. Returns `false` if the trial is over: the thread has left the
    /// loop, or does not leave it.
    pub(super) fn continues_trial(&mut self) -> bool {
        let position = self.position();
        let Some(trial) = &mut self.trial else { return false };
        if position == trial.round {
            trial.hints += 1;
            return trial.hints <= EMPTY_HINTS || self.fail_trial();
        }
        if position - trial.round != trial.length {
            self.trial = None;
            return false;
        }
        (trial.round, trial.hints) = (position, 0);
        trial.rounds -= 1;
        trial.rounds > 0 || self.fail_trial()
    }

    /// Removes the events that the thread has added since the trial began.
    fn fail_trial(&mut self) -> bool {
        let Some(trial) = self.trial.take() else { return false };
        if self.explorer.rewind(&trial.mark, trial.thread) {
            let thread = &mut self.threads[trial.thread];
            (thread.position, thread.round) = (trial.start, trial.start - trial.length);
            self.progress = trial.progress;
            if self.endless.len() >= REMEMBERED {
                self.endless.clear();
            }
            self.endless.insert(trial.past);
        }
        false
    }

    /// Returns the event of the last round that the next round must repeat, if a loop is on trial.
    pub(super) fn model(&self) -> Option<&Event> {
        let trial = self.trial.as_ref()?;
        Some(self.explorer.graph.event(EventId::new(trial.thread, self.position() - trial.length)))
    }

    /// Compares a new operation of the current thread with its loop. An operation that is not of the loop
    /// ends the trial.
    pub(super) fn compare_with_model(&mut self, label: &Label) {
        let differs = |model: &Event| {
            let before = &model.label;
            model.exclusive || before.kind != label.kind || before.op != label.op || before.site != label.site
        };
        if self.model().is_some_and(differs) {
            self.trial = None;
        }
    }

    /// Returns a hash of all on which the current thread's behaviour depends: what precedes its next event in
    /// sb and rf.
    fn past(&self) -> u64 {
        let graph = &self.explorer.graph;
        let mut hasher = DefaultHasher::new();
        (self.current, self.position()).hash(&mut hasher);
        let before = graph.before(EventId::new(self.current, self.position()));
        let past = before.map_or(Clock::EMPTY, |event| event.porf);
        for (thread, events) in graph.threads.iter().enumerate() {
            for event in events.iter().take(past.count(thread)) {
                let label = &event.label;
                (thread, std::ptr::from_ref(label.site), event.value, event.exclusive).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}
