//! The interface of the clients to a queue.

use crate::clients::item::Item;

/// A kind of queue with its parameters.
pub trait Queue: Copy + Send + Sync + 'static {
    /// The type of its items.
    type Item: Item;
    /// The type of its producing end.
    type Producer: Producer<Item = Self::Item>;
    /// The type of its consuming end.
    type Consumer: Consumer<Item = Self::Item>;
    /// Whether slots come back with each pop, so that `Full` means that exactly `capacity` items
    /// are in the queue.
    const EXACT: bool;
    /// Whether the consumer can pop all items that it counts while the producer is at work.
    const COUNTS_SEEN: bool;

    /// Makes a queue and returns its ends.
    fn ends(self) -> (Self::Producer, Self::Consumer);
    /// Returns the capacity asked for.
    fn capacity(self) -> usize;
}

/// A producing end.
pub trait Producer: Send + 'static {
    /// The type of the queue's items.
    type Item: Item;
    /// Pushes an item, or gives it back.
    fn push(&mut self, item: Self::Item) -> Result<(), Self::Item>;
    /// Returns the number of items, including slots that have not come back.
    fn len(&self) -> usize;
    /// Whether `len` is 0.
    fn is_empty(&self) -> bool;
    /// Whether a push would be refused.
    fn is_full(&self) -> bool;
    /// Whether the consumer is gone.
    fn is_closed(&self) -> bool;
    /// Returns the capacity asked for.
    fn capacity(&self) -> usize;
}

/// A consuming end.
pub trait Consumer: Send + 'static {
    /// The type of the queue's items.
    type Item: Item;
    /// Pops an item, unless the queue is empty.
    fn pop(&mut self) -> Option<Self::Item>;
    /// Returns the number of items in the queue.
    fn len(&self) -> usize;
    /// Whether a pop would find no item.
    fn is_empty(&self) -> bool;
    /// Whether the producer is gone.
    fn is_closed(&self) -> bool;
}

/// The end of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Close {
    /// The batch is published, or gives its slots back.
    Properly,
    /// The batch is forgotten by `mem::forget`.
    Forgotten,
}

/// A producing end with batches.
pub trait BatchProducer: Producer {
    /// Pushes the items of `items` into one batch while there is room. Returns their number.
    fn batch(&mut self, wanted: usize, items: &mut dyn Iterator<Item = Self::Item>, close: Close) -> usize;
    /// Writes the items of `items` into the free slots of one batch, in place. Returns their
    /// number.
    fn runs(&mut self, wanted: usize, items: &mut dyn Iterator<Item = Self::Item>) -> usize;
}

/// A consuming end with batches.
pub trait BatchConsumer: Consumer {
    /// Takes up to `take` items out of one batch for up to `most` items.
    fn batch(&mut self, most: usize, take: usize, got: &mut dyn FnMut(Self::Item), close: Close);
    /// Returns the number of items that can be popped, exact up to `wanted`.
    fn available(&mut self, wanted: usize) -> usize;
}

/// A consuming end with access to items in place.
pub trait RunConsumer: BatchConsumer {
    /// Calls `see` for all items of one batch in place, run by run, and drops them.
    fn runs(&mut self, most: usize, see: &mut dyn FnMut(&Self::Item));
    /// Returns the oldest item in place.
    fn peek(&mut self) -> Option<&Self::Item>;
}

/// A producing end for slices of plain items.
pub trait SliceProducer: Producer {
    /// Pushes the first items, as many as fit. Returns their number.
    fn push_slice(&mut self, items: &[Self::Item]) -> usize;
}

/// A consuming end for slices of plain items.
pub trait SliceConsumer: Consumer {
    /// Pops up to the slice's length of items. Returns their number.
    fn pop_slice(&mut self, items: &mut [Self::Item]) -> usize;
}
