//! The building blocks of the published queue. A test compiles it a second time, with the model checker's instead.

pub(super) use std::sync::atomic::{AtomicU64, Ordering};
