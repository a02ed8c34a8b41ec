//! The interface of the clients to queues for many threads.

pub mod calls;
pub(crate) mod crowd;
pub(crate) mod handles;
pub(crate) mod slow;

use serde::Serialize;

use crate::clients::item::Item;

/// Why nothing was pushed. The item is dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Refused {
    /// There was no room.
    Full,
    /// There will be when another thread completes an operation.
    Busy,
}

/// Why nothing was popped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Nothing {
    /// There was no item.
    Empty,
    /// There will be one when another thread completes a push.
    Busy,
}

/// One thread's way to push.
pub trait Push<T>: Send + 'static {
    /// Pushes.
    ///
    /// # Errors
    /// Says what came of it.
    fn push(&mut self, item: T) -> Result<(), Refused>;
}

/// One that takes slices.
pub trait PushSlice<T: Copy>: Push<T> {
    /// Pushes as many as there is room for.
    fn push_slice(&mut self, items: &[T]) -> usize;
}

/// One thread's way to pop.
pub trait Pop<T>: Send + 'static {
    /// Pops.
    ///
    /// # Errors
    /// Says why not.
    fn pop(&mut self) -> Result<T, Nothing>;
}

/// One that gives slices.
pub trait PopSlice<T: Copy>: Pop<T> {
    /// Pops as many as there are.
    fn pop_slice(&mut self, items: &mut [T]) -> usize;
}

/// A queue, divided like this, in this form.
pub trait Form: Copy + Send + Sync + 'static {
    /// How it is divided.
    type Shape: Copy + Send + Sync + 'static;
    /// What it carries.
    type Item: Item;
    /// Its producers.
    type Producer: Push<Self::Item>;
    /// Its consumers.
    type Consumer: Pop<Self::Item>;
    /// Whether there can be several producers.
    const MANY_PRODUCERS: bool;
    /// Whether there can be several consumers.
    const MANY_CONSUMERS: bool;
    /// Whether a push can find it full.
    const BOUNDED: bool = true;

    /// A new queue with so many of either.
    fn make(shape: Self::Shape, producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>);
}
