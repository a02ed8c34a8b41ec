//! Locks: each order in which threads take them is explored once, and no run is spent on a thread
//! that waits for a lock that is not released.
//!
//! # Runs that a plain exchange wastes
//!
//! A lock could be taken by an exchange that is tried until it succeeds. If thread 2 is to have the
//! lock before thread 1, which came first, then the write of 2 revisits the exchange of 1. That one
//! fails now, and stays in the graph until the store with which 2 releases revisits it once more.
//! It does so by a revisit, hence in another run, and the present one continues without that: it is
//! blocked in the end. And each exchange that comes late may read every old value with which it
//! fails: these runs are discarded. Five threads that lock once had 120 complete executions, 189
//! blocked ones and 334 that were discarded.
//!
//! # The exploration
//!
//! An operation that *locks* (`RmwOp::locks`) is a round of a wait by itself. When such an `n` is
//! added:
//!
//! 1. It reads the last write of the lock's modification order, and no other one as long as that is
//!    so. If it fails there, its thread waits: the round is taken back as long as another thread
//!    can go on (`runtime::waiting`). If none can, `n` remains as its thread's last event.
//! 2. Or it reads an earlier value with which it succeeds, and which an operation `k` has taken.
//!    Then `n` *overtakes* `k`, if `k` locks, too: the events added from `k` on are deleted, `k`
//!    included, but for the prefix of `n`. The thread of `k` will come to its lock again. If `k`
//!    does not lock, such as an attempt or a reader that releases, the write of `n` revisits it as
//!    any other read. Any other write to the lock overtakes an operation that locks in this
//!    way, too, instead of making it read again.
//!
//! The condition is that of a revisit: each deleted event, `k` included, was added maximally. A
//! write that has overtaken counts as not maximal from then on, as a write does that has revisited
//! a read. So no later revisit deletes it, nor does the overtaken thread overtake it in turn.
//!
//! GenMC lets the store revisit the blocked exchange in place, and repairs exchanges that a later
//! revisit leaves without a source. Without such a repair, executions would be lost: if a write
//! from within the section of 2 is to be read by a read that came before the exchange of 1, then
//! the exchange must be deleted as it was, blocked, though by then 2 may have released it in the
//! graph. An operation that is not in the graph while it waits needs no such state.
//!
//! # The promises of a lock
//!
//! *Chain.* Each write to the lock is that of a read-modify-write, which follows the write that it
//! reads; or a store of the one owner, which follows the write by which it took the lock: all
//! others fail on that (or an exclusive access, which races with others). So the prefix of a write
//! holds all writes that are before it in the modification order. This is why only the owner may
//! change a lock that is taken alone, and why the types that use these operations keep their
//! atomics to themselves.
//!
//! *Nothing else in the round.* A round that fails is an operation that has changed nothing,
//! acquired nothing and shown nothing to its thread. An execution with such rounds and one without
//! are equal for all others, and what races with one of them races with the operation that succeeds
//! in the end, or with the last one, which stays.
//!
//! # No execution is lost
//!
//! Let `M` be a graph on the way, and part of an execution `X`: closed, with the sources and the
//! order of writes that `X` has. Let `n` be the event that the scheduler adds next. If `n` does not
//! lock, the argument is that of TruSt. If it locks and the last write `u` in `M` is one with which
//! it succeeds, let `x` be the operation that takes `u` in `X`.
//!
//! - If there is none, or it is `n`, way 1 leads to a greater part of `X`. There is one unless `n`
//!   is it: if `n` succeeds in `X` on a later write, or fails on one, then by the chain `x` is in
//!   the prefix of `n`.
//! - Otherwise `x` is not in `M`, and `n` is not in the prefix of `x`: by the chain, each write
//!   after `u` has `x` in its prefix, and `n` reads one of these, or is not before any. Go way 1
//!   nevertheless, and on from there: events in the prefix of `x` as in `X`, all others maximally,
//!   until `x` is next. Then each event outside of that prefix was added maximally, as was `n`, so
//!   that `x` may overtake it; and that leads to `M` with the prefix of `x`, and `x`: a greater
//!   part of `X`. On the way, another operation `n'` outside of the prefix may come to a lock that
//!   an operation `x'` inside takes first. Then the same is done for `n'` and `x'`, whose prefix is
//!   smaller, so this comes to an end.
//! - The thread of `x` may find its lock taken by an event that was added maximally. But when no
//!   other thread can continue, its operation is added all the same, fails on the last write, and
//!   has all its ways to overtake.
//!
//! If `n` fails on `u`, it does so in `X`, too, or `X` has a later write. In the second case
//! another thread continues, or the write after `u` overtakes an operation before. So an operation
//! is left waiting only where it waits in `X`: deadlocks are found as before.
//!
//! # None is explored twice
//!
//! Consider two ways to graphs with equal parts, from the last graph that they have in common, `M`,
//! where `n` comes next. A way on which `n` keeps its source has it after `u`. A way on which an
//! `x` overtakes `n` has that `x` after `u` for good: the write of `x` is never deleted, nor is its
//! prefix. So both ways have the same `x`, or both have none. From `M` and `n` on, the scheduler's
//! next event is a function of the graph. Events outside of the prefix of `x` have one choice, the
//! maximal one, and those inside the one of the prefix. So there is one way to the graph in which
//! `x` overtakes `n`.
//!
//! # Loads that wait
//!
//! A receiver waits until a slot is filled, or all senders are dropped and that many messages have
//! not been sent. Each slot, and each sender's mark, is set once. A round that finds the slot empty
//! although its message is in the graph fails, whatever it reads besides: if it finds the marks of
//! all senders, it finds that the message was sent, because its sender's mark comes after it. A
//! round that finds a mark missing and the slot empty fails, too. So such a load (`RmwOp::Await`)
//! reads an old value on which it fails in no execution but those of a round that fails, which are
//! not explored. An error of such a round is one without it (`runtime::rounds`). The load reads the
//! last write only, if it fails on others. A sender that waits for a free slot loads the number of
//! received messages, which only grows. If it reads an old number on which it fails, and then that
//! the receiver is dropped, it loads again: that execution has an equal one that reads the later
//! number at first, and not that the receiver is dropped. A later write revisits it as any
//! other read.
//!
//! # Locks that programs make
//!
//! An exchange that a program itself tries in a loop is not such an operation: that each of its
//! words' writes is a read-modify-write or its owner's is a property of all executions, which the
//! program does not promise. A relaxed store to such a word by a thread that is not the owner
//! breaks the chain: an operation `x` may then take a write without being in the prefix of those
//! that follow, and executions would be lost. Nor is a round of it known to fail on an old value
//! for good. Such waits are explored in full, with runs that are blocked.
//!
//! This is an argument on paper. It is tested against all interleavings of random threads that take
//! locks, and against random programs in which exchanges stand for the locks, under several
//! schedulers (`tests/suite/locks`): as many executions, with equal outcomes, and the same errors.

use crate::graph::event::{EventId, RmwOp};

use super::Explorer;

impl Explorer {
    /// Whether the operation of a wait would fail on a write that is not the last one: such a read
    /// has no execution.
    pub(super) fn fails_on_old_write(&self, read: EventId, source: EventId, index: u32) -> bool {
        let event = self.graph.event(read);
        let label = &event.label;
        let is_last = || index as usize + 1 == self.graph.loc(event.loc).mo.len();
        let fails = || {
            let value = self.graph.value_from(read, source);
            if label.op == RmwOp::Await { value < label.expected } else { label.fails_on(value) }
        };
        (label.op.locks() || label.op == RmwOp::Await) && !is_last() && fails()
    }
}
