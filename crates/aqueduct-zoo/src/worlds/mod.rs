//! One room per checker. Each compiles the entries against its own atomics, slots, threads and waiting, under the same
//! names:
//!
//! - `AtomicBool`, `AtomicUsize`, `AtomicU8`, `AtomicU64`, `AtomicPtr`, `fence`: std's names and signatures, but for
//!   `new`, which is not const in loom.
//! - `Slot<T>`: a plain location with `new`, `get` (a copy), `set`, `take`; races on it are looked for.
//! - `Box`-like memory: `allocate(value) -> *mut T`, `free(pointer)`, and `Slot`s or atomics inside.
//! - `spawn`, `Thread::join`, `await_until(condition)`: the last waits in the way that suits the checker.
//! - `Mutex`, `Condvar`, `park`, `current` with `unpark`, `Arc` of std for sharing.

#![allow(clippy::duplicate_mod, reason = "the same entries in each world is what this is for")]

pub(crate) mod aqueduct;
pub(crate) mod loom;
pub(crate) mod shuttle;
