//! The pending request for a dump: the part of a [request](crate::DumpRequest) that the model
//! checker explores.

use crate::sync::{AtomicU64, Ordering};

/// True (1) if a request is pending that the serving thread has not begun to serve.
///
/// Threads and handlers make requests; one thread serves them. The first request after a
/// [`begin`](Self::begin) wakes it.
#[derive(Debug)]
pub struct Pending(AtomicU64);

impl Pending {
    /// Makes a state without a request.
    #[must_use]
    pub fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Requests a dump. Returns whether the caller has to wake the serving thread. Wait-free, and
    /// safe in a signal handler.
    #[must_use = "no other caller wakes the serving thread"]
    pub fn request(&self) -> bool {
        // Ordering: Release pairs with the swap of `begin`, which sees this write or a later one in
        // the word. Without it, the dump may miss this thread's last records.
        self.0.swap(1, Ordering::Release) == 0
    }

    /// Starts to serve the pending request: a later call of [`request`](Self::request) makes a new
    /// one. The serving thread sees all that each thread did before its request.
    pub fn begin(&self) {
        // Ordering: Acquire pairs with the swaps of `request`. Only the first of them sends a wake,
        // which would order only that thread's records.
        self.0.swap(0, Ordering::Acquire);
    }
}

impl Default for Pending {
    fn default() -> Self {
        Self::new()
    }
}
