//! Readers or one writer, as in `std::sync`. No lock is ever poisoned: a panic fails the execution.

use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{LockResult, TryLockError, TryLockResult};

use crate::hint::await_here;
use crate::runtime::driver;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// The state while a thread writes. Otherwise the state counts the readers.
const WRITER: usize = usize::MAX;

/// A [`std::sync::RwLock`] in which neither side has precedence.
pub struct RwLock<T: ?Sized> {
    state: AtomicUsize,
    value: UnsafeCell<T>,
}

// SAFETY: One thread at a time owns the value, as with `std`'s.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: Many threads reach the value by reference, or one by exclusive reference, as with
// `std`'s.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

// `std`'s is unwind-safe. No lock is poisoned here: a panic that does not end the execution is
// caught by the program.
impl<T: ?Sized> UnwindSafe for RwLock<T> {}
impl<T: ?Sized> RefUnwindSafe for RwLock<T> {}

/// A guard that ends a read when it is dropped.
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    /// Makes the guard neither `Send` nor `Sync`.
    bound_to_thread: PhantomData<*const T>,
}

// SAFETY: A shared guard gives other threads `&T` only.
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}

/// A guard that ends a write when it is dropped.
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    /// Makes the guard neither `Send` nor `Sync`.
    bound_to_thread: PhantomData<*const ()>,
}

// SAFETY: A shared guard gives other threads `&T` only.
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<T> RwLock<T> {
    /// Makes an open lock around a value.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self { state: AtomicUsize::new(0), value: UnsafeCell::new(value) }
    }

    /// Returns the value.
    ///
    /// # Errors
    /// It never fails.
    #[track_caller]
    pub fn into_inner(self) -> LockResult<T> {
        let Self { state, value } = self;
        let _ = state.into_inner();
        Ok(value.into_inner())
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until no thread writes, and reads.
    ///
    /// # Errors
    /// It never fails.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        await_here!(self.state.share(WRITER));
        Ok(RwLockReadGuard { lock: self, bound_to_thread: PhantomData })
    }

    /// Waits until no thread reads or writes, and writes.
    ///
    /// # Errors
    /// It never fails.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        await_here!(self.state.lock(WRITER));
        Ok(RwLockWriteGuard { lock: self, bound_to_thread: PhantomData })
    }

    /// Reads, unless another thread writes.
    ///
    /// # Errors
    /// `WouldBlock` if another thread writes, or another reader began in between.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        // Ordering: Relaxed, the exchange decides.
        let readers = self.state.load(Ordering::Relaxed);
        // Ordering: Acquire pairs with the Release store of a writer that unlocks; without it, the
        // reader does not see what that writer wrote. Relaxed failure: the lock was not taken.
        if readers != WRITER
            && (self.state.compare_exchange(readers, readers + 1, Ordering::Acquire, Ordering::Relaxed)).is_ok()
        {
            Ok(RwLockReadGuard { lock: self, bound_to_thread: PhantomData })
        } else {
            Err(TryLockError::WouldBlock)
        }
    }

    /// Writes, unless another thread reads or writes.
    ///
    /// # Errors
    /// `WouldBlock` if another thread does.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        // Ordering: Acquire pairs with the Release of the writer before, and of each reader that
        // has unlocked; without it, this writer races with their accesses. Relaxed failure: the
        // lock was not taken.
        match self.state.compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Ok(RwLockWriteGuard { lock: self, bound_to_thread: PhantomData }),
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
        self.state.get_mut();
        Ok(self.value.get_mut())
    }
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Reads on, without a moment at which another thread could write. Other threads can read, too.
    #[track_caller]
    pub fn downgrade(this: Self) -> RwLockReadGuard<'a, T> {
        let lock = this.lock;
        // Ordering: Release pairs with the Acquire exchange of the next reader, which sees what
        // this writer wrote.
        lock.state.store(1, Ordering::Release);
        mem::forget(this);
        RwLockReadGuard { lock, bound_to_thread: PhantomData }
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: This thread reads, so no thread writes.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        let _shield = driver::shield();
        // Ordering: Release pairs with the Acquire exchange of the next writer: this reader has
        // finished reading.
        self.lock.state.fetch_sub(1, Ordering::Release);
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: This thread alone has the lock.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: This thread alone has the lock.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    #[track_caller]
    fn drop(&mut self) {
        let _shield = driver::shield();
        // Ordering: Release pairs with the Acquire exchange of the next reader or writer, which
        // sees the writes.
        self.lock.state.store(0, Ordering::Release);
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RwLock").finish_non_exhaustive()
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
