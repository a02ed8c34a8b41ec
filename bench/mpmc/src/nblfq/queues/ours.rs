//! Our queues: of a capacity that is known when the program is built, and of any.

use std::sync::Arc;

use aqueduct::nblfq::{Capacity, QueueOf, wide};
pub(in crate::nblfq) use aqueduct::nblfq::{Dynamic, Fixed};

use crate::mpmc::Item;
use crate::nblfq::concurrent::Concurrent;

/// The source of a queue's capacity: the type, or a value.
pub(in crate::nblfq) trait Made: Capacity {
    /// The names of the queue of tagged words and of that of pairs of words.
    const NAMES: [&'static str; 2];

    fn words(capacity: usize) -> Result<QueueOf<Item, Self>, String>;
    fn pairs(capacity: usize) -> Result<wide::QueueOf<Item, Self>, String>;
}

impl<const N: usize> Made for Fixed<N> {
    const NAMES: [&'static str; 2] = ["aqueduct/nblfq", "aqueduct/nblfq_wide"];

    fn words(_capacity: usize) -> Result<QueueOf<Item, Self>, String> {
        Ok(QueueOf::<Item, Self>::new())
    }

    fn pairs(_capacity: usize) -> Result<wide::QueueOf<Item, Self>, String> {
        Ok(wide::QueueOf::<Item, Self>::new())
    }
}

impl Made for Dynamic {
    const NAMES: [&'static str; 2] = ["aqueduct/nblfq_dynamic", "aqueduct/nblfq_wide_dynamic"];

    fn words(capacity: usize) -> Result<QueueOf<Item, Self>, String> {
        QueueOf::<Item, Self>::new(capacity).map_err(|error| error.to_string())
    }

    fn pairs(capacity: usize) -> Result<wide::QueueOf<Item, Self>, String> {
        wide::QueueOf::<Item, Self>::new(capacity).map_err(|error| error.to_string())
    }
}

/// The queue of tagged words.
pub(in crate::nblfq) struct Tagged<C: Made>(Arc<QueueOf<Item, C>>);

impl<C: Made> Clone for Tagged<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C: Made> Concurrent for Tagged<C> {
    const NAME: &'static str = C::NAMES[0];
    const PEER: bool = false;

    fn open(capacity: usize) -> Result<Self, String> {
        Ok(Self(Arc::new(C::words(capacity)?)))
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
pub(in crate::nblfq) struct Wide<C: Made> {
    handle: wide::HandleOf<'static, Item, C>,
    queue: Arc<wide::QueueOf<Item, C>>,
}

impl<C: Made> Clone for Wide<C> {
    fn clone(&self) -> Self {
        Self { handle: self.handle, queue: Arc::clone(&self.queue) }
    }
}

impl<C: Made> Concurrent for Wide<C> {
    const NAME: &'static str = C::NAMES[1];
    const PEER: bool = false;

    fn open(capacity: usize) -> Result<Self, String> {
        let queue = Arc::new(C::pairs(capacity)?);
        // SAFETY: the queue lives as long as the counted pointer beside the handle, which does not
        // leave this type.
        let forever: &'static wide::QueueOf<Item, C> = unsafe { &*Arc::as_ptr(&queue) };
        let handle = forever.open().map_err(|error| error.to_string())?;
        Ok(Self { handle, queue })
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
