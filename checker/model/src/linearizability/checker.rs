//! The search for a linearization: depth first over the calls that may come next.
//!
//! The search is Wing and Gong's, with Lowe's memory of the sets of calls and states from which no
//! order continues.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::record::{Call, Record, members};
use super::spec::Spec;

/// The error that no order of a record's calls explains their results.
///
/// Its text is the record's table, the longest order that the specification allows, and the results
/// that it refuses after that. It distinguishes results that no order explains from synchronization
/// that no order has.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NotLinearizable {
    /// The longest allowed order of calls that the search found; the first one of that length.
    pub longest: Vec<usize>,
    message: String,
}

impl fmt::Display for NotLinearizable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for NotLinearizable {}

impl<S: Spec> Record<S> {
    /// Returns an order of all calls, by their numbers, that respects their partial order and that
    /// the specification allows, with the synchronization that it promises.
    ///
    /// # Errors
    ///
    /// [`NotLinearizable`] if there is none.
    pub fn linearization(&self) -> Result<Vec<usize>, NotLinearizable> {
        let numbers: Vec<usize> = (0..self.len()).collect();
        self.linearization_in(&numbers)
    }

    /// Returns a linearization that prefers calls that stand first in `preference`, a list of all.
    pub(super) fn linearization_in(&self, preference: &[usize]) -> Result<Vec<usize>, NotLinearizable> {
        let mut search = Search::new(self, preference, true);
        if search.goes_on(0, &self.spec) {
            return Ok(search.path);
        }
        let promises = search.lacking.iter().any(|&lacking| lacking != 0);
        let fits = promises && Search::new(self, preference, false).goes_on(0, &self.spec);
        let (longest, state) = search.longest;
        let message = self.explain(&longest, &state, fits);
        Err(NotLinearizable { longest, message })
    }

    /// Returns for each call those that must happen before it if they come before it, and do not.
    fn lacking(&self) -> Vec<u64> {
        let lacks = |later: &Call<S>, earlier: usize| {
            let call = &self.calls[earlier];
            later.known & 1 << earlier == 0
                && self.spec.synchronizes((&call.input, &call.output), (&later.input, &later.output))
        };
        let of = |later: &Call<S>| {
            (0..self.len()).filter(|&earlier| lacks(later, earlier)).fold(0, |set, earlier| set | 1 << earlier)
        };
        self.calls.iter().map(of).collect()
    }

    /// Whether a call may come next after those in `done`.
    ///
    /// The search runs in each execution, and is compiled with the clients, without optimisation.
    fn may_follow(&self, done: u64, call: usize) -> bool {
        done & 1 << call == 0 && self.calls[call].before & !done == 0
    }

    fn explain(&self, longest: &[usize], state: &S, fits: bool) -> String {
        let order = longest.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let order = if order.is_empty() { "none of them".to_owned() } else { order };
        let done = longest.iter().fold(0, |set, call| set | 1 << call);
        let what = if fits { "has the synchronization that is promised" } else { "explains the results" };
        let mut text = format!("the history is not linearizable: no order of these calls {what}\n\n{self}\n");
        text += &format!("the longest order that goes well: {order}\nit leads to: {state:?}\n");
        text += "there the specification refuses each call that may come next:";
        let lacking = self.lacking();
        for call in (0..self.len()).filter(|&call| self.may_follow(done, call)) {
            let made = &self.calls[call];
            let alone = state.excused_by_overlap(&made.input, &made.output) && !self.is_overlapped(call);
            let why = match members(lacking[call] & done).next() {
                Some(earlier) => format!(" (call {earlier} must happen before it)"),
                None if alone => " (no other call overlaps, which could excuse it)".to_owned(),
                None => String::new(),
            };
            text += &format!("\n  {call}  {:?} -> {:?}{why}", made.input, made.output);
        }
        text
    }
}

struct Search<'a, S: Spec> {
    record: &'a Record<S>,
    /// The calls, in the order in which they are tried.
    preference: &'a [usize],
    /// For each call, those that cannot come before it, because it would have to synchronize with
    /// them.
    lacking: Vec<u64>,
    all: u64,
    /// The states from which no order continues, by the set of calls so far.
    dead: HashMap<u64, HashSet<S>>,
    path: Vec<usize>,
    /// The first of the longest orders that cannot continue, and the state that it leads to.
    longest: (Vec<usize>, S),
}

impl<'a, S: Spec> Search<'a, S> {
    fn new(record: &'a Record<S>, preference: &'a [usize], synchronizes: bool) -> Self {
        let all = (0..record.len()).fold(0, |set, call| set | 1 << call);
        let lacking = if synchronizes { record.lacking() } else { vec![0; record.len()] };
        let longest = (Vec::new(), record.spec.clone());
        Self { record, preference, lacking, all, dead: HashMap::new(), path: Vec::new(), longest }
    }

    /// Whether the calls that are not in `done` can follow in the state. If so, `path` is the order
    /// of all.
    fn goes_on(&mut self, done: u64, state: &S) -> bool {
        if done == self.all {
            return true;
        }
        if self.dead.get(&done).is_some_and(|states| states.contains(state)) {
            return false;
        }
        let (record, preference) = (self.record, self.preference);
        let mut place = 0;
        while place < preference.len() {
            let call = preference[place];
            place += 1;
            if !record.may_follow(done, call) || self.lacking[call] & done != 0 {
                continue;
            }
            let made = &record.calls[call];
            let after = done | 1 << call;
            self.path.push(call);
            let mut next = state.clone();
            if next.apply(&made.input, &made.output) && self.goes_on(after, &next) {
                return true;
            }
            let excused = state.excused_by_overlap(&made.input, &made.output) && record.is_overlapped(call);
            if excused && self.goes_on(after, state) {
                return true;
            }
            self.path.pop();
        }
        if self.path.len() > self.longest.0.len() {
            self.longest = (self.path.clone(), state.clone());
        }
        self.dead.entry(done).or_default().insert(state.clone());
        false
    }
}
