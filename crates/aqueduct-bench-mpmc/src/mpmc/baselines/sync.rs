//! The building blocks of the baselines. A test compiles the published BBQ a second time, with the model checker's
//! instead.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

pub(crate) use std::sync::atomic::{AtomicU64, Ordering};

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
