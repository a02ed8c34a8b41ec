//! Programs that are not deterministic: a thread that does something else than the graph says, after
//! the same results.

use crate::graph::clock::Clock;
use crate::graph::event::EventId;
use crate::report::failure::{self, Cause};

use super::engine::{Engine, State};

impl Engine {
    /// Whether what has caused an error is known not to come in each run.
    pub(super) fn is_astray(&self, cause: &Cause) -> bool {
        let has_more_to_replay = self.position() < self.explorer.graph.len(self.current);
        self.explorer.has_strayed() || matches!(cause, Cause::Panic(_)) && has_more_to_replay
    }

    /// The program does something else than before. That is an error, or the run goes on from what it has done so far.
    pub(super) fn stray(&mut self, cause: &Cause) {
        if self.nondeterminism_fails {
            self.fail(cause.clone());
            return;
        }
        let is_told = std::mem::replace(&mut self.is_stray_told, true);
        self.strayed = Some(if is_told { String::new() } else { failure::message(cause, self) });
        let mut done = Clock::EMPTY;
        for &thread in &self.born {
            if let Some(last) = self.threads[thread].position.checked_sub(1) {
                done.insert(EventId::new(thread, last));
            }
        }
        self.explorer.stray(&done);
        (self.remaining, self.trial) = (0, None);
        for &thread in &self.born {
            let thread = &mut self.threads[thread];
            (thread.mark, thread.retries) = (None, false);
            if let State::Awaits(_) = thread.state {
                thread.state = State::Ready;
            }
        }
    }
}
