//! A lock for a few instructions.

use super::{AtomicBool, Ordering, snooze};

/// A lock whose opening is a store: one exchange for each time that it is held, where a lock that parks has two.
///
/// Threads that wait repeat their look, and yield. It is held for a few instructions, and no user's code is among them
/// but the `clone` of small plain messages.
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

    /// Takes the lock; waits for it.
    #[inline(always)]
    pub fn lock(&self) {
        if !self.try_lock() {
            self.wait();
        }
    }

    /// Takes the lock if it is free. Returns whether it has done so.
    #[inline(always)]
    pub fn try_lock(&self) -> bool {
        // Ordering: Acquire pairs with the Release in `unlock`: what the last holder did has happened.
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
