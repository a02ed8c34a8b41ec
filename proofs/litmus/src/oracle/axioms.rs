//! The axioms of RC11 and of SC as the papers write them: Lahav, Vafeiadis, Kang, Hur, Dreyer,
//! "Repairing Sequential Consistency in C/C++11", PLDI 2017, with the release sequences of C++20 or
//! of the paper.
//!
//! The code is deliberately plain: each function is one line of the definition, on bit matrices.

use super::relation::{Relation, Set};
use crate::ast::MemoryOrder;
use crate::outcome::ReleaseSequences;

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// A read, also that of a failed compare-exchange, and the first half of a read-modify-write.
    Read,
    /// A write.
    Write,
    /// A fence.
    Fence,
}

/// One event of an execution.
#[derive(Debug, Clone)]
pub struct Event {
    /// The event's thread, or `None` for the writes of initial values.
    pub thread: Option<usize>,
    /// The event's line in the file, 0 if it has none.
    pub line: usize,
    /// The event's kind.
    pub kind: EventKind,
    /// The event's location, or `None` for a fence.
    pub location: Option<usize>,
    /// The value read or written, 0 for a fence.
    pub value: i32,
    /// The ordering, or `None` for a non-atomic access.
    pub order: Option<MemoryOrder>,
}

/// The part of an execution graph that does not depend on the modification orders.
#[derive(Debug)]
pub(super) struct Skeleton {
    pub(super) sb: Relation,
    pub(super) rf: Relation,
    pub(super) rmw: Relation,
    pub(super) hb: Relation,
    same_location: Relation,
    sc: Set,
    sc_fences: Set,
}

/// Returns the pairs of accesses to one location.
fn same_location(events: &[Event]) -> Relation {
    let locations = events.iter().filter_map(|event| event.location).max().map_or(0, |last| last + 1);
    let sets: Vec<Set> =
        (0..locations).map(|location| set_of(events, |event| event.location == Some(location))).collect();
    Relation::from_rows(events.iter().map(|event| event.location.map_or(0, |location| sets[location])).collect())
}

fn set_of(events: &[Event], holds: impl Fn(&Event) -> bool) -> Set {
    events.iter().enumerate().fold(0, |set, (index, event)| set | Set::from(holds(event)) << index)
}

impl Skeleton {
    pub(super) fn new(
        events: &[Event],
        sb: Relation,
        rf: Relation,
        rmw: Relation,
        release_sequences: ReleaseSequences,
    ) -> Skeleton {
        let same_location = same_location(events);
        let sw = synchronizes_with(events, &sb, &rf, &rmw, &same_location, release_sequences);
        let hb = sb.union(&sw).closure();
        let sc = set_of(events, |event| event.order == Some(MemoryOrder::SeqCst));
        let sc_fences = sc & set_of(events, |event| event.kind == EventKind::Fence);
        Skeleton { sb, rf, rmw, hb, same_location, sc, sc_fences }
    }

    pub(super) fn has_sc_events(&self) -> bool {
        self.sc != 0
    }

    /// Whether COHERENCE and ATOMICITY hold. Both are about one location at a time, so `mo` may be
    /// the order of one location.
    pub(super) fn coherent_and_atomic(&self, mo: &Relation, location: Set) -> bool {
        let rf = self.rf.between(location, location);
        let rb = reads_before(&rf, mo);
        let eco = rf.union(mo).union(&rb).closure();
        let atomic = self.rmw.intersection(&rb.then(mo)).is_empty();
        atomic && self.hb.then(&eco.or_same()).is_irreflexive()
    }

    /// Whether SC holds, the axiom about `seq_cst` events in RC11: `acyclic(psc)`.
    pub(super) fn sc_axiom(&self, mo: &Relation) -> bool {
        let (sb, hb) = (&self.sb, &self.hb);
        let rb = reads_before(&self.rf, mo);
        let eco = self.rf.union(mo).union(&rb).closure();
        let sb_neqloc = sb.minus(&self.same_location);
        let hb_loc = hb.intersection(&self.same_location);
        let scb = sb.union(&sb_neqloc.then(hb).then(&sb_neqloc)).union(&hb_loc).union(mo).union(&rb);
        let everything = Set::MAX;
        let identity = Relation::empty(self.rf.size()).or_same();
        let sc = identity.between(self.sc, self.sc);
        let left = sc.union(&hb.or_same().between(self.sc_fences, everything));
        let right = sc.union(&hb.or_same().between(everything, self.sc_fences));
        let psc_base = left.then(&scb).then(&right);
        let psc_f = hb.union(&hb.then(&eco).then(hb)).between(self.sc_fences, self.sc_fences);
        psc_base.union(&psc_f).is_acyclic()
    }

    /// Whether the SC model holds: `acyclic(sb | rf | mo | rb)`.
    pub(super) fn sequentially_consistent(&self, mo: &Relation) -> bool {
        let rb = reads_before(&self.rf, mo);
        self.sb.union(&self.rf).union(mo).union(&rb).is_acyclic()
    }

    /// Returns a race: two accesses to one location, one of them a write, one of them non-atomic,
    /// unordered by `hb`.
    pub(super) fn race(&self, events: &[Event]) -> Option<(usize, usize)> {
        let writes = set_of(events, |event| event.kind == EventKind::Write);
        let plain = set_of(events, |event| event.location.is_some() && event.order.is_none());
        let ordered = self.hb.union(&self.hb.inverse()).or_same();
        let unordered = self.same_location.minus(&ordered);
        let conflicts = unordered.between(writes & plain, Set::MAX).union(&unordered.between(writes, plain));
        conflicts.first_pair()
    }
}

/// Returns `rf^-1; mo`, minus the identity.
fn reads_before(rf: &Relation, mo: &Relation) -> Relation {
    let identity = Relation::empty(rf.size()).or_same();
    rf.inverse().then(mo).minus(&identity)
}

/// Returns `sw = [>=rel]; ([F]; sb)?; rs; rf; [R>=rlx]; (sb; [F])?; [>=acq]`
fn synchronizes_with(
    events: &[Event],
    sb: &Relation,
    rf: &Relation,
    rmw: &Relation,
    same_location: &Relation,
    release_sequences: ReleaseSequences,
) -> Relation {
    let atomic_reads = set_of(events, |event| event.kind == EventKind::Read && event.order.is_some());
    let atomic_writes = set_of(events, |event| event.kind == EventKind::Write && event.order.is_some());
    let fences = set_of(events, |event| event.kind == EventKind::Fence);
    let releases = set_of(events, |event| event.order.is_some_and(MemoryOrder::releases));
    let acquires = set_of(events, |event| event.order.is_some_and(MemoryOrder::acquires));
    let everything = Set::MAX;
    // Here rs = [W atomic]; (rf; rmw)*, and in C11 rs = [W atomic]; (sb_loc; [W atomic])?; (rf;
    // rmw)*
    let mut heads = Relation::empty(events.len()).or_same().between(atomic_writes, atomic_writes);
    if release_sequences == ReleaseSequences::C11 {
        heads = heads.union(&sb.intersection(same_location).between(atomic_writes, atomic_writes));
    }
    let rs = heads.then(&rf.then(rmw).closure().or_same());
    let from_fence = sb.between(fences, everything).or_same().between(releases, everything);
    let to_fence = sb.between(everything, fences).or_same().between(everything, acquires);
    from_fence.then(&rs).then(&rf.between(everything, atomic_reads)).then(&to_fence)
}
