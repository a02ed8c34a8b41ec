//! The queues on the model checker's atomics.

#[path = "../../../src/mpmc/cr_turn.rs"]
mod cr_turn;
#[path = "../../../src/mpmc/hazards.rs"]
mod hazards;
#[path = "../../../../mpmc/src/nblfq/queues/loo.rs"]
mod loo;
#[path = "../pair.rs"]
mod pair;
#[path = "../programs.rs"]
pub(crate) mod programs;

#[path = "../../../src/mpmc/wcq/mod.rs"]
mod wcq;
#[path = "../../../src/mpmc/ymc/mod.rs"]
mod ymc;

#[path = "../../../src/relaxed/block_fifo.rs"]
mod block_fifo;
#[path = "../../../src/relaxed/dice.rs"]
mod dice;
#[path = "../../../src/relaxed/epochs.rs"]
mod epochs;
#[path = "../../../src/relaxed/list.rs"]
mod list;
#[path = "../../../src/relaxed/random_dequeue.rs"]
mod random_dequeue;
#[path = "../../../src/relaxed/segment_queue.rs"]
mod segment_queue;
#[path = "../../../src/relaxed/segments.rs"]
mod segments;
#[path = "../../../src/relaxed/time_stamped.rs"]
mod time_stamped;
#[path = "../../../src/relaxed/unbounded_segments.rs"]
mod unbounded_segments;
#[path = "../../../src/relaxed/words.rs"]
mod words;

mod sync {
    pub(super) use super::super::memory::{GIVEN_UP_FOR_HELD, Slot, barrier_of_locked, free, make};
    pub(super) use super::pair::Pair;
    pub(super) use aqueduct_model::sync::atomic::{AtomicI64, AtomicPtr, AtomicU64, Ordering, fence};
}
