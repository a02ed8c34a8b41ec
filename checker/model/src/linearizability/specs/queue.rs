//! The common part of queues, stacks and deques: calls, results, items with a capacity.

use std::collections::VecDeque;
use std::fmt;

use super::Item;

/// A call on a queue or a stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QueueOp<T> {
    /// Adds an item.
    Push(T),
    /// Takes an item.
    Pop,
}

/// The result of a call on a queue, a stack or a deque.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QueueResult<T> {
    /// The item was added.
    Pushed,
    /// The item was not added, because the queue was full.
    Full,
    /// An item was taken.
    Popped(T),
    /// No item was taken, because there was none.
    Empty,
    /// The call did nothing, because another thread's call was in progress; for a steal this is
    /// `Retry`. Overlap excuses it; without it, it is an error.
    Busy,
}

/// A result is `Popped`, or `Empty` for `None`.
impl<T> From<Option<T>> for QueueResult<T> {
    fn from(popped: Option<T>) -> Self {
        popped.map_or(Self::Empty, Self::Popped)
    }
}

/// Items in the order in which they were added, with a capacity.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Items<T> {
    items: VecDeque<T>,
    /// A push may fail from this number of items on.
    least: usize,
    /// A push fails from this number of items on.
    most: usize,
}

impl<T: Item> Items<T> {
    /// Makes an empty list without a bound.
    pub(super) fn new() -> Self {
        Self { items: VecDeque::new(), least: usize::MAX, most: usize::MAX }
    }

    /// Sets the capacity to a number between the two.
    pub(super) fn bound(&mut self, least: usize, most: usize) {
        assert!(least <= most, "a capacity between {least} and {most} does not exist");
        (self.least, self.most) = (least, most);
    }

    /// Whether a push may have this result. If so, changes the state.
    pub(super) fn push(&mut self, item: &T, result: &QueueResult<T>) -> bool {
        match result {
            QueueResult::Pushed => {
                self.items.push_back(item.clone());
                self.items.len() <= self.most
            }
            QueueResult::Full => self.items.len() >= self.least,
            _ => false,
        }
    }

    /// Whether taking an item may have this result. If so, changes the state.
    ///
    /// `find` returns the index at which an item may be taken, if there is one. `Empty` is right if
    /// there are at most `missed` items.
    pub(super) fn take(
        &mut self,
        result: &QueueResult<T>,
        missed: usize,
        find: impl FnOnce(&VecDeque<T>, &T) -> Option<usize>,
    ) -> bool {
        match result {
            QueueResult::Popped(item) => match find(&self.items, item) {
                Some(at) => self.items.remove(at).is_some(),
                None => false,
            },
            QueueResult::Empty => self.items.len() <= missed,
            _ => false,
        }
    }
}

/// The items and, if it is bounded, the capacity.
impl<T: fmt::Debug> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)?;
        match (self.least, self.most) {
            (_, usize::MAX) => Ok(()),
            (least, most) if least == most => write!(f, " of {most}"),
            (least, most) => write!(f, " of {least} to {most}"),
        }
    }
}

/// Returns the index of the oldest item, if it is this one.
pub(super) fn oldest<T: Item>(items: &VecDeque<T>, item: &T) -> Option<usize> {
    (items.front() == Some(item)).then_some(0)
}

/// Returns the index of the newest item, if it is this one.
pub(super) fn newest<T: Item>(items: &VecDeque<T>, item: &T) -> Option<usize> {
    (items.back() == Some(item)).then(|| items.len() - 1)
}
