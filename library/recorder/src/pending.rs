//! The pending request for a dump: the part of a [request](crate::DumpRequest) that the model checker explores.

use crate::sync::{AtomicU64, Ordering};

/// Whether a request is pending that the serving thread has not begun to serve.
///
/// Threads and handlers ask; one thread serves. Of the calls that ask before it begins, the first one wakes it.
#[derive(Debug)]
pub struct Pending(AtomicU64);

impl Pending {
    /// Makes a state without a request.
    #[must_use]
    pub fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Asks for a dump. Returns whether the caller has to wake the serving thread. Wait-free, and safe in a
    /// signal handler.
    #[must_use = "nobody else wakes the thread that serves"]
    pub fn ask(&self) -> bool {
        // Ordering: Release pairs with the swap of `begin`, which sees this write or a later one in the word.
        // Without it, the dump may miss this thread's last records.
        self.0.swap(1, Ordering::Release) == 0
    }

    /// Begins to serve: a later call is a new request. The serving thread sees everything that each thread did
    /// before it asked.
    pub fn begin(&self) {
        // Ordering: Acquire pairs with the swaps of `ask`. Only the first of them comes with a wake-up, which
        // would order that thread's records alone.
        self.0.swap(0, Ordering::Acquire);
    }
}

impl Default for Pending {
    fn default() -> Self {
        Self::new()
    }
}
