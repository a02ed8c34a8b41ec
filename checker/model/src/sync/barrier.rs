//! Barriers, as in `std::sync`.

use crate::hint::await_here;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// A [`std::sync::Barrier`] whose operations the model sees.
#[derive(Debug)]
pub struct Barrier {
    threads: usize,
    /// The number of arrivals since the barrier was made.
    arrived: AtomicUsize,
}

/// The result of a wait: whether the thread was the last to arrive.
#[derive(Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Whether the thread was the last to arrive.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// Makes a barrier for `threads` threads. A barrier for 0 is one for 1.
    #[must_use]
    pub const fn new(threads: usize) -> Self {
        let threads = if threads == 0 { 1 } else { threads };
        Self { threads, arrived: AtomicUsize::new(0) }
    }

    /// Waits until all of the barrier's threads wait.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let mine = self.arrived.fetch_add(1, Ordering::AcqRel);
        let full = (mine / self.threads + 1) * self.threads;
        if mine + 1 == full {
            return BarrierWaitResult(true);
        }
        await_here!(self.arrived.load(Ordering::Acquire) >= full);
        BarrierWaitResult(false)
    }
}
