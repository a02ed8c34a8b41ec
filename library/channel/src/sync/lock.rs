//! A lock for critical sections of a few instructions.

use super::{AtomicBool, Ordering, snooze};

/// A lock that is released by a store: each use costs one exchange, where a lock that parks needs
/// two.
///
/// Waiting threads repeat their check, and yield. The lock is held for a few instructions. The only
/// user code among them is the `clone` of small plain messages.
#[derive(Debug, Default)]
pub struct RawLock {
    is_held: AtomicBool,
}

impl RawLock {
    /// Makes an open lock.
    #[must_use]
    pub const fn new() -> Self {
        Self { is_held: AtomicBool::new(false) }
    }

    /// Takes the lock, waiting for it if necessary.
    #[inline(always)]
    pub fn lock(&self) {
        if !self.try_lock() {
            self.wait();
        }
    }

    /// Takes the lock if it is free. Returns whether it was taken.
    #[inline(always)]
    pub fn try_lock(&self) -> bool {
        // Ordering: Acquire pairs with the Release in `unlock`: this thread sees the last holder's
        // writes.
        self.is_held.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn wait(&self) {
        for round in 0.. {
            snooze(round);
            if !self.is_held.load(Ordering::Relaxed) && self.try_lock() {
                return;
            }
        }
    }

    /// Opens the lock.
    ///
    /// # Safety
    /// The caller has taken it.
    #[inline(always)]
    pub unsafe fn unlock(&self) {
        // Ordering: Release pairs with the Acquire in `try_lock`.
        self.is_held.store(false, Ordering::Release);
    }
}
