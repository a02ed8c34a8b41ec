//! As the baselines' module `sync`, but checked: memory and slots.

use aqueduct_model::alloc::{Layout, alloc, dealloc};
use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::sync::atomic::{Ordering, fence};

/// Objects are freed as soon as they can be.
pub(crate) const GIVEN_UP_FOR_HELD: usize = 0;

/// What the processor's locked instruction is besides.
pub(crate) fn barrier_of_locked() {
    fence(Ordering::SeqCst);
}

pub(crate) fn make<T>(value: T) -> *mut T {
    // SAFETY: none of the values has no size.
    let memory = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    // SAFETY: freshly allocated with this layout.
    unsafe { memory.write(value) };
    memory
}

/// Frees the memory of a value, whose parts need no drop.
pub(crate) unsafe fn free<T>(value: *mut T) {
    // SAFETY: the caller's promise.
    unsafe { dealloc(value.cast(), Layout::new::<T>()) };
}

#[derive(Debug)]
pub(crate) struct Slot<T>(UnsafeCell<Option<T>>);

// SAFETY: the checker reports accesses that race before they can do harm.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T: Copy> Slot<T> {
    pub(crate) fn empty() -> Self {
        Self(UnsafeCell::new(None))
    }

    pub(crate) unsafe fn write(&self, value: T) {
        // SAFETY: the checker has found no race.
        self.0.with_mut(|slot| unsafe { *slot = Some(value) });
    }

    pub(crate) unsafe fn read(&self) -> T {
        // SAFETY: the checker has found no race.
        self.0.with(|slot| unsafe { *slot }).expect("an entry is read after it was written")
    }
}
