//! Data races: two conflicting accesses, one of them not atomic, that nothing orders.

use super::Graph;
use super::event::{Event, EventId, Kind, NO_LOC};

/// A pair of accesses that conflict and are not ordered by happens-before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conflict {
    pub(crate) earlier: EventId,
    pub(crate) later: EventId,
}

impl Graph {
    /// An access that races with `id`, which must have no successor in the graph.
    pub(crate) fn race_with(&self, id: EventId) -> Option<Conflict> {
        let event = self.event(id);
        if event.loc == NO_LOC || self.loc(event.loc).nonatomic == 0 {
            return None;
        }
        self.loc(event.loc)
            .accesses
            .iter()
            .find(|&&other| {
                other != id && !event.hb.contains(other) && conflicts(event, self.event(other))
            })
            .map(|&earlier| Conflict { earlier, later: id })
    }
}

/// Whether two accesses to one location conflict: one writes, one is not atomic, and where they
/// are accesses to raw memory, they overlap.
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
