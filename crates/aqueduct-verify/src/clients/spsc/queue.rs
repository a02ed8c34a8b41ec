//! The interface of the clients to a queue.

use crate::clients::item::Item;

/// A kind of queue with its parameters: makes queues.
pub trait Queue: Copy + Send + Sync + 'static {
    /// What it carries.
    type Item: Item;
    /// Its producing end.
    type Producer: Producer<Item = Self::Item>;
    /// Its consuming end.
    type Consumer: Consumer<Item = Self::Item>;
    /// Whether slots come back with each pop, so that `Full` means that exactly `capacity` items are there.
    const EXACT: bool;
    /// Whether the items that the consumer counts while the producer is at work can be popped.
    const COUNTS_SEEN: bool;

    /// A new queue's ends.
    fn ends(self) -> (Self::Producer, Self::Consumer);
    /// The capacity asked for.
    fn capacity(self) -> usize;
}

/// A producing end.
pub trait Producer: Send + 'static {
    /// What the queue carries.
    type Item: Item;
    /// Pushes; a refused item comes back.
    fn push(&mut self, item: Self::Item) -> Result<(), Self::Item>;
    /// Items in the queue, slots that have not come back included.
    fn len(&self) -> usize;
    /// Whether that is none.
    fn is_empty(&self) -> bool;
    /// Whether a push would be refused.
    fn is_full(&self) -> bool;
    /// Whether the consumer is gone.
    fn is_closed(&self) -> bool;
    /// The capacity that it tells.
    fn capacity(&self) -> usize;
}

/// A consuming end.
pub trait Consumer: Send + 'static {
    /// What the queue carries.
    type Item: Item;
    /// Pops, unless the queue is empty.
    fn pop(&mut self) -> Option<Self::Item>;
    /// Items in the queue.
    fn len(&self) -> usize;
    /// Whether a pop would find nothing.
    fn is_empty(&self) -> bool;
    /// Whether the producer is gone.
    fn is_closed(&self) -> bool;
}

/// How a batch ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Close {
    /// As it should: published, or its slots given back.
    Properly,
    /// By `mem::forget`.
    Forgotten,
}

/// A producing end with batches.
pub trait BatchProducer: Producer {
    /// Pushes into one batch what `items` gives, while there is room; how many.
    fn batch(&mut self, wanted: usize, items: &mut dyn Iterator<Item = Self::Item>, close: Close) -> usize;
    /// As `batch`, writing into the free slots in place.
    fn runs(&mut self, wanted: usize, items: &mut dyn Iterator<Item = Self::Item>) -> usize;
}

/// A consuming end with batches.
pub trait BatchConsumer: Consumer {
    /// Takes up to `take` items out of one batch for up to `most`.
    fn batch(&mut self, most: usize, take: usize, got: &mut dyn FnMut(Self::Item), close: Close);
    /// Items that can be popped: exact up to `wanted`.
    fn available(&mut self, wanted: usize) -> usize;
}

/// A consuming end that shows items in their places.
pub trait RunConsumer: BatchConsumer {
    /// Looks at all items of one batch in place, run by run, and drops them.
    fn runs(&mut self, most: usize, see: &mut dyn FnMut(&Self::Item));
    /// The oldest item, in its place.
    fn peek(&mut self) -> Option<&Self::Item>;
}

/// A producing end for slices of plain items.
pub trait SliceProducer: Producer {
    /// Pushes as many items as there is room for.
    fn push_slice(&mut self, items: &[Self::Item]) -> usize;
}

/// A consuming end for slices of plain items.
pub trait SliceConsumer: Consumer {
    /// Pops as many items as there are, up to the slice's length.
    fn pop_slice(&mut self, items: &mut [Self::Item]) -> usize;
}
