//! Programs that are not deterministic: a thread that deviates from the graph, after the same
//! results.

use crate::graph::clock::Clock;
use crate::graph::event::EventId;

use super::engine::Engine;
use super::facts::{Cause, Ending};
use super::state::State;

impl Engine {
    /// Whether the cause of an error is known not to occur in each run.
    pub(super) fn is_astray(&self, cause: &Cause) -> bool {
        let has_more_to_replay = self.position() < self.explorer.graph.len(self.current);
        self.has_strayed || matches!(cause, Cause::Panic(_)) && has_more_to_replay
    }

    /// Notes that the program deviates. That is an error, or the run continues after its operations
    /// so far.
    pub(super) fn stray(&mut self, cause: &Cause) {
        if self.nondeterminism_fails {
            self.fail(cause.clone());
            return;
        }
        self.leave_graph(cause);
        (self.remaining, self.trial) = (0, None);
        for &thread in &self.born {
            let thread = &mut self.threads[thread];
            if let State::Awaits(_) = thread.state {
                thread.state = State::Ready;
            }
        }
    }

    /// Continues after the program's operations so far, on a random path.
    fn leave_graph(&mut self, cause: &Cause) {
        if !std::mem::replace(&mut self.has_strayed, true) && !std::mem::replace(&mut self.is_stray_told, true) {
            self.first_stray = Some(self.facts(cause.clone()));
        }
        let mut done = Clock::EMPTY;
        for &thread in &self.born {
            if let Some(last) = self.threads[thread].position.checked_sub(1) {
                done.insert(EventId::new(thread, last));
            }
            let thread = &mut self.threads[thread];
            (thread.mark, thread.retries) = (None, false);
        }
        self.explorer.stray(&done);
    }

    /// Resumes each waiting thread once more, when no event of the execution ends its wait.
    ///
    /// If the program need not be deterministic, something else may end their waits, and threads
    /// whose waits have ended may have taken part in that.
    pub(super) fn wait_forever(&mut self) {
        if let Some(facts) = self.doubted.take() {
            self.ending = Some(Ending::Failed(facts));
            return;
        }
        self.fail(Cause::Liveness);
        if self.nondeterminism_fails || self.explorer.script.is_some() {
            return;
        }
        if let Some(Ending::Failed(facts)) = self.ending.take() {
            self.doubted = Some(facts);
        }
        self.leave_graph(&Cause::EndedWait);
        self.endless.clear();
        for &thread in &self.born {
            self.threads[thread].ended_before = usize::MAX;
        }
    }
}
