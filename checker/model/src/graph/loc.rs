//! A location: its modification order and the accesses to it.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use super::clock::MAX_THREADS;
use super::event::{EventId, LocId, NO_LOC};

/// The graph's data on one location.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Loc {
    /// The modification order; the initial write comes first.
    pub(crate) mo: Vec<EventId>,
    pub(crate) accesses: Accesses,
    /// The number of accesses that are not atomic.
    pub(crate) nonatomic: u32,
    /// The value before any write, in the replay that the graph's values come from.
    pub(crate) initial: u64,
    /// The allocation in which the object lies.
    pub(crate) owner: LocId,
    /// The object's name, which is equal in all executions, if it has one.
    pub(crate) name: Option<u64>,
}

impl Loc {
    pub(super) fn new() -> Self {
        Self {
            mo: vec![EventId::INIT],
            accesses: Accesses::default(),
            nonatomic: 0,
            initial: 0,
            owner: NO_LOC,
            name: None,
        }
    }

    pub(super) fn reset(&mut self) {
        self.mo.clear();
        self.mo.push(EventId::INIT);
        self.accesses.retain(|_| false);
        self.nonatomic = 0;
        self.initial = 0;
        self.owner = NO_LOC;
        self.name = None;
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.mo.clone_from(&other.mo);
        self.accesses.copy_from(&other.accesses);
        self.nonatomic = other.nonatomic;
        self.initial = other.initial;
        self.owner = other.owner;
        self.name = other.name;
    }
}

/// Every access to a location, in the order of addition.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Accesses {
    list: Vec<EventId>,
    /// The number of each thread's accesses.
    shares: [u16; MAX_THREADS],
}

impl Deref for Accesses {
    type Target = [EventId];

    #[inline]
    fn deref(&self) -> &[EventId] {
        &self.list
    }
}

impl Accesses {
    #[inline]
    pub(super) fn push(&mut self, id: EventId) {
        self.shares[id.thread() & (MAX_THREADS - 1)] += 1;
        self.list.push(id);
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        if let Some(id) = self.list.pop() {
            self.shares[id.thread() & (MAX_THREADS - 1)] -= 1;
        }
    }

    pub(super) fn retain(&mut self, mut stays: impl FnMut(EventId) -> bool) {
        let shares = &mut self.shares;
        self.list.retain(|&id| {
            let stays = stays(id);
            if !stays {
                shares[id.thread() & (MAX_THREADS - 1)] -= 1;
            }
            stays
        });
    }

    fn copy_from(&mut self, other: &Self) {
        self.list.clone_from(&other.list);
        self.shares = other.shares;
    }

    /// Whether no two threads have access.
    pub(super) fn is_of_one_thread(&self) -> bool {
        self.list.first().is_none_or(|id| usize::from(self.shares[id.thread()]) == self.list.len())
    }

    /// Passes each thread's accesses to `is_last` from the newest on, until it returns `true`:
    /// earlier ones have no effect.
    ///
    /// The cost depends on the accesses after those, and not on the length of the execution.
    #[inline]
    pub(crate) fn look_back(&self, mut is_last: impl FnMut(EventId) -> bool) {
        let mut left = self.shares;
        let mut unseen = self.list.len();
        for &id in self.list.iter().rev() {
            if unseen == 0 {
                return;
            }
            let own = &mut left[id.thread() & (MAX_THREADS - 1)];
            if *own > 0 {
                let seen = if is_last(id) { *own } else { 1 };
                *own -= seen;
                unseen -= usize::from(seen);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accesses(threads: &[usize]) -> Accesses {
        let mut accesses = Accesses::default();
        let mut lengths = [0; MAX_THREADS];
        for &thread in threads {
            accesses.push(EventId::new(thread, lengths[thread]));
            lengths[thread] += 1;
        }
        accesses
    }

    fn shown(accesses: &Accesses, last: &[EventId]) -> Vec<EventId> {
        let mut shown = Vec::new();
        accesses.look_back(|id| {
            shown.push(id);
            last.contains(&id)
        });
        shown
    }

    #[test]
    fn a_thread_is_left_at_its_last_access_that_matters_and_the_others_go_on() {
        let accesses = accesses(&[0, 1, 0, 1, 0]);
        let [a, b, c] = [0, 1, 2].map(|index| EventId::new(0, index));
        let [x, y] = [0, 1].map(|index| EventId::new(1, index));
        assert_eq!(shown(&accesses, &[]), [c, y, b, x, a]);
        assert_eq!(shown(&accesses, &[c]), [c, y, x]);
        assert_eq!(shown(&accesses, &[c, y]), [c, y]);
        assert_eq!(shown(&accesses, &[b, x]), [c, y, b, x]);
    }

    #[test]
    fn accesses_that_are_taken_back_are_not_waited_for() {
        let mut accesses = accesses(&[1, 0, 0, 2]);
        accesses.pop();
        accesses.retain(|id| id.thread() != 1);
        let [a, b] = [0, 1].map(|index| EventId::new(0, index));
        assert_eq!(shown(&accesses, &[]), [b, a]);
        assert_eq!(shown(&accesses, &[b]), [b]);
    }

    #[test]
    fn an_object_is_of_one_thread_until_another_one_comes_and_again_once_that_is_taken_back() {
        let is_of_one = |threads: &[usize]| accesses(threads).is_of_one_thread();
        assert!([&[][..], &[0], &[2], &[2, 2]].into_iter().all(is_of_one));
        assert!(![&[2, 0][..], &[0, 2], &[2, 0, 0], &[0, 2, 2], &[0, 2, 0]].into_iter().any(is_of_one));

        let mut popped = accesses(&[1, 1, 0]);
        popped.pop();
        assert!(popped.is_of_one_thread());
        popped.pop();
        assert!(popped.is_of_one_thread());
        let mut retained = accesses(&[0, 1, 1]);
        retained.retain(|id| id == EventId::new(1, 1));
        assert!(retained.is_of_one_thread());
        retained.copy_from(&accesses(&[2, 2]));
        assert!(retained.is_of_one_thread());
    }
}
