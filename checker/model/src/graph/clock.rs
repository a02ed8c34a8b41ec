//! Vector clocks: for each thread, how many of its first events lie below a point.

use serde::{Deserialize, Serialize};

use super::event::EventId;

/// The number of threads that one execution may have, the main thread included.
pub const MAX_THREADS: usize = 16;

/// A downward closed set of events, as the length of each thread's prefix in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[repr(align(32))]
pub(crate) struct Clock([u16; MAX_THREADS]);

impl Clock {
    /// The empty set.
    pub(crate) const EMPTY: Self = Self([0; MAX_THREADS]);

    /// Adds every event of `other`.
    #[inline]
    pub(crate) fn join(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Keeps only the events of `other`.
    pub(crate) fn meet(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).min(*theirs);
        }
    }

    /// Returns how many of a thread's events lie in the set.
    #[inline]
    pub(crate) fn count(&self, thread: usize) -> usize {
        usize::from(self.0[thread & (MAX_THREADS - 1)])
    }

    /// Whether `id` lies in the set.
    #[inline]
    pub(crate) fn contains(&self, id: EventId) -> bool {
        id.index() < usize::from(self.0[id.thread() & (MAX_THREADS - 1)])
    }

    /// Makes `id` and all events before it in its thread members.
    #[inline]
    pub(crate) fn insert(&mut self, id: EventId) {
        let slot = &mut self.0[id.thread() & (MAX_THREADS - 1)];
        *slot = (*slot).max(id.index() as u16 + 1);
    }
}
