//! The run queue of a processor of Go's scheduler: a ring, and a slot for the item that is to run
//! next.
//!
//! Thieves copy half of the items and then claim them by an exchange of the head; a copy that was
//! overtaken is discarded. An item in the slot is stolen only if the ring is empty. An item that is
//! put into the slot moves the one in it to the ring's tail. Go's thief sleeps for three
//! microseconds before it takes the slot of a processor that runs, because that item is about to
//! run; here it does not.
//!
//! The scheduler's ring has 256 entries, and an owner that finds it full moves half of its items to
//! a queue that all processors share. Here the ring is as large as the experiment asks for, and a
//! full one refuses.
//!
//! # Orderings
//! As `tests/deques` finds them necessary under our model checker. Go has more: an acquire and a
//! release with which an owner's or a thief's move of the head meets a thief's look at it, which
//! the check of both positions makes unnecessary, and a sequentially consistent exchange of the
//! slot.

use std::sync::Arc;

use aqueduct_measure::items::Item;
use aqueduct_measure::run::Apart;

use super::steal::Refused;
use super::sync::{AtomicU32, AtomicU64, Ordering};

#[derive(Debug)]
struct Ring {
    head: Apart<AtomicU32>,
    /// The position of the next push, and the item that is to run next, or 0. The owner alone
    /// writes the first.
    tail: Apart<(AtomicU32, AtomicU64)>,
    /// Items, read by thieves before they own them.
    slots: Box<[AtomicU64]>,
}

impl Ring {
    #[inline(always)]
    fn slot(&self, position: u32) -> &AtomicU64 {
        &self.slots[position as usize & (self.slots.len() - 1)]
    }
}

/// The owner's end.
#[derive(Debug)]
pub struct Owner(Arc<Ring>);

/// A thief's end.
#[derive(Clone, Debug)]
pub struct Thief(Arc<Ring>);

/// Makes an empty queue of at least `capacity` items: the next power of two. The slot comes on top.
pub fn new(capacity: u32) -> (Owner, Thief) {
    let slots = (0..capacity.next_power_of_two()).map(|_| AtomicU64::new(0)).collect();
    let tail = Apart((AtomicU32::new(0), AtomicU64::new(0)));
    let ring = Arc::new(Ring { head: Apart(AtomicU32::new(0)), tail, slots });
    (Owner(Arc::clone(&ring)), Thief(ring))
}

impl Owner {
    /// Adds an item at the tail, as Go does with a task that is ready again after a wait. Returns
    /// false if there is no room.
    #[inline]
    pub fn push(&mut self, item: Item) -> bool {
        let ring = &*self.0;
        // Ordering: Acquire pairs with the Release of the thief's exchange: the slot has been read.
        let head = ring.head.0.load(Ordering::Acquire);
        let tail = ring.tail.0.0.load(Ordering::Relaxed);
        if tail.wrapping_sub(head) as usize == ring.slots.len() {
            return false;
        }
        ring.slot(tail).store(item.get(), Ordering::Relaxed);
        // Ordering: Release pairs with the Acquire in `steal`: the item is written.
        ring.tail.0.0.store(tail.wrapping_add(1), Ordering::Release);
        true
    }

    /// Adds an item that is to run next, as a `go` statement does. The one that was to run next
    /// goes to the tail; if there is no room, everything is left as it was.
    #[inline]
    pub fn push_next(&mut self, item: Item) -> bool {
        let next = &self.0.tail.0.1;
        let mut old = next.load(Ordering::Relaxed);
        loop {
            // The item in the slot goes to the tail only when it is certain that the slot is the
            // owner's to fill.
            if old != 0 && !self.has_room() {
                return false;
            }
            // Ordering: Release pairs with the Acquire of a thief that takes it: what its maker
            // wrote before.
            match next.compare_exchange(old, item.get(), Ordering::Release, Ordering::Relaxed) {
                Ok(_) => break,
                Err(now) => old = now,
            }
        }
        Item::new(old).is_none_or(|kicked| self.push(kicked))
    }

    #[inline]
    fn has_room(&self) -> bool {
        // Ordering: Relaxed. A head only advances, so room that is seen stays.
        let head = self.0.head.0.load(Ordering::Relaxed);
        (self.0.tail.0.0.load(Ordering::Relaxed).wrapping_sub(head) as usize) < self.0.slots.len()
    }

    /// Takes the item that is to run next, or the one at the head.
    #[inline]
    pub fn pop(&mut self) -> Option<Item> {
        let ring = &*self.0;
        let next = ring.tail.0.1.load(Ordering::Relaxed);
        // If the exchange fails, a thief has taken it; only the owner puts another one there.
        if next != 0 && ring.tail.0.1.compare_exchange(next, 0, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            return Item::new(next);
        }
        let tail = ring.tail.0.0.load(Ordering::Relaxed);
        let mut head = ring.head.0.load(Ordering::Relaxed);
        while head != tail {
            let item = ring.slot(head).load(Ordering::Relaxed);
            // Ordering: Acquire of a failure only keeps later stores behind (load buffering).
            match ring.head.0.compare_exchange(head, head.wrapping_add(1), Ordering::Relaxed, Ordering::Acquire) {
                Ok(_) => return Item::new(item),
                Err(now) => head = now,
            }
        }
        None
    }
}

impl Thief {
    /// Returns an estimate of the number of items to steal.
    #[inline]
    pub fn estimate(&self) -> usize {
        let ring = &*self.0;
        let head = ring.head.0.load(Ordering::Relaxed);
        let in_ring = ring.tail.0.0.load(Ordering::Relaxed).wrapping_sub(head) as i32;
        in_ring.max(0) as usize + usize::from(ring.tail.0.1.load(Ordering::Relaxed) != 0)
    }

    /// Moves half of the items to the start of `items`, or fewer if it is shorter. Returns their
    /// number, which is at least 1.
    #[inline]
    pub fn steal(&self, items: &mut [Item]) -> Result<usize, Refused> {
        let ring = &*self.0;
        let head = ring.head.0.load(Ordering::Relaxed);
        // Ordering: Acquire pairs with the Release in `push`: the items are written.
        let tail = ring.tail.0.0.load(Ordering::Acquire);
        let there = tail.wrapping_sub(head);
        if there == 0 {
            return self.steal_next(items);
        }
        if there as usize > ring.slots.len() {
            // One of them is older than the other.
            return Err(Refused::Busy);
        }
        let count = there.div_ceil(2).min(items.len() as u32);
        for (item, position) in items.iter_mut().zip(0..count) {
            let word = ring.slot(head.wrapping_add(position)).load(Ordering::Relaxed);
            *item = Item::new(word).unwrap_or(Item::MIN);
        }
        // Ordering: Release pairs with the Acquire in `push`: the slots have been read. Where it
        // fails, as in `pop`.
        match ring.head.0.compare_exchange(head, head.wrapping_add(count), Ordering::Release, Ordering::Acquire) {
            Ok(_) => Ok(count as usize),
            Err(_) => Err(Refused::Busy),
        }
    }

    /// Takes the item that is to run next.
    #[cold]
    fn steal_next(&self, items: &mut [Item]) -> Result<usize, Refused> {
        let next = &self.0.tail.0.1;
        let (Some(item), Some(to)) = (Item::new(next.load(Ordering::Relaxed)), items.first_mut()) else {
            return Err(Refused::Empty);
        };
        // Ordering: Acquire pairs with the Release in `push_next`: what the item's maker wrote
        // before.
        match next.compare_exchange(item.get(), 0, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => *to = item,
            Err(_) => return Err(Refused::Busy),
        }
        Ok(1)
    }
}
