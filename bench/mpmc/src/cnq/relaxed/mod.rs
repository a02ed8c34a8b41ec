//! Relaxed queues that are in no registry, written after their authors' descriptions: further queues of comparison.
//!
//! - [`distributed`]: many small queues behind a balancer: round robin, the better of two random ones, the least
//!   recently used one (Haas and others, "Distributed queues in shared memory", CF 2013), or each producer's own
//!   (Haas and others, "Local Linearizability for Concurrent Container-Type Data Structures", CONCUR 2016).
//!   They are bounded rings here, each with a part of the capacity; the authors' are unbounded lists.
//! - [`segments`] and [`unbounded_segments`]: segments of `k` slots, with and without a bound (BSQ and USQ of the
//!   thesis).
//! - [`segment_queue`] and [`random_dequeue`]: segments whose slots are used once, and a list of which a pop takes one
//!   of the first nodes (SQ and RDQ).
//! - [`time_stamped`]: a list for each thread, and numbers of pushes (RTSQ).
//! - [`block_fifo`] and [`multi_fifo`]: windows of blocks, and rings with the times of their items.
//!
//! Those with an end for each thread use no more than `sync`, so that tests compile them with the model checker's.

mod block_fifo;
mod dice;
mod distributed;
mod ends;
mod epochs;
mod list;
mod multi_fifo;
mod partial;
mod random_dequeue;
mod segment_queue;
mod segments;
mod time_stamped;
mod unbounded_segments;
mod words;

use super::catalogue::{Contestant, Promise, opened};
use crate::mpmc::baselines::sync;
use dice::Dice;

/// Returns all of them, with these orders if they have one.
pub(super) fn all(orders: &[usize]) -> Vec<Contestant> {
    let mut all = vec![
        opened("relaxed/round_robin", true, Promise::Attempt, distributed::open::<distributed::Round>),
        opened("relaxed/two_choices", true, Promise::Attempt, distributed::open::<distributed::Choices>),
        opened("relaxed/least_recently_used", true, Promise::Attempt, distributed::open::<distributed::LeastRecent>),
        opened("relaxed/balanced_operations", true, Promise::Attempt, distributed::open::<distributed::Balanced>),
        opened("relaxed/multi_fifo", true, Promise::Attempt, multi_fifo::open),
        opened("relaxed/own_queues", true, Promise::Attempt, distributed::open::<distributed::Own>),
    ];
    all.push(opened("relaxed/time_stamped", true, Promise::PerProducer, ends::rtsq));
    all.push(opened("relaxed/block_fifo", true, Promise::Attempt, ends::block_fifo));
    for &k in orders {
        let promise = Promise::Order(k);
        all.extend([
            opened("relaxed/k_segment", true, promise, move |capacity, threads| ends::bsq(k, capacity, threads)),
            opened("relaxed/k_segment_unbounded", true, promise, move |_, threads| ends::usq(k, threads)),
            opened("relaxed/segment_queue", true, promise, move |_, threads| ends::sq(k, threads)),
            opened("relaxed/random_dequeue", true, promise, move |_, threads| ends::rdq(k, threads)),
        ]);
    }
    all
}
