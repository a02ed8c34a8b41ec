//! LOO, as the benchmarks run it.

use std::sync::Arc;

use super::loo::Loo;
use crate::mpmc::Item;
use crate::nblfq::concurrent::Concurrent;

/// Slots of an array, as the authors have them.
const SLOTS: usize = 1024;

/// The queue, as all threads have it. It has no bound.
#[derive(Clone)]
pub(in crate::nblfq) struct Looping(Arc<Loo<SLOTS>>);

impl Concurrent for Looping {
    const NAME: &'static str = "published/loo";

    fn open(_capacity: usize) -> Result<Self, String> {
        Ok(Self(Arc::new(Loo::new())))
    }

    #[inline(always)]
    fn push(&self, item: Item) -> bool {
        self.0.push(item.get());
        true
    }

    #[inline(always)]
    fn pop(&self) -> Option<Item> {
        Item::new(self.0.pop()?)
    }
}
