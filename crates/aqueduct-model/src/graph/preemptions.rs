//! Preemptions: how often threads are stopped in the middle, at least, in a run that has a graph.
//!
//! # What counts
//!
//! A run of a graph is an order of its events that respects sb and rf. A switch away from a thread that has events
//! left is a preemption, unless the thread gives way there: its next event is a join, or the first one after a spin
//! hint, or of a round of a wait; or it takes a lock, and fails on the last write to it so far. A spurious failure
//! counts as one, too: processors have those where a thread is interrupted. [`Graph::has_more_preemptions`] asks
//! for the fewest of all runs. An interleaving in the usual sense is such a run of its graph, so that a graph with more
//! preemptions than `n` comes from no interleaving with at most `n`.
//!
//! The number of a graph is at least that of each subset `K` that is closed under sb and rf: a run of the graph
//! without the events outside of `K` is a run of `K`. Where it leaves a thread that has events left in `K`, the
//! whole run leaves it, too, before the same event. Is that an operation on a lock in `K`, then so are all writes to
//! the lock that can come before it (`explore::locks`, *Chain*), and the lock is open in one run if it is in the other.
//!
//! # How the fewest are found
//!
//! *If locks never were open* to a thread that may have to wait, the following would be all. Nothing that a thread
//! does keeps another from going on, so a state in which more has happened is never worse: a run from a state,
//! without the events that a larger one has, is a run from that one, with no more switches away from a thread
//! before the same event. So each thread runs to the last point at which it gives way, or to its end, and where
//! none can, one runs until it cannot go on, which is a preemption: there are as many choices as threads. A thread
//! may have to wait for a lock if the write that it reads is another thread's, and not before it in sb and rf. This
//! number is at most the true one, and says first whether a graph has too many.
//!
//! *Since they are*, more is worse where it opens a lock: a thread that could have waited for it is preempted. A
//! write *opens* a lock if it is none by which a thread takes it, and if another thread takes the lock without
//! having the write before in sb and rf. Between two such writes of the thread that runs, more is never worse: a
//! lock on which a thread fails is one on which it fails still. So a thread is left at one of these points only:
//! the last one before each write that opens a lock, and before the one at which it cannot go on; the last one in
//! between at which it gives way; and its end. All states with these are searched, but for those from which there
//! are too many by the number above. If they are too many, the graph stays: then executions with more preemptions
//! are explored, too.
//!
//! # Why graphs can be left out early
//!
//! Backward revisits delete events, so a graph on the way to an execution may have more preemptions than the
//! execution. But not its *settled* part. Let an event `s` be *anchored* if the revisits' condition refuses it
//! for events that were there before it: a read before `s`, by stamps, reads from `s`; or `s` has overtaken an
//! operation that locks; or a write before `s` is behind `s`, or behind its source, in the modification order; or `s`
//! fails spuriously. An event is settled if it is anchored, or before an anchored one in sb and rf.
//!
//! *No revisit deletes a settled event or changes its source.* Let a write `a` revisit the read `r`, and `e` be
//! settled by the anchored `s`. If `s` is in the prefix of `a`, so is `e`, and stays. Otherwise `s` is not
//! deleted, nor is it `r`: for both, the revisit needs that `s` was added maximally with respect to events
//! that include those before `s`, and it was not. So `s` has a lower stamp than `r`, and stays. What a revisit
//! deletes is closed under successors, and `r` is the last of its thread: if `e` were deleted or were `r`, so
//! would be `s`.
//!
//! *Settled events stay settled.* Additions change no stamp and no order among the events that are there. If a
//! revisit deletes what anchors `s`, or gives it another source, then that has at least the stamp of `r`, so `s`
//! has a higher one, and is there after the revisit because it is in the prefix of `a`. And `a` is anchored: `r`
//! is before it and reads from it, or `a` has overtaken it.
//!
//! Besides revisits, two more things take events off a graph: a failed round of a wait that is done again, which has
//! read the last writes, is last in its thread, and so is not settled; and a loop on trial, whose reads repeat those of
//! the round before, and can be run right after it without another switch.
//!
//! So the settled part of a graph is a closed subset of each execution to which the exploration comes from there.
//! If it has too many preemptions, so has each of these, and none is missed without it. A complete execution
//! that is not settled as a whole is counted by itself.

use super::Graph;
use super::clock::{Clock, MAX_THREADS};
use super::event::{Event, EventId, Kind, UNPLACED};
use super::loc::Loc;

/// The most states that are searched for each number of preemptions. A graph with more is not left out.
const MOST_STATES: usize = 256;

impl Graph {
    /// Returns the events that no revisit will delete or give another source, if the newest event has made them more.
    pub(crate) fn newly_settled(&mut self) -> Option<Clock> {
        let id = self.newest()?;
        let Event { stamp, porf, revisits, overtakes, .. } = *self.event(id);
        self.unsettle(stamp as usize);
        let before = self.settled.last().map_or(Clock::EMPTY, |&(_, settled)| settled);
        let mut settled = before;
        if revisits || overtakes {
            settled = self.all_settled();
        } else if self.is_anchored_at_once(id) {
            settled.join(&porf);
        }
        debug_assert_eq!(settled, self.all_settled(), "an event anchors itself alone");
        if settled == before {
            return None;
        }
        self.settled.push((stamp, settled));
        Some(settled)
    }

    /// Forgets what has been settled by the event with this stamp and those after it.
    pub(super) fn unsettle(&mut self, stamp: usize) {
        while self.settled.pop_if(|&mut (last, _)| last as usize >= stamp).is_some() {}
    }

    /// Whether the newest event is anchored, and has not revisited: then all others came before it.
    fn is_anchored_at_once(&self, id: EventId) -> bool {
        let event = self.event(id);
        let is_overtaken = || self.mo_index(id) as usize + 1 < self.loc(event.loc).mo.len();
        match event.label.kind {
            Kind::Read => event.spurious || is_overtaken(),
            Kind::Write => event.mo != UNPLACED && is_overtaken(),
            _ => false,
        }
    }

    /// Returns the settled events.
    fn all_settled(&self) -> Clock {
        let mut settled = Clock::EMPTY;
        let mut behind = Vec::new();
        for loc in self.locs.iter().filter(|loc| !loc.accesses.is_empty()) {
            self.least_stamps_behind(loc, &mut behind);
            for &id in loc.accesses.iter() {
                let event = self.event(id);
                let is_overtaken = || behind[self.mo_index(id) as usize] < event.stamp;
                let is_anchored = match event.label.kind {
                    Kind::Read => event.spurious || is_overtaken(),
                    Kind::Write if event.mo == UNPLACED => false,
                    Kind::Write => is_overtaken() || self.comes_early(id),
                    _ => false,
                };
                if is_anchored {
                    settled.join(&event.porf);
                }
            }
        }
        settled
    }

    /// Puts into `behind`, for each place of the modification order, the least stamp of the writes behind it.
    fn least_stamps_behind(&self, loc: &Loc, behind: &mut Vec<u32>) {
        behind.clear();
        behind.resize(loc.mo.len(), u32::MAX);
        for place in (1..loc.mo.len()).rev() {
            behind[place - 1] = behind[place].min(self.event(loc.mo[place]).stamp);
        }
    }

    /// Whether every run of the events within a closed set has more than `most` preemptions.
    pub(crate) fn has_more_preemptions(&self, within: &Clock, most: u32) -> bool {
        let threads = self.threads.iter().enumerate();
        let spurious = threads.map(|(t, events)| events[..within.count(t)].iter().filter(|e| e.spurious).count());
        let Some(left) = most.checked_sub(spurious.sum::<usize>() as u32) else { return true };
        if self.lacks(&Clock::EMPTY, within, left) {
            return true;
        }
        let openings = self.openings(within);
        openings.contains(&true) && !self.can_end(within, left, &openings)
    }

    /// Whether every run from a state has more than `most` preemptions, even if no thread finds a lock open for which
    /// it may have to wait.
    fn lacks(&self, from: &Clock, within: &Clock, most: u32) -> bool {
        let mut states = vec![*from];
        for left in (0..=most).rev() {
            let mut preempted = Vec::new();
            for mut state in states {
                self.run_freely(&mut state, within);
                if state == *within {
                    return false;
                }
                let next = (0..MAX_THREADS).map(|thread| self.run_thread(thread, state, within).1);
                for next in next.filter(|next| left > 0 && *next != state) {
                    if !preempted.contains(&next) {
                        preempted.push(next);
                    }
                }
            }
            states = preempted;
        }
        true
    }

    /// Runs all threads for as long as none is preempted.
    fn run_freely(&self, state: &mut Clock, within: &Clock) {
        loop {
            let before = *state;
            for thread in 0..MAX_THREADS {
                *state = self.run_thread(thread, *state, within).0;
            }
            if *state == before {
                return;
            }
        }
    }

    /// Runs a thread from a state. Returns the state in which it may give way last, and the one in which it cannot go
    /// on.
    fn run_thread(&self, thread: usize, state: Clock, within: &Clock) -> (Clock, Clock) {
        let (mut free, mut far) = (state, state);
        for id in self.rest_of(thread, &state, within) {
            if self.may_give_way(id) {
                free = far;
            }
            if !is_possible(self.event(id), &far) {
                return (free, far);
            }
            far.insert(id);
        }
        (far, far)
    }

    /// Returns a thread's events that have not happened yet, or none if the thread does not exist yet.
    fn rest_of(&self, thread: usize, state: &Clock, within: &Clock) -> impl Iterator<Item = EventId> + use<> {
        let is_born = self.creators[thread].is_none_or(|creator| state.contains(creator));
        let end = if is_born { within.count(thread) } else { 0 };
        (state.count(thread)..end).map(move |index| EventId::new(thread, index))
    }

    /// Whether a switch before the event is no preemption in some state.
    fn may_give_way(&self, id: EventId) -> bool {
        let event = self.event(id);
        gives_way(event) || event.label.op.locks() && event.label.kind == Kind::Read && self.may_wait(id)
    }

    /// Whether the thread of an operation that locks may come to it before the write that it reads.
    fn may_wait(&self, id: EventId) -> bool {
        let event = self.event(id);
        let comes_after = |source| self.before(id).is_some_and(|before| before.porf.contains(source));
        !event.exclusive || !event.rf.is_init() && !comes_after(event.rf)
    }

    /// Says by stamps which events are writes that open a lock to a thread that may wait for it.
    fn openings(&self, within: &Clock) -> Vec<bool> {
        let mut openings = vec![false; self.order.len()];
        for loc in &self.locs {
            let is_taking = |id: &EventId| self.event(*id).label.op.locks();
            let takes = |id: &EventId| is_taking(id) && self.event(*id).label.kind == Kind::Read;
            let waits = |id: EventId, opening: EventId| {
                id.thread() != opening.thread() && self.before(id).is_none_or(|before| !before.porf.contains(opening))
            };
            if !loc.accesses.iter().any(is_taking) {
                continue;
            }
            let others = loc.mo[1..].iter().copied().filter(|id| within.contains(*id) && !is_taking(id));
            for opening in others {
                openings[self.event(opening).stamp as usize] =
                    (loc.accesses.iter()).any(|id| takes(id) && within.contains(*id) && waits(*id, opening));
            }
        }
        openings
    }

    /// Whether some run of the events within a closed set has at most `most` preemptions.
    fn can_end(&self, within: &Clock, most: u32, openings: &[bool]) -> bool {
        let mut states = vec![Clock::EMPTY];
        for left in (0..=most).rev() {
            let mut preempted = Vec::new();
            let mut next = 0;
            while let Some(&state) = states.get(next) {
                if state == *within {
                    return true;
                }
                next += 1;
                if next > MOST_STATES {
                    return true;
                }
                if self.lacks(&state, within, left) {
                    continue;
                }
                for thread in 0..MAX_THREADS {
                    self.leave_thread(thread, state, within, openings, |left_at, is_free| {
                        let known = if is_free { &mut states } else { &mut preempted };
                        if left_at != state && !known.contains(&left_at) {
                            known.push(left_at);
                        }
                    });
                }
            }
            states = preempted;
        }
        false
    }

    /// Runs a thread from a state, and passes on the states in which it may be left, and whether it gives way there.
    fn leave_thread(
        &self,
        thread: usize,
        state: Clock,
        within: &Clock,
        openings: &[bool],
        mut leave: impl FnMut(Clock, bool),
    ) {
        let (mut free, mut far) = (None, state);
        for id in self.rest_of(thread, &state, within) {
            let event = self.event(id);
            if gives_way(event) || self.is_closed_to(id, &far) {
                free = Some(far);
            }
            let is_stuck = !is_possible(event, &far);
            if is_stuck || openings[event.stamp as usize] {
                if let Some(free) = free {
                    leave(free, true);
                }
                if free != Some(far) {
                    leave(far, false);
                }
                free = None;
            }
            if is_stuck {
                return;
            }
            far.insert(id);
        }
        leave(far, true);
    }

    /// Whether an operation that locks would fail in a state.
    fn is_closed_to(&self, id: EventId, state: &Clock) -> bool {
        let event = self.event(id);
        event.label.op.locks() && event.label.kind == Kind::Read && {
            let last = self.loc(event.loc).mo.iter().rfind(|write| write.is_init() || state.contains(**write));
            last.is_some_and(|&last| event.label.fails_on(self.value_from(id, last)))
        }
    }
}

/// Whether a thread may do its next event when so much has happened.
fn is_possible(event: &Event, state: &Clock) -> bool {
    !matches!(event.label.kind, Kind::Read | Kind::Join) || event.rf.is_init() || state.contains(event.rf)
}

/// Whether a switch before the event is no preemption in any state.
fn gives_way(event: &Event) -> bool {
    event.gives_way || event.label.kind == Kind::Join
}
