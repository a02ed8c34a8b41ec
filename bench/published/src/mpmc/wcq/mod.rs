//! wCQ (Nikolaev and Ravindran, "wCQ: A Fast Wait-Free Queue with Bounded Memory Usage", SPAA
//! 2022): SCQ, whose threads help each other. A thread that failed some times in a row publishes a
//! request; all threads look at the others' requests now and then, and those that find one do it
//! together with its owner.
//!
//! The threads that work on one request agree on a position by the request's own counter: one of
//! them writes there which position of the ring is next, with a mark that it has not been taken
//! yet; then one takes it from the ring, where it leaves its name, so that the thread that comes
//! next removes the mark. The ring's counters and entries are two words each, of which fast
//! operations use one.
//!
//! A pop looks again at an entry that a push is about to fill, as in SCQD here.
//!
//! # What differs from the paper
//! - A thread that finds another one's name in a counter of the ring reads that thread's record,
//!   and then looks whether the name is still there. In the paper it does not look, and the record
//!   can be of the thread's next step, whose position is not taken yet: then two requests get one
//!   position, and an item is lost.
//! - A thread has a record for each of a ring's two counters. In the paper it has one, though the
//!   name of its step on one counter can stay while it begins a step on the other.
//! - A pop marks as done only a request to push that has taken the position, not one that tries to.
//! - A push that others have done for it sets the threshold itself, because they may not have come
//!   to that.
//!
//! The model checker finds the first one; the others are by reading.
//!
//! # Orderings
//! Sequentially consistent, as the paper assumes.

mod patience;
mod record;
mod requests;
mod ring;

use std::marker::PhantomData;
use std::sync::Arc;

use super::sync::Slot;
pub use patience::Patience;
use ring::{Local, Ring};

#[derive(Debug)]
struct Rings<T> {
    free: Ring,
    used: Ring,
    data: Box<[Slot<T>]>,
}

/// A thread's end of the queue.
#[derive(Debug)]
pub struct Wcq<T, P> {
    rings: Arc<Rings<T>>,
    free: Local,
    used: Local,
    patience: PhantomData<P>,
}

/// Makes a queue of at least `capacity` items, the next power of two, and an end for each of
/// `threads` threads. It has no less room than threads, which its proof needs.
pub fn new<T: Copy, P: Patience>(capacity: usize, threads: usize) -> Vec<Wcq<T, P>> {
    let n = capacity.max(threads).next_power_of_two().max(2) as u64;
    let data = (0..n).map(|_| Slot::empty()).collect();
    let rings = Arc::new(Rings { free: Ring::new(n, true, threads), used: Ring::new(n, false, threads), data });
    let local = |thread: usize| Local { thread, next: (thread + 1) % threads, left: P::HELPS_AFTER };
    let end =
        |thread| Wcq { rings: Arc::clone(&rings), free: local(thread), used: local(thread), patience: PhantomData };
    (0..threads).map(end).collect()
}

impl<T: Copy, P: Patience> Wcq<T, P> {
    /// Adds `item` at the end of the queue, if there is a free slot.
    #[inline]
    pub fn push(&mut self, item: T) -> bool {
        let Some(index) = self.rings.free.pop::<P>(&mut self.free) else {
            return false;
        };
        // SAFETY: an index is in one ring or in one thread's hands; the rings order what they do.
        unsafe { self.rings.data[index as usize].write(item) };
        self.rings.used.push::<P>(&mut self.used, index);
        true
    }

    /// Takes the oldest item.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let index = self.rings.used.pop::<P>(&mut self.used)?;
        // SAFETY: as in `push`; the item was written before its index came into the ring.
        let item = unsafe { self.rings.data[index as usize].read() };
        self.rings.free.push::<P>(&mut self.free, index);
        Some(item)
    }
}
