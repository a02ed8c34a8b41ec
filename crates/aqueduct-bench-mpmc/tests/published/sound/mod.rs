//! The queues on the model checker's atomics.

#[path = "../../../src/mpmc/baselines/cr_turn.rs"]
mod cr_turn;
#[path = "../../../src/mpmc/baselines/hazards.rs"]
mod hazards;
#[path = "../../../src/mpmc/baselines/loo.rs"]
mod loo;
#[path = "../pair.rs"]
mod pair;
#[path = "../programs.rs"]
pub(crate) mod programs;

#[path = "../../../src/mpmc/baselines/wcq/mod.rs"]
mod wcq;
#[path = "../../../src/mpmc/baselines/ymc/mod.rs"]
mod ymc;

mod sync {
    pub(super) use super::super::memory::{GIVEN_UP_FOR_HELD, Slot, barrier_of_locked, free, make};
    pub(super) use super::pair::Pair;
    pub(super) use aqueduct_model::sync::atomic::{AtomicI64, AtomicPtr, AtomicU64, Ordering, fence};
}
