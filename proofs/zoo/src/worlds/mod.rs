//! One module per checker. Each compiles the entries, and the programs of `speed`, against its own
//! atomics, slots, threads and waiting, under common names:
//!
//! - `AtomicBool`, `AtomicUsize`, `AtomicU8`, `AtomicPtr`, `fence`: std's names and signatures,
//!   except for `new`, which is not const in loom.
//! - `Slot<T>`: a plain location with `new`, `get` (a copy), `set`; our checker and loom look for
//!   races on it.
//! - Memory: `allocate(value) -> *mut T` and `free(pointer)`, with `Slot`s or atomics inside.
//! - `spawn`, `JoinHandle`, `Mutex`, `Condvar`, and `await_until(condition)`, which waits in the
//!   way that suits the checker. Threads share values by std's `Arc`, or by `Shared`.

#![allow(clippy::duplicate_mod, reason = "the same programs in each world is what this is for")]

pub(crate) mod aqueduct;
#[cfg(feature = "rivals")]
pub(crate) mod loom;
#[cfg(feature = "rivals")]
pub(crate) mod shuttle;

/// Memory that threads share by its address, as the two sides of a channel do. One of its users
/// frees it.
pub(crate) struct Shared<T>(*mut T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<T> {}

// SAFETY: it only passes the address on; each use has its own argument.
unsafe impl<T: Sync> Send for Shared<T> {}

impl<T> Shared<T> {
    pub(crate) fn new(pointer: *mut T) -> Self {
        Self(pointer)
    }

    /// Returns the address, for `free`.
    pub(crate) fn pointer(self) -> *mut T {
        self.0
    }

    /// Returns the value.
    ///
    /// # Safety
    /// It has not been freed. The checkers find the entries' violations.
    pub(crate) unsafe fn get<'a>(self) -> &'a T {
        // SAFETY: the caller's promise.
        unsafe { &*self.0 }
    }
}
