//! Bytes of a queue, as a grant or a record holds them.

use core::ptr::NonNull;

/// Bytes that are this handle's until it gives them back.
///
/// A reference would have to be valid for as long as a function has the handle as its argument, but
/// that function gives the bytes back, and another thread reads or writes them before it returns.
pub(super) struct Lent(NonNull<[u8]>);

// SAFETY: it stands for a reference to bytes.
unsafe impl Send for Lent {}
// SAFETY: as for `Send`.
unsafe impl Sync for Lent {}

impl Lent {
    pub(super) fn new(bytes: NonNull<[u8]>) -> Self {
        Self(bytes)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// # Safety
    /// The bytes are initialised and have not been given back, and no other thread writes them.
    #[inline(always)]
    pub(super) unsafe fn bytes(&self) -> &[u8] {
        // SAFETY: the caller's promise.
        unsafe { self.0.as_ref() }
    }

    /// # Safety
    /// The bytes are initialised and have not been given back, and no other thread accesses them.
    #[inline(always)]
    pub(super) unsafe fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the caller's promise.
        unsafe { self.0.as_mut() }
    }
}
