//! The handles of the library that `super` names as those of `clients::threads`.
//!
//! The clients of `threads` are compiled once, for the library and for its broken copy, whose
//! traits are other traits. So each of the two has wrappers of its own, and they are all that a
//! queue of the library needs.

use super::library::error::{PopError, PushError};
use super::library::queue::{Pop, PopSlice, Push, PushSlice};
use crate::clients::threads::{self, Nothing, Refused};

/// One thread's handle.
#[derive(Clone, Debug)]
pub struct End<H>(pub H);

impl<T, H: Push<Item = T> + Send + 'static> threads::Push<T> for End<H> {
    fn push(&mut self, item: T) -> Result<(), Refused> {
        Ok(self.0.push(item)?)
    }
}

impl<T: Copy, H: PushSlice<Item = T> + Send + 'static> threads::PushSlice<T> for End<H> {
    fn push_slice(&mut self, items: &[T]) -> usize {
        self.0.push_slice(items)
    }
}

impl<T, H: Pop<Item = T> + Send + 'static> threads::Pop<T> for End<H> {
    fn pop(&mut self) -> Result<T, Nothing> {
        Ok(self.0.pop()?)
    }
}

impl<T: Copy, H: PopSlice<Item = T> + Send + 'static> threads::PopSlice<T> for End<H> {
    fn pop_slice(&mut self, items: &mut [T]) -> usize {
        self.0.pop_slice(items)
    }
}

/// One thread's share of a queue. The model's `Arc` orders the drop after all uses.
#[derive(Debug)]
pub struct Share<Q>(aqueduct_model::sync::Arc<Q>);

impl<Q> Share<Q> {
    /// Returns the only share of a queue.
    pub fn new(queue: Q) -> Self {
        Self(aqueduct_model::sync::Arc::new(queue))
    }
}

impl<Q> Clone for Share<Q> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<Q> std::ops::Deref for Share<Q> {
    type Target = Q;

    fn deref(&self) -> &Q {
        &self.0
    }
}

impl<T, Q: Send + Sync + 'static> threads::Push<T> for Share<Q>
where
    for<'q> &'q Q: Push<Item = T>,
{
    fn push(&mut self, item: T) -> Result<(), Refused> {
        Ok((&mut &*self.0).push(item)?)
    }
}

impl<T: Copy, Q: Send + Sync + 'static> threads::PushSlice<T> for Share<Q>
where
    for<'q> &'q Q: PushSlice<Item = T>,
{
    fn push_slice(&mut self, items: &[T]) -> usize {
        (&mut &*self.0).push_slice(items)
    }
}

impl<T, Q: Send + Sync + 'static> threads::Pop<T> for Share<Q>
where
    for<'q> &'q Q: Pop<Item = T>,
{
    fn pop(&mut self) -> Result<T, Nothing> {
        Ok((&mut &*self.0).pop()?)
    }
}

impl<T: Copy, Q: Send + Sync + 'static> threads::PopSlice<T> for Share<Q>
where
    for<'q> &'q Q: PopSlice<Item = T>,
{
    fn pop_slice(&mut self, items: &mut [T]) -> usize {
        (&mut &*self.0).pop_slice(items)
    }
}

impl<T> From<PushError<T>> for Refused {
    fn from(error: PushError<T>) -> Self {
        match error {
            PushError::Full(_) => Self::Full,
            PushError::Busy(_) => Self::Busy,
        }
    }
}

impl From<PopError> for Nothing {
    fn from(error: PopError) -> Self {
        match error {
            PopError::Empty => Self::Empty,
            PopError::Busy => Self::Busy,
        }
    }
}
