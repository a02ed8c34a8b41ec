//! A linear order of a graph's events that respects all dependencies.

use super::Graph;
use super::clock::{Clock, MAX_THREADS};
use super::event::{EventId, Kind};

impl Graph {
    /// Returns the events in `keep`, in an order that respects sb and rf.
    ///
    /// The two halves of a read-modify-write are adjacent. `keep` must be closed under sb and rf.
    pub(crate) fn linearize(&self, keep: &Clock) -> Vec<EventId> {
        let mut done = [0usize; MAX_THREADS];
        let mut line = Vec::new();
        loop {
            let next = (0..MAX_THREADS)
                .map(|t| EventId::new(t, done[t]))
                .filter(|&id| id.index() < self.len(id.thread()) && keep.contains(id))
                .filter(|&id| self.is_ready(id, &done))
                .min_by_key(|&id| self.event(id).stamp);
            let Some(id) = next else { return line };
            let both = self.event(id).label.kind == Kind::Read && self.event(id).exclusive;
            for half in 0..=usize::from(both) {
                let id = EventId::new(id.thread(), id.index() + half);
                if id.index() < self.len(id.thread()) && keep.contains(id) {
                    line.push(id);
                    done[id.thread()] += 1;
                }
            }
        }
    }

    fn is_ready(&self, id: EventId, done: &[usize; MAX_THREADS]) -> bool {
        let is_done = |e: EventId| e.is_init() || e.index() < done[e.thread()];
        (id.index() > 0 || self.creators[id.thread()].is_none_or(is_done)) && is_done(self.event(id).rf)
    }

    /// Returns all events of the graph.
    pub(crate) fn everything(&self) -> Clock {
        let mut all = Clock::EMPTY;
        for &id in &self.order {
            all.insert(id);
        }
        all
    }
}
