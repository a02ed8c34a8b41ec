//! Rounds, by which a worker recognises the tasks that it has just taken.

use crate::sync::{AtomicUsize, Ordering};

/// A round of a worker. Other workers' rounds are other values.
///
/// Numbers wrap, and a task that has been idle for exactly that many rounds goes to the end of a
/// queue once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Round(usize);

impl Round {
    /// Returns the first round of the worker with that index.
    pub(crate) fn first(index: usize) -> Self {
        Self(index + 1)
    }

    /// Returns the round after this one.
    #[must_use]
    pub(crate) fn next(self) -> Self {
        // The lower half of the word has the worker's index.
        Self(self.0.wrapping_add(1 << (usize::BITS / 2)))
    }
}

/// The round in which a worker has last taken a task.
///
/// Ordering: Relaxed, because it decides where the task goes, and permits no access.
#[derive(Debug)]
pub(crate) struct LastRound(AtomicUsize);

impl LastRound {
    /// Makes the round of a task that no worker has taken.
    pub(crate) const fn none() -> Self {
        Self(AtomicUsize::new(0))
    }

    pub(crate) fn get(&self) -> Round {
        Round(self.0.load(Ordering::Relaxed))
    }

    pub(crate) fn set(&self, Round(round): Round) {
        self.0.store(round, Ordering::Relaxed);
    }
}
