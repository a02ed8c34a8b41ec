//! The building blocks of the queues. Tests compile most of the queues a second time, with the
//! model checker's instead.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

pub(crate) use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

pub(crate) use crate::memory::{free, make};
#[cfg(target_arch = "x86_64")]
pub(crate) use crate::pair::Pair;

/// Objects that are given up before some are freed, as a multiple of those that can be held.
pub(crate) const GIVEN_UP_FOR_HELD: usize = 2;

/// A barrier for the compiler alone: the locked instruction of x86-64 just before it is the
/// processor's barrier.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn barrier_of_locked() {
    std::sync::atomic::compiler_fence(Ordering::SeqCst);
}

/// A place for a value. The thread that owns it may write or read it.
#[derive(Debug)]
pub struct Slot<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: a slot does nothing by itself; callers of `write` and `read` promise that they do not
// race.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T: Copy> Slot<T> {
    /// Makes a place without a value.
    pub fn empty() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Puts a value there.
    ///
    /// # Safety
    /// No other thread uses the slot meanwhile.
    #[inline(always)]
    pub unsafe fn write(&self, value: T) {
        // SAFETY: the caller's promise.
        unsafe { (*self.0.get()).write(value) };
    }

    /// Returns the value.
    ///
    /// # Safety
    /// It has been written, and no thread writes it meanwhile.
    #[inline(always)]
    pub unsafe fn read(&self) -> T {
        // SAFETY: the caller's promise.
        unsafe { (*self.0.get()).assume_init_read() }
    }
}
