//! The building blocks of the published queues. A test compiles those queues a second time, with the model checker's
//! instead.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

pub(super) use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

/// A place for a value. The thread that owns it may write or read it.
#[derive(Debug)]
pub(super) struct Slot<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: a slot does nothing by itself; callers of `write` and `read` promise that they do not race.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T: Copy> Slot<T> {
    pub(super) fn empty() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// # Safety
    /// Nobody else uses the slot meanwhile.
    #[inline(always)]
    pub(super) unsafe fn write(&self, value: T) {
        // SAFETY: the caller's promise.
        unsafe { (*self.0.get()).write(value) };
    }

    /// # Safety
    /// It has been written, and nobody writes it meanwhile.
    #[inline(always)]
    pub(super) unsafe fn read(&self) -> T {
        // SAFETY: the caller's promise.
        unsafe { (*self.0.get()).assume_init_read() }
    }
}
