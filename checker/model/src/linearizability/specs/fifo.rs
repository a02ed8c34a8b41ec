//! A queue: first in, first out.

use super::Item;
use super::queue::{Items, QueueOp, QueueResult, oldest};
use crate::linearizability::Spec;

/// A queue: a `Pop` takes the oldest item, and returns `Empty` only if there is none.
///
/// It is unbounded at first: a `Push` never fails.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fifo<T> {
    items: Items<T>,
}

impl<T: Item> Fifo<T> {
    /// Makes an empty queue without bound.
    #[must_use]
    pub fn new() -> Self {
        Self { items: Items::new() }
    }

    /// Returns this queue with a capacity: a `Push` returns `Full` if there are `capacity` items,
    /// and only then.
    #[must_use]
    pub fn bounded(self, capacity: usize) -> Self {
        self.bounded_between(capacity, capacity)
    }

    /// Returns this queue with a capacity that is not exact.
    ///
    /// A `Push` may return `Full` from `least` items on, and must from `most` items on.
    ///
    /// # Panics
    ///
    /// If `least` is more than `most`.
    #[must_use]
    pub fn bounded_between(mut self, least: usize, most: usize) -> Self {
        self.items.bound(least, most);
        self
    }
}

impl<T: Item> Default for Fifo<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Item> Spec for Fifo<T> {
    type Input = QueueOp<T>;
    type Output = QueueResult<T>;

    fn apply(&mut self, input: &QueueOp<T>, output: &QueueResult<T>) -> bool {
        match input {
            QueueOp::Push(item) => self.items.push(item, output),
            QueueOp::Pop => self.items.take(output, 0, oldest),
        }
    }

    fn excused_by_overlap(&self, _input: &QueueOp<T>, output: &QueueResult<T>) -> bool {
        *output == QueueResult::Busy
    }
}
