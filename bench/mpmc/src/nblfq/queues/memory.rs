//! Memory of single objects.

/// Puts a value into memory of its own.
pub(crate) fn make<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Drops a value and frees its memory.
///
/// # Safety
/// It came from [`make`], and no thread uses it any more.
pub(crate) unsafe fn free<T>(value: *mut T) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(value) });
}
