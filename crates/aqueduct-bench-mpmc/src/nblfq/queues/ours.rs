//! Our queues, of a size that is known when the program is built.

use std::sync::Arc;

use super::sync::nblfq::{Queue, wide};
use crate::mpmc::Item;
use crate::nblfq::concurrent::Concurrent;

/// The queue of tagged words.
#[derive(Clone)]
pub(in crate::nblfq) struct Tagged<const N: usize>(Arc<Queue<Item, N>>);

impl<const N: usize> Concurrent for Tagged<N> {
    const NAME: &'static str = "aqueduct/nblfq";
    const PEER: bool = false;

    fn open(_capacity: usize) -> Result<Self, String> {
        Ok(Self(Arc::new(Queue::new())))
    }

    #[inline(always)]
    fn push(&self, item: Item) -> bool {
        self.0.push(item).is_ok()
    }

    #[inline(always)]
    fn pop(&self) -> Option<Item> {
        self.0.pop().ok()
    }
}

/// The queue of pairs of words.
#[derive(Clone)]
pub(in crate::nblfq) struct Wide<const N: usize> {
    handle: wide::Handle<'static, Item, N>,
    _queue: Arc<wide::Queue<Item, N>>,
}

impl<const N: usize> Concurrent for Wide<N> {
    const NAME: &'static str = "aqueduct/nblfq_wide";
    const PEER: bool = false;

    fn open(_capacity: usize) -> Result<Self, String> {
        let queue = Arc::new(wide::Queue::new());
        // SAFETY: the queue lives as long as the counted pointer beside the handle, which does not leave this type.
        let forever: &'static wide::Queue<Item, N> = unsafe { &*Arc::as_ptr(&queue) };
        let handle = forever.open().map_err(|error| error.to_string())?;
        Ok(Self { handle, _queue: queue })
    }

    #[inline(always)]
    fn push(&self, item: Item) -> bool {
        self.handle.push(item).is_ok()
    }

    #[inline(always)]
    fn pop(&self) -> Option<Item> {
        self.handle.pop().ok()
    }
}
