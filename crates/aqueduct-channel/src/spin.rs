//! How threads repeat their attempts before they wait.

use crate::sync::{first_round, longest_spin, relax, spun};

/// Repeats `attempt` for some microseconds: about as long as it takes to wake a thread.
pub(crate) fn spin<R>(mut attempt: impl FnMut() -> Option<R>) -> Option<R> {
    (first_round()..longest_spin()).find_map(|round| {
        relax(round);
        let result = attempt()?;
        spun(round);
        Some(result)
    })
}

/// Repeats `attempt` for about as long as another thread's operation takes.
pub(crate) fn spin_briefly<R>(mut attempt: impl FnMut() -> Option<R>) -> Option<R> {
    (0..longest_spin().min(4)).find_map(|round| {
        relax(round);
        attempt()
    })
}
