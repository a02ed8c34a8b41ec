//! Whether a dump is asked for: the part of a [request](crate::DumpRequest) that the model checker explores.

use crate::sync::{AtomicU64, Ordering};

/// Whether something is asked for that has not begun.
///
/// Threads and handlers ask; one thread serves them. Of the calls that ask before it begins, the first one wakes it.
#[derive(Debug)]
pub struct Pending(AtomicU64);

impl Pending {
    /// Nothing is asked for.
    #[must_use]
    pub fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Asks. Returns whether the caller has to wake the thread that serves. Wait-free, and safe in a signal's handler.
    #[must_use = "nobody else wakes the thread that serves"]
    pub fn ask(&self) -> bool {
        // Ordering: Release pairs with the swap of `begin`, which sees this write or one that follows it in the word.
        // Without it, the dump may miss this thread's last records.
        self.0.swap(1, Ordering::Release) == 0
    }

    /// Begins to serve: a later call asks for one more. The thread sees what each thread did before it asked.
    pub fn begin(&self) {
        // Ordering: Acquire pairs with the swaps of `ask`. Only that of the first call comes with a wake-up, which
        // would show this thread what happened before it.
        self.0.swap(0, Ordering::Acquire);
    }
}

impl Default for Pending {
    fn default() -> Self {
        Self::new()
    }
}
