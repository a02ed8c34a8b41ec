//! How threads repeat their attempts before they wait.

use crate::sync::{Patience, first_round, longest_spin, relax, spun};

/// Repeats `attempt` for about as long as it takes to wake a thread on a core that sleeps.
///
/// Of two threads that wait for each other in turn, the second one would park, too, if it waited for less, and so on.
pub(crate) fn spin<R>(mut attempt: impl FnMut() -> Option<R>) -> Option<R> {
    let mut patience = Patience::new();
    for round in first_round()..longest_spin() {
        relax(round);
        if let Some(result) = attempt() {
            spun(round);
            return Some(result);
        }
        if patience.is_over(round) {
            break;
        }
    }
    None
}

/// Repeats `attempt` for about as long as another thread's operation takes.
pub(crate) fn spin_briefly<R>(mut attempt: impl FnMut() -> Option<R>) -> Option<R> {
    (0..longest_spin().min(4)).find_map(|round| {
        relax(round);
        attempt()
    })
}
