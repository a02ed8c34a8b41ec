//! A thief's handle.

use alloc::vec::Vec;
use core::fmt;

use super::super::steal::Steal;
use super::owner::Owner;
use super::shared::Shared;
use crate::hold::Hold;

/// A thief's handle on a [queue](super): it steals the oldest items. Clone it, one for each thread, or share one.
///
/// Every operation is wait-free: where another thread was quicker, it says [`Steal::Retry`].
pub struct Stealer<T> {
    hold: Hold<Shared<T>>,
}

impl<T> Stealer<T> {
    pub(super) fn new(hold: Hold<Shared<T>>) -> Self {
        Self { hold }
    }

    /// Steals the oldest item. If there is none to be stolen, asks the owner for some, as [`ask`](Self::ask) does.
    #[inline]
    pub fn steal(&self) -> Steal<T> {
        self.or_ask(self.steal_granted())
    }

    /// Steals the oldest item, and asks for nothing: what the owner keeps to itself, less than a block, it may keep.
    #[inline]
    pub fn steal_granted(&self) -> Steal<T> {
        self.hold.claim(1).map(|(claim, last)| {
            // SAFETY: just claimed.
            let item = unsafe { claim.take_one() };
            self.hold.finish(last);
            item
        })
    }

    /// Steals up to `items.len()` of the oldest items, at most a block, at once, and writes them to the begin of `items`. Says how
    /// many. As [`steal`](Self::steal), asks for some if there are none.
    pub fn steal_slice(&self, items: &mut [T]) -> Steal<usize>
    where
        T: Copy,
    {
        let most = items.len();
        let mut places = items.iter_mut();
        self.batch(most, |item| {
            if let Some(place) = places.next() {
                *place = item;
            }
        })
    }

    /// Steals up to `most` of the oldest items, at most a block, at once, and adds them to `items`, the oldest first. Says how many.
    /// As [`steal`](Self::steal), asks for some if there are none.
    ///
    /// # Panics
    /// If there is no memory for `items` to grow. Nothing is lost then.
    pub fn steal_to_vec(&self, items: &mut Vec<T>, most: usize) -> Steal<usize> {
        let most = most.min(self.hold.size());
        items.reserve(most);
        let room = items.capacity() - items.len();
        self.batch(most.min(room), |item| items.push(item))
    }

    /// Steals up to `most` of the oldest items, at most a block, at once, and pushes them to another queue, the oldest first. Says
    /// how many: 0 if that is full. As [`steal`](Self::steal), asks for some if there are none.
    pub fn steal_into(&self, owner: &mut Owner<T>, most: usize) -> Steal<usize> {
        let most = most.min(owner.room());
        self.batch(most, |item| owner.put(item))
    }

    /// As many items at once as `most`, each given to `put`, which does not panic.
    fn batch(&self, most: usize, put: impl FnMut(T)) -> Steal<usize> {
        if most == 0 {
            return Steal::Success(0);
        }
        let stolen = self.hold.claim(most).map(|(claim, last)| {
            let count = claim.marks.len();
            // SAFETY: just claimed; the caller's promise.
            unsafe { claim.take(put) };
            self.hold.finish(last);
            count
        });
        self.or_ask(stolen)
    }

    #[inline]
    fn or_ask<U>(&self, result: Steal<U>) -> Steal<U> {
        if result.is_empty() {
            self.ask();
        }
        result
    }

    /// Asks the owner for items. Its next operation with two items or more gives the older half of those that it has in the
    /// present block to the thieves. Until then its operations are a bit slower than usual.
    pub fn ask(&self) {
        self.hold.hunger.ask();
    }

    /// How many items of one block, `block` modulo their number, can be stolen now. Of a block picked by chance, it is likely to be
    /// more than 0 as the queue is likely to be full. Reads one word, on a line that the owner seldom writes.
    #[must_use]
    pub fn granted(&self, block: usize) -> usize {
        self.hold.granted(block)
    }

    /// How many blocks there are.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.hold.blocks()
    }

    /// How many items always fit if nothing is stolen: what was asked for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.hold.capacity
    }

    /// Whether the owner is gone. What can be stolen then is all that comes.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.hold.is_alone()
    }
}

impl<T> Clone for Stealer<T> {
    fn clone(&self) -> Self {
        Self { hold: self.hold.clone() }
    }
}

impl<T> fmt::Debug for Stealer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stealer").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}
