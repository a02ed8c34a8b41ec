//! A k-relaxed FIFO queue.

use super::Item;
use super::queue::{Items, QueueOp, QueueResult};
use crate::linearizability::Spec;

/// A queue whose order may be off by less than `k` items.
///
/// Two bounds have that name, and [`KFifo::new`] demands both:
///
/// - *rank*: a `Pop` takes one of the `k` oldest items;
/// - *lateness*: after an item has become the oldest, it is one of the next `k` that are taken.
///
/// With `k` = 1 it is a [`Fifo`](super::super::Fifo). `Empty` is exact. The queue is unbounded at
/// first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct KFifo<T> {
    items: Items<T>,
    rank: usize,
    lateness: usize,
    /// The number of items taken since the oldest one became the oldest; not counted without a
    /// bound on lateness.
    passed: usize,
}

impl<T: Item> KFifo<T> {
    /// Makes an empty queue with both bounds.
    ///
    /// # Panics
    ///
    /// If `k` is 0.
    #[must_use]
    pub fn new(k: usize) -> Self {
        Self::with_bounds(k, k)
    }

    /// Makes an empty queue with the bound on the rank alone.
    ///
    /// # Panics
    ///
    /// If `k` is 0.
    #[must_use]
    pub fn by_rank(k: usize) -> Self {
        Self::with_bounds(k, usize::MAX)
    }

    /// Makes an empty queue with the bound on the lateness alone.
    ///
    /// # Panics
    ///
    /// If `k` is 0.
    #[must_use]
    pub fn by_lateness(k: usize) -> Self {
        Self::with_bounds(usize::MAX, k)
    }

    fn with_bounds(rank: usize, lateness: usize) -> Self {
        assert!(rank > 0 && lateness > 0, "a k-FIFO queue has a k of 1, which is a FIFO queue, or more");
        Self { items: Items::new(), rank, lateness, passed: 0 }
    }

    /// Returns this queue with a capacity: a `Push` returns `Full` if there are `capacity` items,
    /// and only then.
    #[must_use]
    pub fn bounded(mut self, capacity: usize) -> Self {
        self.items.bound(capacity, capacity);
        self
    }
}

impl<T: Item> Spec for KFifo<T> {
    type Input = QueueOp<T>;
    type Output = QueueResult<T>;

    fn apply(&mut self, input: &QueueOp<T>, output: &QueueResult<T>) -> bool {
        let Self { items, rank, lateness, passed } = self;
        match input {
            QueueOp::Push(item) => items.push(item, output),
            QueueOp::Pop => items.take(output, 0, |items, item| {
                // Of equal items it takes the oldest: the choice makes no difference to what may
                // follow.
                let at = items.iter().take(*rank).position(|other| other == item)?;
                *passed = if at == 0 || *lateness == usize::MAX { 0 } else { *passed + 1 };
                (*passed < *lateness).then_some(at)
            }),
        }
    }

    fn excused_by_overlap(&self, _input: &QueueOp<T>, output: &QueueResult<T>) -> bool {
        *output == QueueResult::Busy
    }
}
