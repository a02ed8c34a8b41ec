//! The interface of the clients to queues for many threads.

pub mod calls;
pub(crate) mod crowd;
pub(crate) mod handles;
pub(crate) mod slow;

use serde::Serialize;

use crate::clients::item::Item;

/// Why no item was pushed. The item is dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Refused {
    /// The queue had no room.
    Full,
    /// Another thread has to complete an operation first.
    Busy,
}

/// Why no item was popped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Nothing {
    /// The queue had no item.
    Empty,
    /// Another thread has to complete its push first.
    Busy,
}

/// One thread's producing handle.
pub trait Push<T>: Send + 'static {
    /// Pushes an item.
    ///
    /// # Errors
    /// [`Refused`] if it cannot.
    fn push(&mut self, item: T) -> Result<(), Refused>;
}

/// A producing handle for slices.
pub trait PushSlice<T: Copy>: Push<T> {
    /// Pushes the first items, as many as fit. Returns their number.
    fn push_slice(&mut self, items: &[T]) -> usize;
}

/// One thread's consuming handle.
pub trait Pop<T>: Send + 'static {
    /// Pops an item.
    ///
    /// # Errors
    /// [`Nothing`] if it cannot.
    fn pop(&mut self) -> Result<T, Nothing>;
}

/// A consuming handle for slices.
pub trait PopSlice<T: Copy>: Pop<T> {
    /// Pops up to the slice's length of items. Returns their number.
    fn pop_slice(&mut self, items: &mut [T]) -> usize;
}

/// A kind of queue in one form.
pub trait Form: Copy + Send + Sync + 'static {
    /// The type of a queue's division.
    type Shape: Copy + Send + Sync + 'static;
    /// The type of its items.
    type Item: Item;
    /// The type of its producers.
    type Producer: Push<Self::Item>;
    /// The type of its consumers.
    type Consumer: Pop<Self::Item>;
    /// Whether there can be several producers.
    const MANY_PRODUCERS: bool;
    /// Whether there can be several consumers.
    const MANY_CONSUMERS: bool;
    /// Whether a push can find the queue full.
    const BOUNDED: bool = true;

    /// Makes a queue with these numbers of producers and consumers.
    fn make(shape: Self::Shape, producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>);
}
