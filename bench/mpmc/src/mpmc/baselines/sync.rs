//! The building blocks of the baselines. Tests compile some of them a second time, with the model checker's instead.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

#[cfg(target_arch = "x86_64")]
pub(crate) use std::sync::atomic::{AtomicI64, fence};
pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

#[cfg(target_arch = "x86_64")]
pub(crate) use crate::nblfq::queues::pair::Pair;

/// How many times as many objects as can be held are given up before some are freed.
pub(crate) const GIVEN_UP_FOR_HELD: usize = 2;

/// The barrier that a locked instruction of x86-64 is, which comes just before: for the compiler alone.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn barrier_of_locked() {
    std::sync::atomic::compiler_fence(Ordering::SeqCst);
}

/// Puts a value into memory of its own.
pub(crate) fn make<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Drops a value and frees its memory.
///
/// # Safety
/// It came from [`make`], and nobody uses it any more.
pub(crate) unsafe fn free<T>(value: *mut T) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(value) });
}

/// A place for a value. The thread that owns it may write or read it.
#[derive(Debug)]
pub(crate) struct Slot<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: a slot does nothing by itself; callers of `write` and `read` promise that they do not race.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T: Copy> Slot<T> {
    pub(crate) fn empty() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// # Safety
    /// Nobody else uses the slot meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn write(&self, value: T) {
        // SAFETY: the caller's promise.
        unsafe { (*self.0.get()).write(value) };
    }

    /// # Safety
    /// It has been written, and nobody writes it meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn read(&self) -> T {
        // SAFETY: the caller's promise.
        unsafe { (*self.0.get()).assume_init_read() }
    }
}
