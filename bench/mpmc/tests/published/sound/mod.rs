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

#[path = "../../../src/cnq/relaxed/block_fifo.rs"]
mod block_fifo;
#[path = "../../../src/cnq/relaxed/dice.rs"]
mod dice;
#[path = "../../../src/cnq/relaxed/epochs.rs"]
mod epochs;
#[path = "../../../src/cnq/relaxed/list.rs"]
mod list;
#[path = "../../../src/cnq/relaxed/random_dequeue.rs"]
mod random_dequeue;
#[path = "../../../src/cnq/relaxed/segment_queue.rs"]
mod segment_queue;
#[path = "../../../src/cnq/relaxed/segments.rs"]
mod segments;
#[path = "../../../src/cnq/relaxed/time_stamped.rs"]
mod time_stamped;
#[path = "../../../src/cnq/relaxed/unbounded_segments.rs"]
mod unbounded_segments;
#[path = "../../../src/cnq/relaxed/words.rs"]
mod words;

mod sync {
    pub(super) use super::super::memory::{GIVEN_UP_FOR_HELD, Slot, barrier_of_locked, free, make};
    pub(super) use super::pair::Pair;
    pub(super) use aqueduct_model::sync::atomic::{AtomicI64, AtomicPtr, AtomicU64, Ordering, fence};
}
