//! A stack: last in, first out.

use super::Item;
use super::queue::{Items, QueueOp, QueueResult, newest};
use crate::linearizability::Spec;

/// A stack: a `Pop` takes the newest item, and returns `Empty` only if there is none.
///
/// It is unbounded at first: a `Push` never fails.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Stack<T> {
    items: Items<T>,
}

impl<T: Item> Stack<T> {
    /// Makes an empty stack without bound.
    #[must_use]
    pub fn new() -> Self {
        Self { items: Items::new() }
    }

    /// Returns this stack with a capacity: a `Push` returns `Full` if there are `capacity` items,
    /// and only then.
    #[must_use]
    pub fn bounded(mut self, capacity: usize) -> Self {
        self.items.bound(capacity, capacity);
        self
    }
}

impl<T: Item> Default for Stack<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Item> Spec for Stack<T> {
    type Input = QueueOp<T>;
    type Output = QueueResult<T>;

    fn apply(&mut self, input: &QueueOp<T>, output: &QueueResult<T>) -> bool {
        match input {
            QueueOp::Push(item) => self.items.push(item, output),
            QueueOp::Pop => self.items.take(output, 0, newest),
        }
    }

    fn excused_by_overlap(&self, _input: &QueueOp<T>, output: &QueueResult<T>) -> bool {
        *output == QueueResult::Busy
    }
}
