//! Equal threads: executions that differ only in their names are not all explored.
//!
//! `thread::spawn_equal` starts threads `b`, `c`, .. of one body, which they share, one directly
//! after another; a thread that joins them joins all, one directly after another. So if `X` is an
//! execution, so is `X'`, in which `b` and `c` have changed parts, and one fails if the other does.
//!
//! # The rule
//!
//! Let `n`, the event `k` of `b`, be a read of `u`, and `M` the graph to which it was added. A
//! revisit of `n` by a write `w` is left out if
//!
//! 1. the event `k` of `c` is in the prefix of `w` and reads `u`, too,
//! 2. `c` had no events in `M`, but for stores and loads of its own memory, which no other thread
//!    had used, and
//! 3. the first `k` events of both are equal: they read the same, and write only to memory that no
//!    other thread has used; none begins a thread or ends one.
//!
//! If these events are read-modify-writes, the write of the one of `c` is the first such `w`.
//!
//! # No execution is lost
//!
//! Let `M` be a graph on the way, and a part of an execution `X`, as in `locks`. If the way from
//! `M` to a greater part of `X` is cut by the rule, at a graph `D` on it to which `n` is added,
//! then `X'` has a way that goes further.
//!
//! - Up to `n`, `b` has written nothing that others have seen, nor has `c`: no other event of `D`
//!   depends on them. What `c` has done has no other way, so `b` does it, too, in each execution
//!   that goes far enough. So `D` without the events of `b` is equal for both names.
//! - `M` is part of `X'`: what `M` has of `b` are some of its first `k` events, and these are those
//!   of `c` in `X`; what it has of `c` are the first events of `b` in `X`.
//! - If `n` is the event that is added to `M`, it reads `u` in `X'`, as it does by now: a greater
//!   part of `X'`.
//! - Otherwise `D` is on a detour: another event `m` was added to `M`, and in `X` it will be
//!   revisited by an `x`, whose prefix is being added. If `m` is one of the first `k` of `b`, it
//!   keeps its source in `X'`, so it needs no detour there, and `M` with `m` is a greater part. If
//!   not, `m` is of another thread, as are the events at which detours within this one began, and
//!   all are revisited in `X'` by what `x` is there. The events of `b` in `D` are those of `X'`,
//!   all others are maximal or in that prefix as they were before, and `n` reads `u` there as it
//!   does in `X'`. So the same way leads to `D` and `n`, and on.
//! - Prefixes in `X` and `X'` are equally long, so detours come to an end as in `locks`. Each cut
//!   leaves a longer way, or a greater part, so there is an end to them, too.
//!
//! Executions may be explored that differ only in names: the rule does not apply to threads that
//! differ first in the values that they read of other threads, or in the places of their stores,
//! nor of which one comes second. Threads that each take a lock, or add to a number, or
//! pushes to a stack, have one order.
//!
//! Facts that are kept from several executions must not name equal threads: the places of
//! `runtime::traces` have the name of the first of them, and a check that compares pasts of
//! executions (`runtime::watching`) explores all orders.

use crate::graph::clock::{Clock, MAX_THREADS};
use crate::graph::event::{Event, EventId, Kind, LocId, RmwOp};

use super::Explorer;

impl Explorer {
    /// Whether a revisit of `old` by a write with this prefix would lead only to executions that
    /// differ from others in names: see the rule.
    pub(super) fn only_renames(&self, prefix: &Clock, old: EventId) -> bool {
        self.equates_threads
            && self.graph.has_equals(old.thread())
            && (0..MAX_THREADS).any(|thread| {
                let new = EventId::new(thread, old.index());
                prefix.contains(new) && self.graph.are_equal(thread, old.thread()) && self.stands_for(new, old)
            })
    }

    /// Whether `new` is the operation of `old` in another, later thread.
    fn stands_for(&self, new: EventId, old: EventId) -> bool {
        let graph = &self.graph;
        let (theirs, ours) = (&graph.threads[new.thread()], &graph.threads[old.thread()]);
        let (event, before) = (graph.event(new), graph.event(old));
        event.stamp > before.stamp
            && is_like(event, before)
            && (event.loc, event.rf) == (before.loc, before.rf)
            && self.are_like(&theirs[..new.index()], &ours[..old.index()], new.thread(), old)
    }

    /// Whether the events before `new`, in `thread`, read the same as those before `old`, and
    /// neither have written to memory that others use.
    fn are_like(&self, theirs: &[Event], ours: &[Event], thread: usize, old: EventId) -> bool {
        let mut own: Vec<(LocId, LocId)> = Vec::new();
        theirs.iter().zip(ours).all(|(new, event)| {
            let kind = new.label.kind;
            let reads = matches!(kind, Kind::Read | Kind::CellRead) && !new.exclusive;
            if !is_like(new, event) || kind.is_of_threads() || kind == Kind::Free {
                return false;
            }
            let is_early = new.stamp < self.graph.event(old).stamp;
            if kind.is_fence() || reads && new.loc == event.loc {
                return !is_early && new.rf == event.rf;
            }
            if is_early && new.label.op != RmwOp::None {
                return false;
            }
            let pair = (new.loc, event.loc);
            let known = own.iter().find(|(one, other)| *one == pair.0 || *other == pair.1);
            let fits = match known {
                Some(known) => *known == pair,
                None => {
                    pair.0 != pair.1
                        && self.is_own(pair.0, thread, u32::MAX)
                        && self.is_own(pair.1, old.thread(), self.graph.event(old).stamp)
                }
            };
            own.push(pair);
            fits && (new.rf.is_init() == event.rf.is_init()) && (new.rf.is_init() || new.rf.index() == event.rf.index())
        })
    }

    /// Whether no other thread has used an object before a time.
    fn is_own(&self, loc: LocId, thread: usize, before: u32) -> bool {
        let accesses = &self.graph.loc(loc).accesses;
        accesses.iter().all(|&id| id.thread() == thread || self.graph.event(id).stamp >= before)
    }
}

/// Whether two events are one operation of a body. Addresses among their values may differ.
fn is_like(one: &Event, other: &Event) -> bool {
    let key =
        |event: &Event| (event.label.kind, event.label.mode, event.label.failure, event.label.op, event.label.bits);
    key(one) == key(other)
        && one.label.site == other.label.site
        && (one.exclusive, one.spurious) == (other.exclusive, other.spurious)
}
