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

use std::collections::HashSet;

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
        let mut seen = HashSet::new();
        let mut states = vec![Clock::EMPTY];
        for _ in 0..=most {
            let mut preempted = Vec::new();
            while let Some(state) = states.pop() {
                if state == *within {
                    return false;
                }
                if seen.insert(state) {
                    for thread in 0..MAX_THREADS {
                        self.run_thread(thread, state, within, &mut states, &mut preempted);
                    }
                }
            }
            states = preempted;
        }
        true
    }

    /// Runs a thread from a state for as long as it can go on, which is never worse than less: nothing that a
    /// thread does keeps another from going on.
    ///
    /// Adds the states in which it may stop to `states`, or to `preempted`.
    fn run_thread(
        &self,
        thread: usize,
        mut state: Clock,
        within: &Clock,
        states: &mut Vec<Clock>,
        preempted: &mut Vec<Clock>,
    ) {
        let first = state.count(thread);
        let is_born = self.creators[thread].is_none_or(|creator| state.contains(creator));
        if first == within.count(thread) || !is_born {
            return;
        }
        for index in first..within.count(thread) {
            let id = EventId::new(thread, index);
            let event = self.event(id);
            let is_possible = is_possible(event, &state);
            if index > first && gives_way(event) {
                states.push(state);
            } else if index > first && !is_possible {
                preempted.push(state);
            }
            if !is_possible {
                return;
            }
            state.insert(id);
        }
        states.push(state);
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
