//! Runs of programs that are not deterministic: one that does something else than the graph says goes
//! another way.
//!
//! What such a run has done so far is an execution's beginning like any other. Of the graph that it
//! was to replay, that part remains: it holds all that comes before each of its events in sb and
//! rf, so it obeys the memory model. From there the run goes on to its end, on one way that is
//! picked by chance. Other ways would have to be replayed, and need not be there next time. What
//! is left to be tried in the graph from which the run has strayed is tried after it.

use super::Explorer;
use super::walk::Walk;
use crate::graph::clock::Clock;

impl Explorer {
    /// Leaves the graph, of which the program has done only what `done` holds. A random walk just goes on.
    pub(crate) fn stray(&mut self, done: &Clock) {
        if self.walk.is_some() {
            return;
        }
        self.save_frame();
        self.graph.restrict(done);
        self.walk = Some(Walk::new(1, self.stray_seed));
        self.stray_seed += 1;
        self.strays = true;
    }

    /// Comes back from where a run has strayed to. What was left to be tried is in the frame below.
    pub(super) fn end_stray(&mut self) {
        if std::mem::take(&mut self.strays) {
            self.walk = None;
        }
    }
}
