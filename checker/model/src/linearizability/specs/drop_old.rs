//! A queue that drops its oldest items when it is full.

use std::collections::VecDeque;

use super::Item;
use super::queue::{QueueOp, QueueResult};
use crate::linearizability::Spec;

/// A queue that drops its oldest items when it is full, so that a `Push` never fails.
///
/// A `Pop` returns the oldest item that is left, and how many items were dropped since the last
/// popped one: `Popped((item, lost))`. The capacity consists of blocks, and a block is dropped as a
/// whole, when the first item of a block that needs its place is pushed. With blocks of one item,
/// exactly as many items are dropped as necessary.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DropOld<T> {
    items: VecDeque<T>,
    /// The number of items that have been pushed.
    pushed: usize,
    /// The number of items that have been dropped since the last pop.
    lost: usize,
    blocks: usize,
    entries: usize,
    spare: usize,
}

impl<T: Item> DropOld<T> {
    /// Makes an empty queue for `capacity` items, which drops one item at a time.
    ///
    /// # Panics
    ///
    /// If `capacity` is 0.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self::in_blocks(capacity, 1)
    }

    /// Makes an empty queue with `blocks` blocks of `entries` items.
    ///
    /// # Panics
    ///
    /// If one of them is 0.
    #[must_use]
    pub fn in_blocks(blocks: usize, entries: usize) -> Self {
        assert!(blocks > 0 && entries > 0, "a queue needs room for an item, not {blocks} blocks of {entries}");
        Self { items: VecDeque::new(), pushed: 0, lost: 0, blocks, entries, spare: 0 }
    }

    /// Returns this queue with `spare` blocks beyond its promise.
    ///
    /// If all blocks are in use, a `Pop` may skip the items of the oldest ones. Then they count as
    /// dropped.
    ///
    /// # Panics
    ///
    /// If no block is left for the promise.
    #[must_use]
    pub fn with_spare(self, spare: usize) -> Self {
        assert!(spare < self.blocks, "{spare} of {} blocks cannot be spare", self.blocks);
        Self { spare, ..self }
    }

    /// Returns how many of the present items a `Pop` may skip.
    fn not_promised(&self) -> usize {
        let block = self.pushed.saturating_sub(1) / self.entries;
        let promised = self.pushed - (block + 1).saturating_sub(self.blocks - self.spare) * self.entries;
        self.items.len().saturating_sub(promised)
    }

    fn push(&mut self, item: &T) {
        let block = self.pushed / self.entries;
        self.pushed += 1;
        self.items.push_back(item.clone());
        // These items may be present: those in this block, and in the blocks before it that keep
        // their places.
        let oldest = (block + 1).saturating_sub(self.blocks) * self.entries;
        let kept = self.pushed - oldest;
        while self.items.len() > kept {
            self.items.pop_front();
            self.lost += 1;
        }
    }
}

impl<T: Item> Spec for DropOld<T> {
    type Input = QueueOp<T>;
    type Output = QueueResult<(T, usize)>;

    fn apply(&mut self, input: &QueueOp<T>, output: &QueueResult<(T, usize)>) -> bool {
        match (input, output) {
            (QueueOp::Push(item), QueueResult::Pushed) => {
                self.push(item);
                true
            }
            (QueueOp::Pop, QueueResult::Popped((item, lost))) => {
                let Some(passed) = lost.checked_sub(std::mem::take(&mut self.lost)) else { return false };
                if passed > self.not_promised() {
                    return false;
                }
                self.items.drain(..passed);
                self.items.pop_front().as_ref() == Some(item)
            }
            (QueueOp::Pop, QueueResult::Empty) => self.items.is_empty(),
            _ => false,
        }
    }

    fn excused_by_overlap(&self, _input: &QueueOp<T>, output: &QueueResult<(T, usize)>) -> bool {
        *output == QueueResult::Busy
    }
}
