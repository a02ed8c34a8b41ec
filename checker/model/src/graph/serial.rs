//! Sequential consistency: sb, rf, mo and rb together have no cycle.

use super::Graph;
use super::clock::MAX_THREADS;
use super::event::{EventId, Kind};

impl Graph {
    /// Whether all events can be put into one order in which each read reads the last write.
    pub(crate) fn is_serializable(&self) -> bool {
        let mut next = [0usize; MAX_THREADS];
        let mut written: Vec<u32> = vec![0; self.locs.len()];
        let mut left = self.order.len();
        while left > 0 {
            let mut moved = false;
            for thread in 0..MAX_THREADS {
                while next[thread] < self.len(thread)
                    && self.may_run(EventId::new(thread, next[thread]), &next, &written)
                {
                    let event = self.event(EventId::new(thread, next[thread]));
                    if event.label.kind == Kind::Write {
                        written[event.loc as usize] = event.mo;
                    }
                    next[thread] += 1;
                    left -= 1;
                    moved = true;
                }
            }
            if !moved {
                return false;
            }
        }
        true
    }

    /// Whether an event may come next.
    ///
    /// Its thread must exist, a join's thread must have ended, the last write must be a read's
    /// source, or a write's predecessor in the modification order. It is never wrong to run an
    /// event as early as it may run: a write waits for the readers of its predecessor.
    fn may_run(&self, id: EventId, next: &[usize; MAX_THREADS], written: &[u32]) -> bool {
        let done = |e: EventId| e.index() < next[e.thread()];
        if id.index() == 0 && !self.creators[id.thread()].is_none_or(done) {
            return false;
        }
        let event = self.event(id);
        match event.label.kind {
            Kind::Join => done(event.rf),
            Kind::Read => written[event.loc as usize] == self.mo_index(id),
            Kind::Write => {
                written[event.loc as usize] + 1 == event.mo
                    && self
                        .loc(event.loc)
                        .accesses
                        .iter()
                        .all(|&r| self.event(r).label.kind != Kind::Read || self.mo_index(r) + 1 != event.mo || done(r))
            }
            _ => true,
        }
    }
}
