//! Lower bound of one thread's work: one slot, with plain loads and stores.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::concurrent::Concurrent;
use crate::mpmc::Item;

/// Holds one item, for one thread.
#[derive(Clone)]
pub(super) struct Slot(Arc<AtomicU64>);

impl Concurrent for Slot {
    const NAME: &'static str = "bound/one_slot";
    const PEER: bool = false;

    fn open(_capacity: usize) -> Result<Self, String> {
        Ok(Self(Arc::default()))
    }

    #[inline(always)]
    fn push(&self, item: Item) -> bool {
        // Ordering: relaxed here and below; one thread pushes and pops.
        let is_free = self.0.load(Ordering::Relaxed) == 0;
        if is_free {
            self.0.store(item.get(), Ordering::Relaxed);
        }
        is_free
    }

    #[inline(always)]
    fn pop(&self) -> Option<Item> {
        let item = Item::new(self.0.load(Ordering::Relaxed))?;
        self.0.store(0, Ordering::Relaxed);
        Some(item)
    }
}
