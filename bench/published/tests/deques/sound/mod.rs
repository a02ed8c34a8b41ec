//! The published queues on the model checker's atomics.

#[path = "../../../src/deque/chase_lev.rs"]
#[allow(dead_code, reason = "lengths are only estimates")]
mod chase_lev;
#[path = "../../../src/deque/go.rs"]
#[allow(dead_code, reason = "lengths are only estimates")]
mod go;
#[path = "../programs.rs"]
pub(crate) mod programs;
#[path = "../../../src/deque/steal.rs"]
mod steal;
#[path = "../../../src/deque/tokio.rs"]
#[allow(dead_code, reason = "lengths are only estimates")]
mod tokio;

mod sync {
    pub(super) use super::super::slot::Slot;
    pub(super) use aqueduct_model::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};
}
