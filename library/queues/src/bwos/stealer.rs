//! The handle of thieves.

use alloc::vec::Vec;
use core::fmt;

use super::order::Order;
use super::owner::Owner;
use super::queue::Queue;
use super::seize;
use super::steal::{Claim, Steal};
use crate::hold::Hold;

/// A thief's handle on a [queue](super).
///
/// In a LIFO queue, it steals the oldest items. In a FIFO queue, it steals items that the owner
/// does not pop soon, from blocks that the owner does not pop from if there are others.
///
/// Threads can have a clone each, or share one handle. Every operation is wait-free: if another
/// thread was faster, it returns [`Steal::Retry`].
///
/// # Examples
/// ```
/// use aqueduct::bwos::{Steal, lifo};
///
/// let (mut owner, stealer) = lifo::new(100)?;
/// for task in 0..10 {
///     owner.push(task)?;
/// }
/// // All items are in the owner's current block: the thief sends a request, and gets `Retry`.
/// assert_eq!(stealer.steal(), Steal::Retry);
/// // The owner's next operation gives some of it away.
/// owner.push(10)?;
/// let mut stolen = Vec::new();
/// assert!(matches!(stealer.steal_to_vec(&mut stolen, 4), Steal::Success(4)));
/// assert_eq!(stolen.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Stealer<T, O: Order> {
    pub(super) hold: Hold<Queue<T, O>>,
}

impl<T, O: Order> Stealer<T, O> {
    pub(super) fn new(hold: Hold<Queue<T, O>>) -> Self {
        Self { hold }
    }

    /// Steals an item, if need be one of the blocks that the owner works in. Of a LIFO queue: the
    /// oldest.
    ///
    /// [`Steal::Empty`] means that the queue held no item. If the owner's current block alone holds
    /// items, the first attempts [request](Self::request) them from the owner and return
    /// [`Steal::Retry`]. If the owner does nothing meanwhile, a later attempt [seizes](Self::seize)
    /// them. So a thief that tries again after each `Retry` has an item within some microseconds.
    #[inline]
    pub fn steal(&self) -> Steal<T> {
        self.or_reach(O::claim(&self.hold, 1), 1).map(|claim| self.single(claim))
    }

    /// Steals an item that the owner has given away. Of a LIFO queue: the oldest.
    ///
    /// Sends no steal request if it finds nothing, but one for the next thief if it takes the last
    /// item of those that the owner has given of a block after a request. It leaves the items of
    /// the owner's current blocks alone: less than a block of a LIFO queue, less than two of a FIFO
    /// queue.
    #[inline]
    pub fn steal_granted(&self) -> Steal<T> {
        O::claim(&self.hold, 1).map(|claim| self.single(claim))
    }

    /// Steals an item, also if the owner does nothing and has not given it away.
    ///
    /// If thieves can take nothing else, this makes the owner's items in the block that it pops
    /// from theirs, until its next operation, and takes the oldest. It takes some microseconds, in
    /// which all cores that run threads of the process are interrupted once (`membarrier` on
    /// Linux): where the owner may be expected to do something soon, [`steal`](Self::steal) is
    /// cheaper. It returns [`Steal::Retry`] if the owner, or another thread, was at work meanwhile.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::bwos::{Steal, lifo};
    ///
    /// let (mut owner, stealer) = lifo::new(100)?;
    /// owner.push("a task")?;
    /// // The owner is busy with other things from now on.
    /// assert_eq!(stealer.steal_granted(), Steal::Empty);
    /// assert_eq!(stealer.seize(), Steal::Success("a task"));
    /// assert_eq!(stealer.seize(), Steal::Empty);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn seize(&self) -> Steal<T> {
        let stolen = match O::claim(&self.hold, 1) {
            Steal::Empty => seize::seize(&self.hold, 1),
            other => other,
        };
        stolen.map(|claim| self.single(claim))
    }

    /// Steals an item if one of that block can be stolen; sends no steal request if not.
    pub(super) fn sampled(&self, block: usize) -> Steal<T> {
        O::claim_sampled(&self.hold, block, 1).map(|claim| self.single(claim))
    }

    /// Moves the single item of a claim out.
    #[inline]
    pub(super) fn single(&self, claim: Claim<'_, T>) -> T {
        self.request_after(&claim);
        let last = claim.last();
        // SAFETY: just claimed.
        let item = unsafe { claim.take_one() };
        self.hold.finish(last);
        item
    }

    /// Returns that claim, or tries the owner's current blocks if there was nothing else.
    #[inline]
    fn or_reach<'q>(&'q self, claimed: Steal<Claim<'q, T>>, most: usize) -> Steal<Claim<'q, T>> {
        if claimed.is_empty() { seize::reach(&self.hold, most) } else { claimed }
    }

    /// Requests items from the owner if this claim has left none of what it gave of its block, for
    /// the next thief.
    ///
    /// No request follows the last entry of a block: an owner that gives blocks as a whole gets
    /// none.
    #[inline]
    fn request_after(&self, claim: &Claim<'_, T>) {
        if claim.is_all && claim.last().is_none() {
            self.hold.requests.send();
        }
    }

    /// Steals up to `items.len()` items of one block at once. Of a LIFO queue: the oldest.
    ///
    /// Moves them to the start of `items` and returns their number. Sends a [steal
    /// request](Self::request) if there are none.
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

    /// Steals up to `most` items of one block at once, into a vector. Of a LIFO queue: the oldest.
    ///
    /// Adds them to `items`, the oldest first. Returns the number of stolen items. Sends a [steal
    /// request](Self::request) if there are none.
    ///
    /// # Panics
    /// If there is no memory for `items` to grow. Nothing is lost then.
    pub fn steal_to_vec(&self, items: &mut Vec<T>, most: usize) -> Steal<usize> {
        let most = most.min(self.hold.size());
        items.reserve(most);
        let room = items.capacity() - items.len();
        self.batch(most.min(room), |item| items.push(item))
    }

    /// Steals up to `most` items of one block at once, into another queue. Of a LIFO queue: the
    /// oldest.
    ///
    /// Pushes them there, the oldest first. Returns the number of stolen items: 0 if the other
    /// queue is full. Sends a [steal request](Self::request) if there are none.
    pub fn steal_into(&self, owner: &mut Owner<T, O>, most: usize) -> Steal<usize> {
        let most = most.min(owner.make_room());
        self.batch(most, |item| owner.put(item))
    }

    /// Steals up to `most` items of one block at once, returns the oldest of them, and pushes the
    /// others into another queue.
    ///
    /// At least one item is stolen if there is one, also if the other queue is full or `most` is 0.
    /// Sends a [steal request](Self::request) if there are none.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::bwos::{Geometry, Steal, lifo};
    ///
    /// let (mut victim, stealer) = lifo::with_geometry(Geometry::new(4, 8)?)?;
    /// let (mut own, _) = lifo::new(100)?;
    /// for task in 0..16 {
    ///     victim.push(task)?;
    /// }
    /// assert_eq!(stealer.steal_batch_and_pop(&mut own, 5), Steal::Success(0));
    /// assert_eq!(own.len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn steal_batch_and_pop(&self, owner: &mut Owner<T, O>, most: usize) -> Steal<T> {
        let most = most.clamp(1, 1 + owner.make_room());
        let mut first = None;
        let stolen = self.batch(most, |item| match first {
            None => first = Some(item),
            Some(_) => owner.put(item),
        });
        stolen.map(|_| first.expect("a batch is not empty"))
    }

    /// Moves up to half of the items that need not be seized into another queue.
    ///
    /// Takes them block by block, in a LIFO queue the oldest first, and returns their number: 0 if
    /// there is only one, or another thread was faster, or the other queue is full. Sends no steal
    /// request if it finds nothing.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::bwos::{Geometry, lifo};
    ///
    /// let (mut victim, stealer) = lifo::with_geometry(Geometry::new(4, 8)?)?;
    /// let (mut own, _) = lifo::new(100)?;
    /// for task in 0..32 {
    ///     victim.push(task)?;
    /// }
    /// // The owner has given three of its four blocks.
    /// assert_eq!(stealer.steal_half_into(&mut own), 12);
    /// assert_eq!(own.pop(), Ok(11));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn steal_half_into(&self, owner: &mut Owner<T, O>) -> usize {
        let half = O::all_granted(&self.hold) / 2;
        let mut done = 0;
        while done < half {
            let most = (half - done).min(owner.make_room());
            if most == 0 {
                break;
            }
            let Steal::Success(count) = self.take(O::claim_left(&self.hold, most), |item| owner.put(item)) else {
                break;
            };
            done += count;
        }
        done
    }

    /// Steals up to `most` items at once and passes each to `put`, which does not panic.
    fn batch(&self, most: usize, put: impl FnMut(T)) -> Steal<usize> {
        if most == 0 {
            return Steal::Success(0);
        }
        self.take(self.or_reach(O::claim(&self.hold, most), most), put)
    }

    /// Passes each item of a claim to `put`, which does not panic, and returns their number.
    fn take(&self, claimed: Steal<Claim<'_, T>>, put: impl FnMut(T)) -> Steal<usize> {
        claimed.map(|claim| {
            self.request_after(&claim);
            let last = claim.last();
            let count = claim.marks.len();
            // SAFETY: just claimed; the caller's promise.
            unsafe { claim.take(put) };
            self.hold.finish(last);
            count
        })
    }

    /// Requests items from the owner.
    ///
    /// The owner's next operation gives half of its items in the block that it pops from to the
    /// thieves: the older half in a LIFO queue, the younger half in a FIFO queue, rounded up,
    /// without the item that it pops. (The owner of a FIFO queue lends part of a block once.) Until
    /// then its operations are slightly slower.
    pub fn request(&self) {
        self.hold.requests.send();
    }

    /// Returns how many items of one block can be stolen now.
    ///
    /// The block is `block` modulo their number. For a random block, the probability that the
    /// result is not 0 grows with how full the queue is. Reads one word, on a line that the owner
    /// seldom writes.
    #[must_use]
    pub fn granted(&self, block: usize) -> usize {
        O::granted(&self.hold, block)
    }

    /// Returns how many items thieves can steal now, those of the owner's current blocks included.
    ///
    /// Beside other operations it is a value of a recent moment. Takes time in proportion to the
    /// number of blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        O::seen(&self.hold)
    }

    /// Whether thieves can steal nothing now.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of blocks.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.hold.block_count()
    }

    /// Returns the capacity that was asked for: this number of items always fits if nothing is
    /// stolen.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.hold.capacity
    }

    /// Whether the owner is gone. The queue then receives no further items.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.hold.is_alone()
    }
}

impl<T, O: Order> Clone for Stealer<T, O> {
    fn clone(&self) -> Self {
        Self { hold: self.hold.clone() }
    }
}

impl<T, O: Order> fmt::Debug for Stealer<T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stealer").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}

crate::queue::implement! {
    [T: Send, O: Order] Stealer<T, O>, T: Closed Len;
}
