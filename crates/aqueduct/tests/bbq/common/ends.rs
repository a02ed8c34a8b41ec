//! The two ends of a queue behind one interface.

use std::sync::Arc;

use aqueduct::bbq::{self, Adding, Consumer, Multi, Producer, Single};
use aqueduct::error::{PopError, PushError};
use aqueduct::faaq;

/// What one side may do.
pub(crate) trait PushEnd<T>: Send + Sized + 'static {
    fn push(&mut self, item: T) -> Result<(), PushError<T>>;
    fn push_slice(&mut self, items: &[T]) -> usize
    where
        T: Copy;
    fn capacity(&self) -> usize;
    /// Nothing where nobody can know.
    fn is_closed(&self) -> Option<bool>;
    /// One more for the same side, if it can have several.
    fn another(&self) -> Option<Self>;
    /// The queue's length, where a producer can know it.
    fn len(&self) -> Option<usize>;
    fn is_full(&self) -> bool;

    /// Pushes from `items` until a refusal; returns how many, and what was refused.
    fn push_all(&mut self, items: impl IntoIterator<Item = T>) -> (usize, Option<T>) {
        let mut pushed = 0;
        for item in items {
            match self.push(item) {
                Ok(()) => pushed += 1,
                Err(PushError::Full(item)) => return (pushed, Some(item)),
                Err(PushError::Busy(_)) => panic!("busy, and nobody else is at work"),
            }
        }
        (pushed, None)
    }
}

/// What the other side may do.
pub(crate) trait PopEnd<T>: Send + Sized + 'static {
    fn pop(&mut self) -> Result<T, PopError>;
    fn pop_slice(&mut self, items: &mut [T]) -> usize
    where
        T: Copy;
    fn drain(&mut self) -> impl Iterator<Item = T>;
    fn capacity(&self) -> usize;
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
    /// Nothing where nobody can know.
    fn is_closed(&self) -> Option<bool>;
    /// One more for the same side, if it can have several.
    fn another(&self) -> Option<Self>;
}

/// What only a side with many handles, or the other side of such a one, can answer.
macro_rules! of_many {
    (Single, $answer:expr) => {
        None
    };
    ($many:ident, $answer:expr) => {
        Some($answer)
    };
}

macro_rules! handles {
    ($($producers:ident, $consumers:ident;)*) => { $(
        impl<T: Send + 'static> PushEnd<T> for Producer<T, $producers, $consumers> {
            fn push(&mut self, item: T) -> Result<(), PushError<T>> {
                self.push(item)
            }

            fn push_slice(&mut self, items: &[T]) -> usize
            where
                T: Copy,
            {
                self.push_slice(items)
            }

            fn capacity(&self) -> usize {
                self.capacity()
            }

            fn is_closed(&self) -> Option<bool> {
                Some(self.is_closed())
            }

            fn another(&self) -> Option<Self> {
                of_many!($producers, self.clone())
            }

            fn len(&self) -> Option<usize> {
                of_many!($consumers, {
                    assert_eq!(self.is_empty(), self.len() == 0);
                    self.len()
                })
            }

            fn is_full(&self) -> bool {
                self.is_full()
            }
        }

        impl<T: Send + 'static> PopEnd<T> for Consumer<T, $producers, $consumers> {
            fn pop(&mut self) -> Result<T, PopError> {
                self.pop()
            }

            fn pop_slice(&mut self, items: &mut [T]) -> usize
            where
                T: Copy,
            {
                self.pop_slice(items)
            }

            fn drain(&mut self) -> impl Iterator<Item = T> {
                self.drain()
            }

            fn capacity(&self) -> usize {
                self.capacity()
            }

            fn len(&self) -> usize {
                self.len()
            }

            fn is_empty(&self) -> bool {
                self.is_empty()
            }

            fn is_closed(&self) -> Option<bool> {
                Some(self.is_closed())
            }

            fn another(&self) -> Option<Self> {
                of_many!($consumers, self.clone())
            }
        }
    )* };
}
handles! {
    Single, Single;
    Multi, Single;
    Single, Multi;
    Multi, Multi;
    Multi, Adding;
}

macro_rules! whole {
    ($queue:ty) => {
        impl<T: Send + 'static> PushEnd<T> for Arc<$queue> {
            fn push(&mut self, item: T) -> Result<(), PushError<T>> {
                <$queue>::push(self, item)
            }

            fn push_slice(&mut self, items: &[T]) -> usize
            where
                T: Copy,
            {
                <$queue>::push_slice(self, items)
            }

            fn capacity(&self) -> usize {
                <$queue>::capacity(self)
            }

            fn is_closed(&self) -> Option<bool> {
                None
            }

            fn another(&self) -> Option<Self> {
                Some(self.clone())
            }

            fn len(&self) -> Option<usize> {
                Some(<$queue>::len(self))
            }

            fn is_full(&self) -> bool {
                <$queue>::is_full(self)
            }
        }

        impl<T: Send + 'static> PopEnd<T> for Arc<$queue> {
            fn pop(&mut self) -> Result<T, PopError> {
                <$queue>::pop(self)
            }

            fn pop_slice(&mut self, items: &mut [T]) -> usize
            where
                T: Copy,
            {
                <$queue>::pop_slice(self, items)
            }

            fn drain(&mut self) -> impl Iterator<Item = T> {
                <$queue>::drain(self)
            }

            fn capacity(&self) -> usize {
                <$queue>::capacity(self)
            }

            fn len(&self) -> usize {
                <$queue>::len(self)
            }

            fn is_empty(&self) -> bool {
                <$queue>::is_empty(self)
            }

            fn is_closed(&self) -> Option<bool> {
                None
            }

            fn another(&self) -> Option<Self> {
                Some(self.clone())
            }
        }
    };
}
whole!(bbq::Queue<T>);
whole!(faaq::Queue<T>);
