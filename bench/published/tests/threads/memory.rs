//! The package's module `sync` with the checker's types: memory and slots.

use aqueduct_model::alloc::{Layout, alloc, dealloc};
use aqueduct_model::sync::atomic::{Ordering, fence};

pub(crate) use crate::slot::Slot;

/// Objects are freed as soon as they can be.
pub(crate) const GIVEN_UP_FOR_HELD: usize = 0;

/// The full barrier that the processor's locked instruction before it is.
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

/// Frees the memory of a value. It does not drop its parts, which a wrong queue may still use.
pub(crate) unsafe fn free<T>(value: *mut T) {
    // SAFETY: the caller's promise.
    unsafe { dealloc(value.cast(), Layout::new::<T>()) };
}
