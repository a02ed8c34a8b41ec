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
    /// The queue's length, where it can be asked.
    fn len(&self) -> Option<usize>;

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
    /// Nothing where nobody can know.
    fn is_closed(&self) -> Option<bool>;
    /// One more for the same side, if it can have several.
    fn another(&self) -> Option<Self>;
}

macro_rules! another {
    (Single, $handle:ident) => {
        None
    };
    ($many:ident, $handle:ident) => {
        Some($handle.clone())
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
                another!($producers, self)
            }

            fn len(&self) -> Option<usize> {
                None
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

            fn is_closed(&self) -> Option<bool> {
                Some(self.is_closed())
            }

            fn another(&self) -> Option<Self> {
                another!($consumers, self)
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
                assert_eq!(<$queue>::is_empty(self), <$queue>::len(self) == 0);
                Some(<$queue>::len(self))
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
