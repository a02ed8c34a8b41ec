//! The `sync` module of the recorder's ring: every access is an event of the execution that the
//! model checker explores.

pub use aqueduct_model::sync::atomic::AtomicU64;
pub(crate) use aqueduct_model::sync::atomic::{Ordering, fence};
