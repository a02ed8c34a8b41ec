//! A single notification, as loom's `Notify`.

use crate::hint::await_here;
use crate::sync::atomic::{AtomicBool, Ordering};

/// Wakes one thread that waits, or the next that will. What came before [`Notify::notify`] happens before what comes
/// after the [`Notify::wait`] that takes it. No wait ends spuriously.
#[derive(Debug, Default)]
pub struct Notify {
    notified: AtomicBool,
}

impl Notify {
    /// Nothing is notified.
    #[must_use]
    pub const fn new() -> Self {
        Self { notified: AtomicBool::new(false) }
    }

    /// Leaves a notification. One that nobody has taken yet stays one.
    #[track_caller]
    pub fn notify(&self) {
        self.notified.swap(true, Ordering::AcqRel);
    }

    /// Waits for a notification and takes it.
    #[track_caller]
    pub fn wait(&self) {
        await_here!(self.take());
    }

    /// Takes a notification if there is one.
    #[track_caller]
    pub(crate) fn take(&self) -> bool {
        self.notified.compare_exchange(true, false, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}
