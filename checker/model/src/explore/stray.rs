//! Runs of programs that are not deterministic: a run that deviates from the graph takes another
//! path.
//!
//! The events of such a run so far are an execution's beginning like any other. That part of the
//! graph remains: it contains all that precedes each of its events in sb and rf, so it obeys the
//! memory model. From there the run continues to its end, on one random path. Other paths would
//! have to be replayed, and may be missing next time. The remaining alternatives of the graph from
//! which the run has strayed come after it.

use super::Explorer;
use super::walk::Walk;
use crate::graph::clock::Clock;

impl Explorer {
    /// Leaves the graph. The program has made only the part `done` of it. A random walk
    /// continues.
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

    /// Leaves the path of a run that has strayed. The frame below has the remaining alternatives.
    pub(super) fn end_stray(&mut self) {
        if std::mem::take(&mut self.strays) {
            self.walk = None;
        }
    }
}
