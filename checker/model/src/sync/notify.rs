//! A single notification, as loom's `Notify`.

use crate::hint::await_here;
use crate::sync::atomic::{AtomicBool, Ordering};

/// A notification for one thread that waits, now or next. No wait ends spuriously.
///
/// All before [`Notify::notify`] happens before all after the next [`Notify::wait`] that takes a
/// notification, also if that one stands for several calls. A call acquires nothing from other
/// calls, nor from waits, as `std`'s `unpark`.
#[derive(Debug, Default)]
pub struct Notify {
    notified: AtomicBool,
}

impl Notify {
    /// Makes an object without a notification.
    #[must_use]
    pub const fn new() -> Self {
        Self { notified: AtomicBool::new(false) }
    }

    /// Leaves a notification. One that has not been taken yet stays one.
    #[track_caller]
    pub fn notify(&self) {
        // Ordering: Release pairs with the Acquire exchange of `take`; without it, the waiting
        // thread does not see the caller's work.
        self.notified.swap(true, Ordering::Release);
    }

    /// Waits for a notification and takes it.
    #[track_caller]
    pub fn wait(&self) {
        await_here!(self.notified.take());
    }

    /// Takes a notification if there is one.
    #[track_caller]
    pub(crate) fn take(&self) -> bool {
        // Ordering: Acquire pairs with `notify`, as in a wait. Relaxed failure: nothing was taken.
        self.notified.compare_exchange(true, false, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}
