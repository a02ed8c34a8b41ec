//! Queues of papers and of other programs that are in no registry, written after their authors'
//! descriptions: rivals for the benches, which measure them with the feature `published`.
//!
//! A function that is not generic and runs in an operation has `#[inline]`: the measured loop is in
//! another crate, where the compiler decides about it as it would within one crate.
//!
//! Most take the types that threads share from `sync`, so that tests compile them with the model
//! checker's.

pub mod deque;
pub mod drop_old;
// These two stand beside the bench's own lock-free queues, which a build without this package has,
// too.
#[path = "../../mpmc/src/nblfq/queues/memory.rs"]
mod memory;
pub mod mpmc;
#[cfg(target_arch = "x86_64")]
#[allow(dead_code, reason = "the bench's queues use the rest")]
#[path = "../../mpmc/src/nblfq/queues/pair.rs"]
mod pair;
pub mod records;
pub mod relaxed;
mod sync;

pub use sync::Slot;
