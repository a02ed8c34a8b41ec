//! A lock that owns its content.

use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::sync::RawLock;

/// A lock that a panic does not poison: its content is consistent whenever user code runs.
#[derive(Default)]
pub(crate) struct Mutex<T> {
    lock: RawLock,
    content: UnsafeCell<T>,
}

// SAFETY: the content is one thread's at a time.
unsafe impl<T: Send> Send for Mutex<T> {}
// SAFETY: the content is one thread's at a time, and may be dropped by any.
unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    pub(crate) const fn new(content: T) -> Self {
        Self { lock: RawLock::new(), content: UnsafeCell::new(content) }
    }

    #[inline(always)]
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.lock.lock();
        MutexGuard(self)
    }

    /// Takes the lock if it is free.
    #[inline(always)]
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        // A guard made before the result is known would release a lock that another thread holds.
        self.lock.try_lock().then(|| MutexGuard(self))
    }
}

impl<T> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").finish_non_exhaustive()
    }
}

/// Access to the content, until it is dropped.
pub(crate) struct MutexGuard<'a, T>(&'a Mutex<T>);

// SAFETY: a shared guard gives shared references to the content.
unsafe impl<T: Sync> Sync for MutexGuard<'_, T> {}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: the guard has the lock.
        unsafe { &*self.0.content.get() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard has the lock.
        unsafe { &mut *self.0.content.get() }
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the guard has taken the lock.
        unsafe { self.0.lock.unlock() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_held_stays_so_while_others_try_to_take_it() {
        let lock = Mutex::new(7);
        let guard = lock.lock();
        assert!(lock.try_lock().is_none() && lock.try_lock().is_none());
        drop(guard);
        assert_eq!(lock.try_lock().map(|content| *content), Some(7));
    }
}
