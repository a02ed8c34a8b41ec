//! Pointers into cells that are accesses as long as they live.

use std::fmt;

use crate::graph::event::Kind;
use crate::runtime::driver::is_unwinding;
use crate::runtime::place::Tag;

/// An access that lasts until it is dropped. It knows the cell by what the cell knows of itself, so that it may outlive it:
/// that would be a bug of the program, which the model finds.
#[derive(Debug)]
pub(super) struct Access {
    tag: Tag,
    kind: Kind,
    began: usize,
}

impl Access {
    #[track_caller]
    pub(super) fn begin(tag: &Tag, kind: Kind) -> Self {
        let began = super::access(tag, kind);
        Self { tag: tag.clone(), kind, began }
    }
}

impl Drop for Access {
    #[track_caller]
    fn drop(&mut self) {
        if !is_unwinding() {
            super::finish(&self.tag, self.kind, self.began);
        }
    }
}

/// A pointer to read through, from [`UnsafeCell::get`](super::UnsafeCell::get).
pub struct ConstPtr<T: ?Sized> {
    pub(super) pointer: *const T,
    pub(super) _access: Access,
}

/// A pointer to write through, from [`UnsafeCell::get_mut`](super::UnsafeCell::get_mut).
pub struct MutPtr<T: ?Sized> {
    pub(super) pointer: *mut T,
    pub(super) _access: Access,
}

impl<T: ?Sized> ConstPtr<T> {
    /// The value.
    ///
    /// # Safety
    ///
    /// As for any pointer, but for the races that the model finds.
    #[must_use]
    pub unsafe fn deref(&self) -> &T {
        // SAFETY: The caller promises it.
        unsafe { &*self.pointer }
    }

    /// Uses the pointer.
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*const T) -> R,
    {
        f(self.pointer)
    }
}

impl<T: ?Sized> MutPtr<T> {
    /// The value.
    ///
    /// # Safety
    ///
    /// As for any pointer, but for the races that the model finds: there is no other reference to the value.
    #[allow(clippy::mut_from_ref, reason = "loom's signature; it is unsafe for that reason")]
    #[must_use]
    pub unsafe fn deref(&self) -> &mut T {
        // SAFETY: The caller promises it.
        unsafe { &mut *self.pointer }
    }

    /// Uses the pointer.
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*mut T) -> R,
    {
        f(self.pointer)
    }
}

impl<T: ?Sized> fmt::Debug for ConstPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConstPtr").finish_non_exhaustive()
    }
}

impl<T: ?Sized> fmt::Debug for MutPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MutPtr").finish_non_exhaustive()
    }
}
