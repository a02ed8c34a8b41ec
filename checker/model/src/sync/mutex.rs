//! Mutual exclusion, as in `std::sync`. No lock is ever poisoned: a panic fails the execution.

use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{LockResult, TryLockError, TryLockResult};

use crate::hint::await_here;
use crate::runtime::driver;
use crate::sync::atomic::{AtomicBool, Ordering};

/// A [`std::sync::Mutex`]: a lock acquires what the last unlock released.
pub struct Mutex<T: ?Sized> {
    locked: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: One thread at a time reaches the value, as with `std`'s.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: One thread at a time reaches the value, as with `std`'s.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

// `std`'s is unwind-safe. No lock is poisoned here: a panic that does not end the execution is
// caught by the program.
impl<T: ?Sized> UnwindSafe for Mutex<T> {}
impl<T: ?Sized> RefUnwindSafe for Mutex<T> {}

/// A guard that unlocks when it is dropped.
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    /// Makes the guard neither `Send` nor `Sync`.
    bound_to_thread: PhantomData<*const ()>,
}

// SAFETY: A shared guard gives other threads `&T` only.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<T> Mutex<T> {
    /// Makes an open lock around a value.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self { locked: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Returns the value.
    ///
    /// # Errors
    /// It never fails.
    #[track_caller]
    pub fn into_inner(self) -> LockResult<T> {
        let Self { locked, value } = self;
        let _ = locked.into_inner();
        Ok(value.into_inner())
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits for the lock and takes it.
    ///
    /// # Errors
    /// It never fails.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        Ok(self.acquire())
    }

    /// Takes the lock if it is open.
    ///
    /// # Errors
    /// `WouldBlock` if it is not, or was not a moment ago.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        // Ordering: Acquire pairs with the Release store in `release`; without it, the guard does
        // not see the writes under the lock before. Relaxed failure: nothing is read under a lock
        // that another thread has.
        match self.locked.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(self.guard()),
            Err(_) => Err(TryLockError::WouldBlock),
        }
    }

    /// Returns false: no lock is ever poisoned.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        false
    }

    /// Changes nothing: no lock is ever poisoned.
    pub fn clear_poison(&self) {}

    /// Returns the value, which no other thread can reach.
    ///
    /// # Errors
    /// It never fails.
    #[track_caller]
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.locked.get_mut();
        Ok(self.value.get_mut())
    }

    /// Returns the guard of the thread that has just taken the lock.
    fn guard(&self) -> MutexGuard<'_, T> {
        MutexGuard { mutex: self, bound_to_thread: PhantomData }
    }

    /// Waits for the lock and takes it.
    #[track_caller]
    pub(super) fn acquire(&self) -> MutexGuard<'_, T> {
        await_here!(self.locked.lock());
        self.guard()
    }

    #[track_caller]
    fn release(&self) {
        // Ordering: Release pairs with the Acquire exchange of the next owner, which sees what this
        // one wrote.
        self.locked.store(false, Ordering::Release);
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Opens the lock and returns it. A thread that is killed before that opens the lock as it
    /// unwinds.
    #[track_caller]
    pub(super) fn unlock(self) -> &'a Mutex<T> {
        self.mutex.release();
        let mutex = self.mutex;
        mem::forget(self);
        mutex
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: This thread holds the lock.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: This thread holds the lock.
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        let _shield = driver::shield();
        self.mutex.release();
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").finish_non_exhaustive()
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
