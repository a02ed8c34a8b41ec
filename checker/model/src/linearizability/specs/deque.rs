//! A work-stealing deque.

use super::Item;
use super::queue::{Items, QueueResult, newest, oldest};
use crate::linearizability::Spec;

/// A call on a work-stealing deque.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DequeOp<T> {
    /// The owner adds an item.
    Push(T),
    /// The owner takes an item.
    Pop,
    /// A thief takes an item.
    Steal,
}

/// A work-stealing deque. Thieves take the oldest item.
///
/// The owner takes the newest item ([`lifo`](Self::lifo)) or the oldest one ([`fifo`](Self::fifo)).
/// A thief that lost a race returns `Busy`, elsewhere called `Retry`. The deque is unbounded at
/// first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Deque<T> {
    items: Items<T>,
    takes_newest: bool,
    steals_anywhere: bool,
    hidden: usize,
}

impl<T: Item> Deque<T> {
    /// Makes an empty deque whose owner takes the newest item.
    #[must_use]
    pub fn lifo() -> Self {
        Self { items: Items::new(), takes_newest: true, steals_anywhere: false, hidden: 0 }
    }

    /// Makes an empty deque whose owner takes the oldest item.
    #[must_use]
    pub fn fifo() -> Self {
        Self { takes_newest: false, ..Self::lifo() }
    }

    /// Returns this deque with a capacity: a `Push` returns `Full` if there are `capacity` items,
    /// and only then.
    #[must_use]
    pub fn bounded(mut self, capacity: usize) -> Self {
        self.items.bound(capacity, capacity);
        self
    }

    /// Returns this deque with thieves that may take any item, not only the oldest one.
    #[must_use]
    pub fn steals_anywhere(mut self) -> Self {
        self.steals_anywhere = true;
        self
    }

    /// Returns this deque with up to `items` items that the owner may hide: with that number or
    /// fewer, a `Steal` may return `Empty`.
    #[must_use]
    pub fn hides(mut self, items: usize) -> Self {
        self.hidden = items;
        self
    }
}

impl<T: Item> Spec for Deque<T> {
    type Input = DequeOp<T>;
    type Output = QueueResult<T>;

    fn apply(&mut self, input: &DequeOp<T>, output: &QueueResult<T>) -> bool {
        match input {
            DequeOp::Push(item) => self.items.push(item, output),
            DequeOp::Pop => self.items.take(output, 0, if self.takes_newest { newest } else { oldest }),
            DequeOp::Steal if self.steals_anywhere => {
                self.items.take(output, self.hidden, |items, item| items.iter().position(|other| other == item))
            }
            DequeOp::Steal => self.items.take(output, self.hidden, oldest),
        }
    }

    fn excused_by_overlap(&self, _input: &DequeOp<T>, output: &QueueResult<T>) -> bool {
        *output == QueueResult::Busy
    }
}
