//! Pointers into cells. Each use of a pointer is an access.

use std::cell::Cell;
use std::fmt;
use std::panic::RefUnwindSafe;

use crate::graph::event::Kind;
use crate::runtime::place::Tag;
use crate::runtime::{driver, inside};

/// A pointer's link to its cell. It may outlive the cell; a use of it then is the program's bug,
/// which the model finds.
pub(super) struct Access {
    tag: Tag,
    kind: Kind,
    /// The number of events of the thread after the last access.
    last: Cell<usize>,
}

impl Access {
    #[track_caller]
    pub(super) fn begin(tag: &Tag, kind: Kind) -> Self {
        let last = super::access(tag, kind);
        Self { tag: tag.clone(), kind, last: Cell::new(last) }
    }

    /// Notes a use of the pointer. It is an access of its own if the thread has had an event since
    /// the last one.
    #[track_caller]
    fn again(&self) {
        if inside() && driver::ask(|engine| engine.position()) != self.last.get() {
            self.last.set(super::access(&self.tag, self.kind));
        }
    }
}

/// A pointer to read through, from [`UnsafeCell::get`](super::UnsafeCell::get).
pub struct ConstPtr<T: ?Sized> {
    pub(super) pointer: *const T,
    pub(super) access: Access,
}

/// A pointer to write through, from [`UnsafeCell::get_mut`](super::UnsafeCell::get_mut).
pub struct MutPtr<T: ?Sized> {
    pub(super) pointer: *mut T,
    pub(super) access: Access,
}

// They are unwind-safe like `*const T` and `*mut T`: a panic leaves none of their other fields half
// changed.
impl<T: ?Sized + RefUnwindSafe> RefUnwindSafe for ConstPtr<T> {}
impl<T: ?Sized + RefUnwindSafe> RefUnwindSafe for MutPtr<T> {}

impl<T: ?Sized> ConstPtr<T> {
    /// Returns a reference to the value.
    ///
    /// # Safety
    ///
    /// The conditions of any pointer, except for the races that the model finds.
    #[must_use]
    #[track_caller]
    pub unsafe fn deref(&self) -> &T {
        self.access.again();
        // SAFETY: The caller promises it.
        unsafe { &*self.pointer }
    }

    /// Uses the pointer.
    #[track_caller]
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*const T) -> R,
    {
        self.access.again();
        let result = f(self.pointer);
        self.access.again();
        result
    }
}

impl<T: ?Sized> MutPtr<T> {
    /// Returns a reference to the value.
    ///
    /// # Safety
    ///
    /// The conditions of any pointer, except for the races that the model finds: there is no other
    /// reference to the value.
    #[allow(clippy::mut_from_ref, reason = "loom's signature; it is unsafe for that reason")]
    #[must_use]
    #[track_caller]
    pub unsafe fn deref(&self) -> &mut T {
        self.access.again();
        // SAFETY: The caller promises it.
        unsafe { &mut *self.pointer }
    }

    /// Uses the pointer.
    #[track_caller]
    pub fn with<F, R>(&self, f: F) -> R
    where
        F: FnOnce(*mut T) -> R,
    {
        self.access.again();
        let result = f(self.pointer);
        self.access.again();
        result
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
