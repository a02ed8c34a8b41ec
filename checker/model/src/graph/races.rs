//! Errors of memory: data races, and accesses to memory that is not allocated at that time.

use super::Graph;
use super::event::{Event, EventId, Kind, NO_LOC};

/// The error between two accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Clash {
    /// The accesses conflict, one is not atomic, and nothing orders them.
    Race,
    /// The access is not ordered after the allocation of its memory.
    Unallocated,
    /// The access is ordered after the memory was freed, or is not ordered before that.
    UseAfterFree,
    /// Both events free one allocation.
    DoubleFree,
    /// A part of the read memory was never written. There is no second access.
    Uninitialized,
}

/// Two events that contradict each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conflict {
    pub(crate) clash: Clash,
    pub(crate) earlier: EventId,
    pub(crate) later: EventId,
}

impl Graph {
    /// Returns the error of `id`, which must have no successor in the graph.
    pub(crate) fn conflict_with(&self, id: EventId) -> Option<Conflict> {
        let event = self.event(id);
        if event.loc == NO_LOC {
            return None;
        }
        let at = self.loc(event.loc);
        let in_memory = if at.owner != NO_LOC {
            self.outside_lifetime(id, event)
        } else if event.label.kind == Kind::Free {
            self.freed_in_use(id, event)
        } else {
            None
        };
        if in_memory.is_some() || at.nonatomic == 0 {
            return in_memory;
        }
        let clash = |other: EventId| {
            let (a, b) = (event, self.event(other));
            (!a.hb.contains(other) || b.label.kind == Kind::Free).then(|| conflicts(a, b).then(|| name(a, b))).flatten()
        };
        (at.accesses.iter().filter(|&&other| other != id))
            .find_map(|&earlier| clash(earlier).map(|clash| Conflict { clash, earlier, later: id }))
            .or_else(|| self.uninitialized(id, event))
    }

    /// Returns the error of an access to an object in an allocation that has not happened, or that
    /// is freed.
    fn outside_lifetime(&self, id: EventId, event: &Event) -> Option<Conflict> {
        let owner = self.loc(self.loc(event.loc).owner);
        owner.accesses.iter().find_map(|&other| {
            let clash = match self.event(other).label.kind {
                Kind::Alloc if !event.hb.contains(other) => Clash::Unallocated,
                Kind::Free => Clash::UseAfterFree,
                _ => return None,
            };
            Some(Conflict { clash, earlier: other, later: id })
        })
    }

    /// Returns the error of a free before which some access to its allocation does not happen.
    fn freed_in_use(&self, id: EventId, event: &Event) -> Option<Conflict> {
        (self.locs.iter().filter(|loc| loc.owner == event.loc))
            .flat_map(|loc| loc.accesses.iter())
            .find(|&&other| !event.hb.contains(other))
            .map(|&earlier| Conflict { clash: Clash::UseAfterFree, earlier, later: id })
    }

    /// Returns the error of a read of raw memory, if a part of it has never been written.
    fn uninitialized(&self, id: EventId, event: &Event) -> Option<Conflict> {
        let first = *self.loc(event.loc).accesses.first()?;
        let origin = &self.event(first).label;
        if event.label.kind != Kind::CellRead || origin.kind != Kind::Alloc || origin.operand == 1 {
            return None;
        }
        let (mut known, end) = (event.label.operand, event.label.operand + event.label.expected);
        while known < end {
            let written = self.loc(event.loc).accesses.iter().filter_map(|&w| {
                let label = &self.event(w).label;
                let covers =
                    label.kind == Kind::CellWrite && label.operand <= known && known < label.operand + label.expected;
                covers.then_some(label.operand + label.expected)
            });
            match written.max() {
                Some(end) => known = end,
                None => {
                    return Some(Conflict { clash: Clash::Uninitialized, earlier: first, later: id });
                }
            }
        }
        None
    }
}

/// Whether two accesses to one location conflict: one writes, one is not atomic, and accesses to
/// raw memory overlap.
fn conflicts(a: &Event, b: &Event) -> bool {
    let (a, b) = (&a.label, &b.label);
    (a.kind.is_writing() || b.kind.is_writing())
        && (a.kind.is_nonatomic() || b.kind.is_nonatomic())
        && (!has_range(a.kind) || !has_range(b.kind) || {
            a.operand < b.operand + b.expected && b.operand < a.operand + a.expected
        })
}

fn has_range(kind: Kind) -> bool {
    matches!(kind, Kind::CellRead | Kind::CellWrite)
}

fn name(a: &Event, b: &Event) -> Clash {
    match (a.label.kind, b.label.kind) {
        (Kind::Free, Kind::Free) => Clash::DoubleFree,
        (Kind::Free, _) | (_, Kind::Free) => Clash::UseAfterFree,
        (_, Kind::Alloc) => Clash::Unallocated,
        _ => Clash::Race,
    }
}
