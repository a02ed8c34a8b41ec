//! The only module of the ring that names atomics.
//!
//! The packages `aqueduct-recorder-under-model` and `aqueduct-faults` compile the ring with their
//! own version of this module.

pub use core::sync::atomic::AtomicU64;
pub(crate) use core::sync::atomic::{Ordering, fence};
