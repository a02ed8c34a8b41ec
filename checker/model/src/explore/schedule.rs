//! Schedules: the search within a bound on preemptions.
//!
//! It is dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005) with bounded
//! preemptions (Musuvathi and Qadeer, PLDI 2007; Coons, Musuvathi and McKinley, OOPSLA 2013), in
//! their words: at each event, the *enabled* threads can continue, those in the *backtrack* set are
//! to be tried in place of the thread that did, and those that are *done* have been. As in the
//! third, a conflict adds a backtrack point at the beginning of the block, too, where no preemption
//! is needed. What differs is that an execution is a graph: reads choose among sources, writes
//! among places, and an execution that several schedules build is counted once.
//!
//! Every execution can be built by adding its events one by one, in an order that respects sb and
//! rf: each read finds its source, and each write its place, among the events that are there. Such
//! an order is a *schedule*. A switch away from a thread that can continue is a preemption, unless
//! the thread yields there: its next event is a join, or the first one after a spin hint, or of a
//! round of a wait that takes no lock. A thread that waits for a lock, or whose round has failed,
//! cannot go on. A spurious failure counts as a preemption, too: processors have those where a
//! thread is interrupted. The search goes through schedules with at most `most` preemptions, and
//! never begins one with more. No write revisits a read: another schedule has the write first.
//!
//! # Where threads change
//!
//! A thread continues as long as it can, and any other after it. The search's findings decide which
//! others are tried. An event `e` and a later event `g` of another thread *conflict* if that
//! thread has, before `g`, no event that comes after `e` in sb and rf, and if
//!
//! - `e` reads, and `g` writes to the location, or
//! - both are read-modify-writes of one location, or
//! - `e` writes to a lock, and `g` takes it.
//!
//! It counts that `g` is tried, even if its thread then has to wait. Its thread is in the
//! *backtrack* set of `e` from then on, where it needs a preemption, and of the first event of the
//! *block* of `e`. That is the last one, up to `e`, before which its thread came or might have
//! yielded. If that thread is not enabled there, all that are enabled are in the set.
//!
//! # No execution is missed
//!
//! Let an execution `X` have a schedule `S` within the bound, of which the search comes to the
//! beginning `B`. Then it comes to `X` from there. This is shown for long beginnings first. After
//! `B`, the search tries some threads, and first the thread `t`, which continues in `X`, as nothing
//! keeps it from that. So `S` has, after `B`, events `Q` of threads that are not tried, and then a
//! turn of a thread `p` that is. Let `M` be its events until it yields or another thread comes; but
//! only one event if `p` is `t` and would be preempted after `B`.
//!
//! *If no read of `M` has its source in `Q`*, `S` with `M` moved to before `Q` is a schedule of
//! `X`. It has no more preemptions: a switch away from `p`, or away from `t`, comes at another
//! time, and others are saved. The search adds `M` after `B`, since it tries first that `p` goes
//! on, and it tries all sources and places. It comes to `X` from `B` and `M`, a longer beginning.
//! Locks may break this in two ways. `M` opens a lock for which a thread of `Q` waited in `S`,
//! which now is preempted there, or `M` ended where `p` waited for a lock which a thread of `Q` had
//! taken. In both cases the thread of `Q` conflicts with an event that `p` does after `B` if it
//! goes on, as below.
//!
//! *Otherwise* let `e` be the first such read, and `f` its source. After `B`, the search adds `M`
//! up to `e`, with another source, and continues with `p` until it yields. If `M` is the one event,
//! `t` is preempted after `e` instead, as `S` preempts it before. Then the events of `Q` can
//! follow, up to `f`, and others until all threads are at their ends, with no more preemptions than
//! `S` has. The search comes to this execution, since it has a longer beginning, and finds that `e`
//! and `f` conflict. An event of `Q` may be impossible now, because `p` has done more than `M`. If
//! it is a read-modify-write, `p` may have taken its source, or its lock; if it is an SC event, it
//! would close a cycle, which leaves `p` at a read of an older value than the write of an event of
//! `Q` before it writes. Then these two conflict. In each case a thread of `Q` is in a backtrack
//! set after `B`, at the beginning of the block of `p`, or of the one event of `t`. It is enabled
//! there, or all that are enabled are in the set, the first thread of `Q` among them. So a thread
//! of `Q` is tried after `B`, and there is no such `S`.
//!
//! A round of a wait that fails and leaves nothing behind is taken back as in any search, with the
//! turns in it: its reads can be done later, when nothing has happened in between
//! (`runtime::rounds`). A loop that spins on ends its thread in this schedule, as it does in a
//! graph (`runtime::waiting`). Writes of others then conflict with its reads.
//!
//! This is an argument on paper. Within each bound, the explored executions are as many as those of
//! all orders of all events of random programs (`aqueduct-litmus`, `tests/suite/preemptions`), and
//! all interleavings of random threads that take locks (`tests/suite/locks/orders`); and with a
//! bound that nothing reaches, as many as without (`aqueduct-verify`, `tests/suite/counts`).
//!
//! Several schedules may build one execution. It is counted once.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};
use serde::{Deserialize, Serialize};

use super::Explorer;
use crate::graph::Graph;
use crate::graph::clock::{Clock, MAX_THREADS};
use crate::graph::event::{EventId, Kind, LocId, NO_LOC};

/// A set of threads.
pub(crate) type Threads = u16;

const _: () = assert!(MAX_THREADS <= Threads::BITS as usize);

/// A point of a schedule: the thread that does the next event, and the others that could.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Turn {
    thread: usize,
    /// The threads that could continue here.
    enabled: Threads,
    /// The threads that have been tried in place of this one.
    done: Threads,
    /// True if the first thread of `done` ended here, or might have yielded: any other then costs
    /// no preemption.
    is_free: bool,
    /// Preemptions that the bound leaves to this point and those behind it.
    left: u32,
    /// The stamp at which the block begins.
    block: usize,
    /// Threads to try in place of this one: their events conflict with this one, or with one of its
    /// block.
    backtrack: Threads,
    /// Threads to try because they take the lock that is released here: an execution may then need
    /// fewer preemptions.
    backtrack_for_lock: Threads,
}

impl Turn {
    fn preempts(&self) -> bool {
        self.done != 0 && !self.is_free
    }

    /// Returns the threads that are still to be tried.
    fn rest(&self) -> Threads {
        (self.backtrack | self.backtrack_for_lock) & !self.done & !(1 << self.thread)
    }
}

/// The turns of the present schedule.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Schedule {
    most: u32,
    /// The turn of each event in the order of stamps, and perhaps that of the next event.
    turns: Vec<Turn>,
    /// Hashes of the executions that have been counted.
    counted: FxHashSet<u64>,
}

impl Schedule {
    pub(super) fn new(most: u32) -> Self {
        Self { most, ..Self::default() }
    }

    /// Returns the thread whose event has the stamp and those that have been tried before, if it is
    /// decided.
    pub(crate) fn turn(&self, stamp: usize) -> Option<(usize, Threads)> {
        self.turns.get(stamp).filter(|turn| turn.done != 0).map(|turn| (turn.thread, turn.done))
    }

    /// Whether a thread is left to be tried.
    pub(super) fn has_more(&self) -> bool {
        self.turns.iter().any(|turn| turn.rest() != 0 && (turn.is_free || turn.left > 0))
    }

    /// Adds a backtrack point for the thread at an event, and at the beginning of its block.
    fn add_backtrack_point(&mut self, thread: usize, stamp: u32, is_for_lock: bool) {
        let block = self.turns[stamp as usize].block;
        for at in [stamp as usize, block] {
            let turn = &mut self.turns[at];
            *if is_for_lock { &mut turn.backtrack_for_lock } else { &mut turn.backtrack } |= 1 << thread;
        }
    }
}

impl Explorer {
    /// Returns the schedule, if the present run follows one.
    pub(crate) fn schedule(&self) -> Option<&Schedule> {
        self.schedule.as_ref().filter(|_| self.walk.is_none() && self.script.is_none())
    }

    /// Notes the turn of the newest event.
    pub(super) fn note_turn(&mut self) {
        let Some(stamp) = self.schedule().and_then(|_| self.graph.order.len().checked_sub(1)) else { return };
        let id = self.graph.order[stamp];
        let event = self.graph.event(id);
        let is_half = event.label.kind == Kind::Write && event.exclusive;
        let yields = event.yields || event.label.kind == Kind::Join;
        let last = stamp.checked_sub(1).map(|last| self.graph.order[last]);
        let is_spurious = last.is_some_and(|last| self.graph.event(last).spurious);
        let Some(schedule) = &mut self.schedule else { return };
        let before = stamp.checked_sub(1).map(|last| schedule.turns[last]);
        if schedule.turns.len() == stamp {
            schedule.turns.push(Turn::default());
        }
        let turn = &mut schedule.turns[stamp];
        let goes_on = last.is_some_and(|last| last.thread() == id.thread());
        // The thread of the backtrack set is not enabled.
        let is_other = turn.done != 0 && turn.thread != id.thread();
        turn.thread = id.thread();
        turn.enabled = if is_half { 1 << id.thread() } else { turn.enabled | self.enabled };
        if is_other {
            turn.backtrack = turn.enabled;
        }
        if turn.done == 0 {
            turn.is_free = !is_half && (!goes_on || yields);
        }
        turn.left = match before {
            Some(before) => before.left.saturating_sub(u32::from(before.preempts()) + u32::from(is_spurious)),
            None => schedule.most,
        };
        turn.block = match before {
            Some(before) if goes_on && turn.done == 0 && !turn.is_free => before.block,
            _ => stamp,
        };
    }

    /// Whether the newest event may fail spuriously within the bound.
    pub(super) fn may_fail_spuriously(&mut self) -> bool {
        let stamp = self.graph.order.len() - 1;
        let Some(turn) = self.schedule().map(|schedule| schedule.turns[stamp]) else { return true };
        let may = turn.left > u32::from(turn.preempts());
        self.left_out += u64::from(!may);
        may
    }

    /// Adds a backtrack point for the thread of the newest event at each event that conflicts with
    /// it.
    pub(super) fn note_conflicts(&mut self, id: EventId) {
        if self.schedule().is_none() {
            return;
        }
        let Some(schedule) = &mut self.schedule else { return };
        let past = self.graph.before(id).map_or(Clock::EMPTY, |before| before.porf);
        let event = self.graph.event(id);
        let writes = event.label.kind == Kind::Write;
        for &other in self.graph.loc(event.loc).accesses.iter() {
            if other.thread() == id.thread() || past.contains(other) {
                continue;
            }
            let before = self.graph.event(other);
            let is_for_lock = match before.label.kind {
                Kind::Read if writes || before.exclusive => false,
                Kind::Write if event.label.op.locks() && !before.exclusive => true,
                _ => continue,
            };
            schedule.add_backtrack_point(id.thread(), before.stamp, is_for_lock);
        }
    }

    /// Goes to the next schedule, or to another source or place in the present one. Returns `false`
    /// if there is none.
    pub(super) fn reschedule(&mut self) -> bool {
        if !self.frames.is_empty() {
            // The run has strayed, and has locations of a graph that the search leaves.
            self.idle_locs.clear();
            self.leave_frame();
        }
        for loc in self.idle_locs.drain(..) {
            self.graph.recycle(loc);
        }
        loop {
            if self.next_turn() {
                return true;
            }
            let Some(newest) = self.graph.newest() else { return false };
            while self.choices.last().is_some_and(|choice| choice.event == newest) {
                if self.advance(false) || self.conflict.is_some() {
                    return true;
                }
            }
            if let Some(loc) = self.graph.pop() {
                self.graph.recycle(loc);
            }
        }
    }

    /// Forgets all turns from the stamp on, if the present run follows a schedule.
    pub(super) fn forget_turns(&mut self, stamp: usize) {
        if self.schedule().is_some()
            && let Some(schedule) = &mut self.schedule
        {
            schedule.turns.truncate(stamp);
        }
    }

    /// Gives the turn after the newest event to the next thread. Returns `false` if there is none,
    /// and forgets the turn.
    fn next_turn(&mut self) -> bool {
        let Some(schedule) = &mut self.schedule else { return false };
        let stamp = self.graph.order.len();
        schedule.turns.truncate(stamp + 1);
        let Some(turn) = schedule.turns.get_mut(stamp) else { return false };
        let rest = turn.rest();
        if rest != 0 && (turn.is_free || turn.left > 0) {
            turn.done |= 1 << turn.thread;
            turn.thread = rest.trailing_zeros() as usize;
            return true;
        }
        self.left_out += u64::from(rest & turn.backtrack != 0);
        schedule.turns.truncate(stamp);
        false
    }

    /// Whether the present execution, which is complete, has not been counted yet.
    pub(crate) fn is_counted(&mut self) -> bool {
        if self.schedule().is_none() {
            return true;
        }
        let hash = hash(&self.graph);
        self.schedule.as_mut().is_none_or(|schedule| schedule.counted.insert(hash))
    }
}

/// Returns a hash of an execution: of its threads' operations and of their sources.
fn hash(graph: &Graph) -> u64 {
    let mut hasher = FxHasher::default();
    let mut names: Vec<Option<u32>> = vec![None; graph.locs.len()];
    let mut known = 0;
    let mut name = |loc: LocId| {
        (loc != NO_LOC).then(|| {
            *names[loc as usize].get_or_insert_with(|| {
                known += 1;
                known
            })
        })
    };
    for (thread, events) in graph.threads.iter().enumerate() {
        for event in events {
            let is_read = event.label.kind == Kind::Read;
            let source = is_read.then_some((event.rf.is_init(), event.rf));
            let place = (event.label.kind == Kind::Write).then_some(event.mo);
            (thread, event.label.kind, name(event.loc), source, place, event.exclusive, event.spurious)
                .hash(&mut hasher);
        }
    }
    hasher.finish()
}
