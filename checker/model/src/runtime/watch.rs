//! Accesses in dropped rounds, and those that may race with them, as plain data: see `rounds`.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::graph::clock::{Clock, MAX_THREADS};
use crate::graph::event::{EventId, Kind, Site};

/// A name of an object or of a piece of memory. Two names of one place always agree, in all
/// executions; names of different places may agree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Name {
    /// Memory that the model has allocated: the allocation, and a part of it.
    Memory { allocation: EventId, from: usize, to: usize, is_object: bool },
    /// Any other object, by one more than the position of the first access to it by each thread;
    /// 0 if there is none or it is unknown.
    Object { firsts: [u16; MAX_THREADS], is_cell: bool },
}

impl Name {
    fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Memory { allocation, from, to, is_object },
                Self::Memory { allocation: theirs, from: first, to: last, is_object: other_is },
            ) => allocation == theirs && is_object == other_is && from < last && first < to,
            (Self::Object { firsts, is_cell }, Self::Object { firsts: theirs, is_cell: other_is }) => {
                is_cell == other_is && firsts.iter().zip(theirs).all(|(a, b)| *a == 0 || *b == 0 || a == b)
            }
            _ => false,
        }
    }

    fn is_in(&self, freed: &Self) -> bool {
        let of = |name: &Self| match *name {
            Self::Memory { allocation, .. } => Some(allocation),
            Self::Object { .. } => None,
        };
        of(self).is_some() && of(self) == of(freed)
    }
}

/// An access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Access {
    pub(super) id: EventId,
    pub(super) kind: Kind,
    pub(super) name: Name,
}

impl Access {
    /// Whether the two conflict, and neither happens before the other by these clocks.
    fn may_race(&self, past: &Clock, other: &Self, other_past: &Clock, begun: usize) -> bool {
        let (a, b) = (self.kind, other.kind);
        self.id.thread() != other.id.thread()
            && (a.is_writing() || b.is_writing())
            && (a.is_nonatomic() || b.is_nonatomic())
            && !past.contains(other.id)
            && other_past.count(self.id.thread()) <= begun
            && if b == Kind::Free { self.name.is_in(&other.name) } else { self.name.agrees(&other.name) }
    }
}

/// A wait with one failed round that is kept: its thread, the position at which the round
/// begins, and the site of an access in it.
pub(crate) type Kept = (usize, usize, Site);

/// The failed rounds that are kept by a check that cannot look back at all of its executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Keeps {
    /// No failed round.
    #[default]
    None,
    /// One round of each thread, if it reads a cell.
    CellReads,
    /// One round of each thread.
    All,
}

/// Accesses seen in dropped rounds, in all executions so far.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Accesses in dropped rounds with the beginnings of the rounds and the sites. The value has
    /// the events that happen before the access in all executions.
    dropped: FxHashMap<(Access, usize, Site), Clock>,
    /// Accesses that may race with such, with the events that happen before them in all executions.
    others: FxHashMap<Access, Clock>,
}

impl Watch {
    pub(super) fn drop(&mut self, access: Access, begun: usize, site: Site, past: &Clock) {
        self.dropped.entry((access, begun, site)).and_modify(|known| known.meet(past)).or_insert(*past);
    }

    pub(super) fn see(&mut self, access: Access, past: &Clock) {
        self.others.entry(access).and_modify(|known| known.meet(past)).or_insert(*past);
    }

    /// Adds another worker's accesses.
    pub(crate) fn merge(&mut self, other: Self) {
        for ((access, begun, site), past) in other.dropped {
            self.drop(access, begun, site, &past);
        }
        for (access, past) in other.others {
            self.see(access, &past);
        }
    }

    /// Returns the waits whose dropped rounds may have a race.
    pub(crate) fn suspects(&self) -> Vec<Kept> {
        let mut suspects = BTreeSet::new();
        for (&(access, begun, site), past) in &self.dropped {
            let with_other =
                || self.others.iter().any(|(other, other_past)| access.may_race(past, other, other_past, begun));
            let with_dropped = || {
                self.dropped
                    .iter()
                    .any(|((other, ..), other_past)| access.may_race(past, other, other_past, access.id.index()))
            };
            if with_other() || with_dropped() {
                suspects.insert((access.id.thread(), begun, site));
            }
        }
        suspects.into_iter().collect()
    }
}
