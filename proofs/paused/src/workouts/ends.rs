//! The two ends of any queue behind one interface.

use std::ops::{Deref, DerefMut};

use super::checks::Promise;
use super::log::Item;

/// The reason for which a call had no effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refused {
    /// The queue has no room.
    Full,
    /// The queue has no item.
    Empty,
    /// Another thread has to make progress first.
    Busy,
}

/// A producer's handle.
pub(super) trait Push: Send {
    fn push(&mut self, item: Item) -> Result<(), Refused>;

    /// Pushes the first items, as many as fit. Returns their number.
    fn push_slice(&mut self, items: &[Item]) -> usize {
        items.iter().take_while(|&&item| self.push(item).is_ok()).count()
    }

    /// Notifies a queue that has such a call that the thread pauses.
    fn rest(&mut self) {}
}

/// A consumer's handle.
pub(super) trait Pop: Send {
    fn pop(&mut self) -> Result<Item, Refused>;

    /// Pops into the first places. Returns the number of items.
    fn pop_slice(&mut self, items: &mut [Item]) -> usize {
        items.iter_mut().map_while(|place| self.pop().ok().map(|item| *place = item)).count()
    }

    /// Notifies a queue that has such a call that the thread pauses.
    fn rest(&mut self) {}
}

/// A queue with all its handles.
pub(super) struct Ends {
    pub(super) producers: Vec<Box<dyn Push>>,
    pub(super) consumers: Vec<Box<dyn Pop>>,
    pub(super) promise: Promise,
}

/// A value that is not dropped while a panic unwinds: a queue with an error is left alone.
pub(super) struct Kept<T>(Option<T>);

impl<T> Kept<T> {
    pub(super) fn new(it: T) -> Self {
        Self(Some(it))
    }
}

impl<T> Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("there until it is dropped")
    }
}

impl<T> DerefMut for Kept<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("there until it is dropped")
    }
}

impl<T> Drop for Kept<T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::mem::forget(self.0.take());
        }
    }
}

/// Maps the library's errors to [`Refused`].
pub(super) trait Refusal {
    fn why(self) -> Refused;
}

impl<T> Refusal for crate::nblfq::Rejected<T> {
    fn why(self) -> Refused {
        Refused::Full
    }
}

impl<T> Refusal for crate::error::PushError<T> {
    fn why(self) -> Refused {
        match self {
            Self::Full(_) => Refused::Full,
            Self::Busy(_) => Refused::Busy,
        }
    }
}

impl Refusal for crate::error::PopError {
    fn why(self) -> Refused {
        match self {
            Self::Empty => Refused::Empty,
            Self::Busy => Refused::Busy,
        }
    }
}
