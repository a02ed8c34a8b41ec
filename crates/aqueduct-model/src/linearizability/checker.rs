//! The search for a linearization: depth first over the calls that may come next.
//!
//! The search is Wing and Gong's, with Lowe's memory of the sets of calls and states from which no
//! order goes on.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::record::Record;
use super::spec::Spec;

/// The error that no order of a record's calls explains their results.
///
/// Its text is the record's table, the longest order that the specification allows, and the results that it
/// refuses after that.
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
    /// Returns an order of all calls, by their numbers, that respects their partial order and that the
    /// specification allows.
    ///
    /// # Errors
    ///
    /// [`NotLinearizable`] if there is none.
    pub fn linearization(&self) -> Result<Vec<usize>, NotLinearizable> {
        let mut search = Search::new(self);
        if search.goes_on(0, &self.spec) {
            return Ok(search.path);
        }
        let (longest, state) = search.longest;
        let message = self.explain(&longest, &state);
        Err(NotLinearizable { longest, message })
    }

    /// Returns the first call from this number on that may come next after those in `done`.
    ///
    /// It is no iterator: the search runs in each execution, and is compiled with the clients, without optimisation.
    fn next_after(&self, done: u64, from: usize) -> Option<usize> {
        let mut call = from;
        while call < self.calls.len() {
            if done & 1 << call == 0 && self.calls[call].before & !done == 0 {
                return Some(call);
            }
            call += 1;
        }
        None
    }

    fn explain(&self, longest: &[usize], state: &S) -> String {
        let order = longest.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let order = if order.is_empty() { "none of them".to_owned() } else { order };
        let done = longest.iter().fold(0, |set, call| set | 1 << call);
        let mut text =
            format!("the history is not linearizable: no order of these calls explains the results\n\n{self}\n");
        text += &format!("the longest order that goes well: {order}\nit leads to: {state:?}\n");
        text += "there the specification refuses each call that may come next:";
        let mut from = 0;
        while let Some(call) = self.next_after(done, from) {
            from = call + 1;
            let made = &self.calls[call];
            let alone = state.excused_by_overlap(&made.input, &made.output) && !self.is_overlapped(call);
            let why = if alone { " (no other call overlaps, which could excuse it)" } else { "" };
            text += &format!("\n  {call}  {:?} -> {:?}{why}", made.input, made.output);
        }
        text
    }
}

struct Search<'a, S: Spec> {
    record: &'a Record<S>,
    all: u64,
    /// The states from which no order goes on, by the set of calls that have come.
    dead: HashMap<u64, HashSet<S>>,
    path: Vec<usize>,
    /// The first of the longest orders from which none goes on, and the state that it leads to.
    longest: (Vec<usize>, S),
}

impl<'a, S: Spec> Search<'a, S> {
    fn new(record: &'a Record<S>) -> Self {
        let all = (0..record.len()).fold(0, |set, call| set | 1 << call);
        Self { record, all, dead: HashMap::new(), path: Vec::new(), longest: (Vec::new(), record.spec.clone()) }
    }

    /// Whether the calls that are not in `done` can follow in the state. If so, `path` is the order of all.
    fn goes_on(&mut self, done: u64, state: &S) -> bool {
        if done == self.all {
            return true;
        }
        if self.dead.get(&done).is_some_and(|states| states.contains(state)) {
            return false;
        }
        let record = self.record;
        let mut from = 0;
        while let Some(call) = record.next_after(done, from) {
            from = call + 1;
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
