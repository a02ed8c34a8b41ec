//! Threads that stop in the middle: suspended forever, or killed by a panic.
//!
//! Both are a function of the number of a thread's steps. So a thread's behaviour remains a
//! function of the values that it has read, and the exploration needs no rule for it: a
//! suspended thread is one whose program ends there.

use crate::config::Manner;
use crate::graph::event::{EventId, Kind, Site};

use super::coroutine;
use super::engine::Engine;
use super::state::{Fate, State};

impl Engine {
    /// Returns the way in which a thread stops after the steps that it has done so far, if it does.
    fn halt_due(&self, thread: usize) -> Option<Manner> {
        let halt = self.halts[thread]?;
        let events = &self.explorer.graph.threads[thread][..self.threads[thread].position];
        // A read-modify-write is two events and one step.
        let steps = events.iter().filter(|e| !(e.label.kind == Kind::Write && e.exclusive)).count();
        (steps >= halt.after).then_some(halt.manner)
    }

    /// Whether a thread is suspended.
    pub(super) fn is_suspended(&self, thread: usize) -> bool {
        self.has_halts && self.threads[thread].state != State::Done && self.halt_due(thread) == Some(Manner::Suspended)
    }

    /// Returns the way in which the current thread stops now, before its next operation.
    ///
    /// A thread is killed once, if `may_die`, and not while it unwinds for another reason.
    pub(super) fn comes_to_halt(&mut self, may_die: bool) -> Option<Manner> {
        let manner = self.halt_due(self.current)?;
        let thread = &mut self.threads[self.current];
        if manner == Manner::Killed {
            if thread.killed || thread.shields > 0 || !may_die || coroutine::has_panicked() {
                return None;
            }
            thread.killed = true;
            thread.mark = None;
            thread.retries = false;
        }
        Some(manner)
    }

    /// Whether a thread has been killed in this run.
    pub(crate) fn was_killed(&self, thread: usize) -> bool {
        self.threads[thread].killed
    }

    /// Whether a thread was suspended or killed in this run.
    pub(super) fn has_halted(&self) -> bool {
        self.has_halts && self.born.iter().any(|&t| self.was_killed(t) || self.is_suspended(t))
    }

    /// Whether the report has the threads' fates. Otherwise they all end, or the check fails.
    pub(super) fn tells_fates(&self) -> bool {
        self.has_halts || !self.waits_fail
    }

    /// Notes the fates of the threads of a complete execution.
    pub(super) fn note_fates(&mut self) {
        for &thread in &self.born {
            let halted = self.was_killed(thread) || self.is_suspended(thread);
            let waits = self.threads[thread].state != State::Done && !self.is_suspended(thread);
            let site = if halted { self.site_of_halt(thread) } else { None };
            self.fates.push(Fate { thread, halted, waits, site });
        }
    }

    fn site_of_halt(&self, thread: usize) -> Option<Site> {
        let last = self.halts[thread]?.after.checked_sub(1)?;
        let events = &self.explorer.graph.threads[thread];
        let mut steps = (0..events.len()).filter(|&at| !(events[at].label.kind == Kind::Write && events[at].exclusive));
        steps.nth(last).map(|at| self.explorer.graph.event(EventId::new(thread, at)).label.site)
    }
}
