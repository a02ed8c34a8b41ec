//! Coherence: the writes that a read may read from, and the places where a write may go.

use super::Graph;
use super::clock::Clock;
use super::event::{EventId, Kind, LocId, UNPLACED};

impl Graph {
    /// Returns the lowest index of the modification order of `loc` from which the event after
    /// `known` may read.
    ///
    /// It is also the lowest behind which it may write: all earlier writes are hidden by `known`.
    pub(crate) fn bound(&self, loc: LocId, known: &Clock) -> u32 {
        let mut bound = 0;
        // A thread's later accesses never have lower indices, so its last one in `known` hides
        // most.
        self.loc(loc).accesses.look_back(|id| {
            let index = if known.contains(id) { self.mo_index(id) } else { UNPLACED };
            if index != UNPLACED {
                bound = bound.max(index);
            }
            index != UNPLACED
        });
        bound
    }

    /// Returns the bound for an event of the graph: by what happens before its predecessor.
    pub(crate) fn bound_of(&self, id: EventId) -> u32 {
        match self.before(id) {
            None => 0,
            Some(e) => self.bound(self.event(id).loc, &e.hb),
        }
    }

    /// Whether accesses to one location that happen one after the other agree with its modification
    /// order. With each comes the place there of the write that it reads or makes.
    pub(crate) fn agree<'a>(&self, placed: &[(EventId, usize)], past: impl Fn(EventId) -> &'a Clock) -> bool {
        placed.iter().all(|&(later, place)| {
            let (past, is_write) = (past(later), self.event(later).label.kind == Kind::Write);
            let mut earlier = placed.iter().filter(|&&(id, _)| id != later && past.contains(id));
            earlier.all(|&(_, before)| before < place || before == place && !is_write)
        })
    }

    /// Returns the write of the read-modify-write that reads from the write at `index`, if there is
    /// one. It directly follows its source.
    #[inline]
    pub(crate) fn follower(&self, loc: LocId, index: u32) -> Option<EventId> {
        let id = *self.loc(loc).mo.get(index as usize + 1)?;
        let event = self.event(id);
        event.exclusive.then_some(id)
    }

    /// Returns the only place for the write of a read-modify-write: directly behind its source.
    /// `None` if another one has taken it.
    pub(crate) fn exclusive_place(&self, write: EventId) -> Option<u32> {
        let read = EventId::new(write.thread(), write.index() - 1);
        let index = self.mo_index(self.event(read).rf);
        match self.follower(self.event(write).loc, index) {
            None => Some(index + 1),
            Some(_) => None,
        }
    }

    /// Whether the write `id` has revisited a read that still reads from it, or overtaken an
    /// operation that locks.
    pub(crate) fn comes_early(&self, id: EventId) -> bool {
        let event = self.event(id);
        event.overtakes || event.revisits && self.is_read_early(id)
    }

    /// Whether a read that was added before the write `id` reads from it.
    fn is_read_early(&self, id: EventId) -> bool {
        let event = self.event(id);
        let earlier = self.loc(event.loc).accesses.iter().map(|&access| self.event(access));
        earlier.take_while(|e| e.stamp < event.stamp).any(|e| e.label.kind == Kind::Read && e.rf == id)
    }
}
