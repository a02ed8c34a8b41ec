//! Equal threads: which threads run one body with equal data.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex};

use super::Graph;
use super::clock::MAX_THREADS;
use super::event::{EventId, Kind, LocId, NO_LOC};

/// The `expected` of the creation of the first of several equal threads; that of the next one is
/// one more.
pub(crate) const FIRST_EQUAL: u64 = 2;

/// The number of executions that differ only in the names of equal threads, by a text that is equal
/// for those.
pub(crate) type Orbits = Arc<Mutex<BTreeMap<String, u64>>>;

impl Graph {
    /// Returns the position at which the first of the threads equal to this one was created.
    fn equals(&self, thread: usize) -> Option<EventId> {
        let creation = self.creators[thread]?;
        let before = self.event(creation).label.expected.checked_sub(FIRST_EQUAL)?;
        Some(EventId::new(creation.thread(), creation.index() - before as usize))
    }

    /// Whether there may be threads that are equal to this one.
    pub(crate) fn has_equals(&self, thread: usize) -> bool {
        self.equals(thread).is_some()
    }

    /// Whether two threads run one body with equal data.
    pub(crate) fn are_equal(&self, one: usize, other: usize) -> bool {
        one != other && self.equals(one).is_some_and(|equals| self.equals(other) == Some(equals))
    }

    /// Returns one thread for all that are equal to it.
    pub(crate) fn representative(&self, thread: usize) -> usize {
        self.equals(thread).map_or(thread, |first| self.event(first).label.operand as usize)
    }

    /// Whether the first accesses in which two threads of one body differ come in coherence order,
    /// that of `one` first. It is, too, if none differ in one location that both use.
    pub(crate) fn comes_first(&self, one: usize, other: usize) -> bool {
        for (index, (event, others)) in self.threads[one].iter().zip(&self.threads[other]).enumerate() {
            let (kind, [mine, theirs]) = (event.label.kind, [one, other].map(|thread| EventId::new(thread, index)));
            if kind != others.label.kind {
                return true;
            }
            if event.loc != others.loc || !matches!(kind, Kind::Read | Kind::Write) {
                continue;
            }
            if kind == Kind::Write || event.rf != others.rf {
                return self.mo_index(mine) < self.mo_index(theirs);
            }
        }
        true
    }

    /// Returns a text that is equal for executions which differ only in the names of equal threads.
    pub(crate) fn orbit(&self) -> String {
        let mut least: Option<String> = None;
        self.rename(&mut Vec::new(), &mut |names| {
            let text = self.named(names);
            if least.as_ref().is_none_or(|least| text < *least) {
                least = Some(text);
            }
        });
        least.unwrap_or_default()
    }

    /// Passes each renaming of equal threads on: the thread that has the part of each thread.
    fn rename(&self, names: &mut Vec<usize>, see: &mut impl FnMut(&[usize])) {
        let next = names.len();
        if next == MAX_THREADS || next > 0 && self.creators[next].is_none() {
            return see(names);
        }
        for name in 0..MAX_THREADS {
            if (name == next || self.are_equal(name, next)) && !names.contains(&name) {
                names.push(name);
                self.rename(names, see);
                names.pop();
            }
        }
    }

    fn named(&self, names: &[usize]) -> String {
        let (mut text, mut locs): (String, Vec<LocId>) = Default::default();
        let name = |id: EventId| (names.iter().position(|&thread| thread == id.thread()), id.index());
        for &thread in names {
            for event in &self.threads[thread] {
                let at = locs.iter().position(|&loc| loc == event.loc).unwrap_or(locs.len());
                if at == locs.len() {
                    locs.push(event.loc);
                }
                let place = (event.loc != NO_LOC).then_some((at, event.mo));
                let source = (event.label.kind == Kind::Read && !event.rf.is_init()).then(|| name(event.rf));
                let _ = write!(text, "{:?} {place:?} {source:?} {};", event.label.kind, event.exclusive);
            }
            text.push('|');
        }
        text
    }
}
