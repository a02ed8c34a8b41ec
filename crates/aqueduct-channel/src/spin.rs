//! How threads and tasks repeat their attempts before they wait.

use crate::sync::{AtomicUsize, Ordering, longest_spin, relax};

/// Attempts of a task, which holds up its worker meanwhile.
const BRIEF: usize = 6;

/// After so many spins in a row that have not helped, tasks do not spin any more.
const USELESS: usize = 8;

/// One of so many tasks spins all the same, to find out whether that helps again.
const PROBE: usize = 16;

/// Repeats `attempt` for some microseconds: about as long as it takes to wake a thread.
pub(crate) fn spin<R>(attempt: impl FnMut() -> Option<R>) -> Option<R> {
    repeat(longest_spin(), attempt)
}

fn repeat<R>(rounds: usize, mut attempt: impl FnMut() -> Option<R>) -> Option<R> {
    (0..rounds).find_map(|round| {
        relax(round);
        attempt()
    })
}

/// Whether tasks that spin have been of use lately. On a runtime with one worker they never are.
#[derive(Debug)]
pub(crate) struct Habit {
    /// How many spins in a row have not helped. Changes of several threads may get lost: it is a matter of cost only.
    useless: AtomicUsize,
}

impl Habit {
    pub(crate) const fn new() -> Self {
        Self { useless: AtomicUsize::new(0) }
    }

    /// Repeats `attempt` for about a microsecond, if that has helped lately.
    pub(crate) fn spin<R>(&self, attempt: impl FnMut() -> Option<R>) -> Option<R> {
        let rounds = longest_spin().min(BRIEF);
        if rounds == 0 {
            return None;
        }
        let useless = self.useless.load(Ordering::Relaxed);
        let is_probe = useless.is_multiple_of(PROBE);
        let result = if useless < USELESS || is_probe { repeat(rounds, attempt) } else { None };
        let next = if result.is_some() { 0 } else { useless.wrapping_add(1) };
        if next != useless {
            self.useless.store(next, Ordering::Relaxed);
        }
        result
    }
}
