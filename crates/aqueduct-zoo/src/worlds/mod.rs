//! One module per checker. Each compiles the entries against its own atomics, slots, threads and waiting, under the
//! same names:
//!
//! - `AtomicBool`, `AtomicUsize`, `AtomicU8`, `AtomicPtr`, `fence`: std's names and signatures, but for `new`, which is
//!   not const in loom.
//! - `Slot<T>`: a plain location with `new`, `get` (a copy), `set`; our checker and loom look for races on it.
//! - Memory: `allocate(value) -> *mut T` and `free(pointer)`, with `Slot`s or atomics inside.
//! - `spawn`, `Mutex`, `Condvar`, and `await_until(condition)`, which waits in the way that suits the checker. What
//!   threads share, they share by std's `Arc`, or by `Shared`.

#![allow(clippy::duplicate_mod, reason = "the same entries in each world is what this is for")]

pub(crate) mod aqueduct;
pub(crate) mod loom;
pub(crate) mod shuttle;

/// Memory that threads share by its address, as the two sides of a channel do. It does not free itself: its users
/// decide which of them does.
pub(crate) struct Shared<T>(*mut T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<T> {}

// SAFETY: it only hands the address on; each use is judged by itself.
unsafe impl<T: Sync> Send for Shared<T> {}

impl<T> Shared<T> {
    pub(crate) fn new(pointer: *mut T) -> Self {
        Self(pointer)
    }

    /// For `free`.
    pub(crate) fn pointer(self) -> *mut T {
        self.0
    }

    /// Returns what is there.
    ///
    /// # Safety
    /// It has not been freed. What the entries get wrong about that, the checkers are to find.
    pub(crate) unsafe fn get<'a>(self) -> &'a T {
        // SAFETY: the caller's promise.
        unsafe { &*self.0 }
    }
}
