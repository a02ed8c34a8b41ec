//! The queues on the model checker's atomics.

#[path = "../../../src/mpmc/baselines/cr_turn.rs"]
mod cr_turn;
#[path = "../../../src/mpmc/baselines/hazards.rs"]
mod hazards;
#[path = "../../../src/mpmc/baselines/loo.rs"]
mod loo;
#[path = "../programs.rs"]
pub(crate) mod programs;

mod sync {
    pub(super) use super::super::memory::{GIVEN_UP_FOR_HELD, free, make};
    pub(super) use aqueduct_model::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
}
