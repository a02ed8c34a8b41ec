//! The building blocks of the queues. `aqueduct-bench-published` compiles some of these files with
//! its own names.

pub(super) use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

pub(super) use super::memory::{free, make};
