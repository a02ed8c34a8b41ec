//! Other crates' queues that no other module has.

use std::sync::Arc;

use super::concurrent::Concurrent;
use crate::mpmc::Item;

/// `crossbeam-queue`'s queue of segments: it is unbounded.
#[derive(Clone)]
pub(super) struct SegQueue(Arc<crossbeam_queue::SegQueue<Item>>);

impl Concurrent for SegQueue {
    const NAME: &'static str = "crossbeam-queue/seg_queue";

    fn open(_capacity: usize) -> Result<Self, String> {
        Ok(Self(Arc::default()))
    }

    #[inline(always)]
    fn push(&self, item: Item) -> bool {
        self.0.push(item);
        true
    }

    #[inline(always)]
    fn pop(&self) -> Option<Item> {
        self.0.pop()
    }
}
