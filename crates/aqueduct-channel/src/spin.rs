//! How threads repeat their attempts before they wait.

use crate::sync::{longest_spin, relax};

/// Repeats `attempt` for some microseconds: about as long as it takes to wake a thread.
pub(crate) fn spin<R>(mut attempt: impl FnMut() -> Option<R>) -> Option<R> {
    (0..longest_spin()).find_map(|round| {
        relax(round);
        attempt()
    })
}
