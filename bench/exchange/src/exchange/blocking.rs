//! A ring with a lock, in the place of Java's `BlockingQueue`.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::flow::{Rx, Tx};

/// A handle of either side.
#[derive(Clone)]
pub(super) struct Blocking<T> {
    ring: Arc<Mutex<VecDeque<T>>>,
    capacity: usize,
}

impl<T: Copy> Blocking<T> {
    /// Makes an empty ring with room for `capacity` items.
    pub(super) fn new(capacity: usize) -> Self {
        Self { ring: Arc::new(Mutex::new(VecDeque::with_capacity(capacity))), capacity }
    }

    fn with<R>(&self, act: impl FnOnce(&mut VecDeque<T>) -> R) -> R {
        act(&mut self.ring.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: Copy + Send> Tx<T> for Blocking<T> {
    #[inline(always)]
    fn push(&mut self, item: T) -> bool {
        self.push_slice(&[item]) == 1
    }

    #[inline(always)]
    fn push_slice(&mut self, items: &[T]) -> usize {
        let capacity = self.capacity;
        self.with(|ring| {
            let count = items.len().min(capacity - ring.len());
            ring.extend(&items[..count]);
            count
        })
    }
}

impl<T: Copy + Send> Rx<T> for Blocking<T> {
    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.with(VecDeque::pop_front)
    }

    #[inline(always)]
    fn pop_slice(&mut self, items: &mut [T]) -> usize {
        self.with(|ring| {
            let count = items.len().min(ring.len());
            items.iter_mut().zip(ring.drain(..count)).for_each(|(place, item)| *place = item);
            count
        })
    }
}
