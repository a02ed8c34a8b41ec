//! Preemptions: how often threads are stopped in the middle, at least, in a run that has a graph.
//!
//! # What counts
//!
//! A run of a graph is an order of its events that respects sb and rf. A switch away from a thread that has events
//! left is a preemption, unless the thread gives way there: its next event is a join, or the first one after a spin
//! hint, or of a round of a wait. [`Graph::has_more_preemptions`] asks for the fewest preemptions of all runs. An
//! interleaving in the usual sense is such a run of its graph, so that a graph with more preemptions than `n`
//! comes from no interleaving with at most `n`.
//!
//! The number of a graph is at least that of each subset `K` that is closed under sb and rf: a run of the graph
//! without the events outside of `K` is a run of `K`. Where it leaves a thread that has events left in `K`, the
//! whole run leaves it, too, before the same event.
//!
//! Nothing that a thread does keeps another from going on, so a state in which more has happened is never worse:
//! a run from a state, without the events that a larger one has, is a run from that one, with no more switches away
//! from a thread before the same event. So each thread runs to the last point at which it gives way, or to its end,
//! and where none can, one runs until it cannot go on, which is a preemption: there are as many choices as threads.
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

impl Graph {
    /// Returns the events that no revisit will delete or give another source.
    pub(crate) fn settled(&self) -> Clock {
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
        let mut states = vec![Clock::EMPTY];
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

    /// Runs a thread from a state. Returns the state in which it gives way last, and the one in which it cannot go on.
    fn run_thread(&self, thread: usize, state: Clock, within: &Clock) -> (Clock, Clock) {
        let (mut free, mut far) = (state, state);
        let first = state.count(thread);
        if self.creators[thread].is_some_and(|creator| !state.contains(creator)) {
            return (free, far);
        }
        for index in first..within.count(thread) {
            let id = EventId::new(thread, index);
            let event = self.event(id);
            if gives_way(event) {
                free = far;
            }
            if !is_possible(event, &far) {
                return (free, far);
            }
            far.insert(id);
        }
        (far, far)
    }
}

/// Whether a thread may do its next event when so much has happened.
fn is_possible(event: &Event, state: &Clock) -> bool {
    !matches!(event.label.kind, Kind::Read | Kind::Join) || event.rf.is_init() || state.contains(event.rf)
}

/// Whether a switch before the event is no preemption.
fn gives_way(event: &Event) -> bool {
    event.gives_way || event.label.kind == Kind::Join
}
