//! Iterators over messages.

use std::fmt;
use std::iter::FusedIterator;

use crate::channel::Receiver;

/// An iterator that waits for messages, and ends when the channel is empty and disconnected.
pub struct Iter<'a, T>(pub(crate) &'a Receiver<T>);

/// An iterator over the messages that have come.
pub struct TryIter<'a, T>(pub(crate) &'a Receiver<T>);

/// An iterator that waits for messages, and ends when the channel is empty and disconnected.
pub struct IntoIter<T>(pub(crate) Receiver<T>);

macro_rules! iterators {
    ($($name:literal: $iterator:ty, $recv:ident;)*) => {$(
        impl<T> Iterator for $iterator {
            type Item = T;

            fn next(&mut self) -> Option<T> {
                self.0.$recv().ok()
            }
        }

        impl<T> fmt::Debug for $iterator {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(concat!($name, " { .. }"))
            }
        }
    )*};
}

iterators! {
    "Iter": Iter<'_, T>, recv;
    "TryIter": TryIter<'_, T>, try_recv;
    "IntoIter": IntoIter<T>, recv;
}

impl<T> FusedIterator for Iter<'_, T> {}
impl<T> FusedIterator for IntoIter<T> {}
