//! Taskflow's two task queues, of which the BWoS paper calls the first ABP: the deque of Chase and
//! Lev ("Dynamic Circular Work-Stealing Deque", SPAA 2005) with the fences of Lê, Pop, Cohen and
//! Zappa Nardelli (PPoPP 2013). The owner pushes and takes at the bottom, thieves steal at the top.
//!
//! One grows: its array is replaced by one of twice the size. Thieves may still read the old one,
//! which stays until the queue is dropped, as Taskflow's does. The other one refuses items when it
//! is full.
//!
//! # Orderings
//! As published. Our model checker does not need four of them: the exchanges, and the loads of the
//! top in `push` and in `steal`. `aqueduct-verify`, which has the deque among its clients, gives
//! the reasons why they stay.

use std::ptr;
use std::sync::Arc;

use aqueduct_measure::items::Item;
use aqueduct_measure::run::Apart;

use super::steal::Refused;
use super::sync::{AtomicI64, AtomicPtr, AtomicU64, Ordering, fence};

/// A circular array of items, which are words that are not 0.
#[derive(Debug)]
struct Array {
    slots: Box<[AtomicU64]>,
    /// The array that this one replaced, kept for thieves that still read it, or null.
    outgrown: *mut Self,
}

impl Array {
    fn new(size: usize, outgrown: *mut Self) -> *mut Self {
        let slots = (0..size).map(|_| AtomicU64::new(0)).collect();
        Box::into_raw(Box::new(Self { slots, outgrown }))
    }

    #[inline(always)]
    fn slot(&self, position: i64) -> &AtomicU64 {
        &self.slots[position as usize & (self.slots.len() - 1)]
    }
}

#[derive(Debug)]
struct Deque {
    top: Apart<AtomicI64>,
    bottom: Apart<AtomicI64>,
    array: Apart<AtomicPtr<Array>>,
}

impl Deque {
    /// Returns the array.
    #[inline(always)]
    fn array(&self, ordering: Ordering) -> &Array {
        // SAFETY: arrays are freed with the deque.
        unsafe { &*self.array.0.load(ordering) }
    }
}

impl Drop for Deque {
    fn drop(&mut self) {
        let mut array = self.array.0.load(Ordering::Relaxed);
        while !array.is_null() {
            // SAFETY: all of them came from boxes, and no other thread has them any more.
            array = unsafe { Box::from_raw(array) }.outgrown;
        }
    }
}

/// The owner's end. `GROWS` decides whether a push to a full deque grows it, or is refused.
#[derive(Debug)]
pub struct Owner<const GROWS: bool>(Arc<Deque>);

/// A thief's end.
#[derive(Clone, Debug)]
pub struct Thief(Arc<Deque>);

/// Makes an empty deque with room for at least `capacity` items: the next power of two.
pub fn new<const GROWS: bool>(capacity: u32) -> (Owner<GROWS>, Thief) {
    let array = Array::new(capacity.next_power_of_two() as usize, ptr::null_mut());
    let place = || Apart(AtomicI64::new(0));
    let deque = Arc::new(Deque { top: place(), bottom: place(), array: Apart(AtomicPtr::new(array)) });
    (Owner(Arc::clone(&deque)), Thief(deque))
}

impl<const GROWS: bool> Owner<GROWS> {
    /// Pushes at the bottom. Returns false if there is no room.
    #[inline]
    pub fn push(&mut self, item: Item) -> bool {
        let deque = &*self.0;
        let bottom = deque.bottom.0.load(Ordering::Relaxed);
        // Ordering: Acquire, so that the new item is stored after a thief has read the old one from
        // the slot.
        let top = deque.top.0.load(Ordering::Acquire);
        let mut array = deque.array(Ordering::Relaxed);
        if bottom - top >= array.slots.len() as i64 {
            if !GROWS {
                return false;
            }
            array = self.grow(top, bottom);
        }
        array.slot(bottom).store(item.get(), Ordering::Relaxed);
        // Ordering: the fence pairs with the Acquire load of the bottom in `steal`: the item is
        // written.
        fence(Ordering::Release);
        deque.bottom.0.store(bottom + 1, Ordering::Relaxed);
        true
    }

    /// Replaces the array by one of twice the size.
    #[cold]
    fn grow(&self, top: i64, bottom: i64) -> &Array {
        let deque = &*self.0;
        let old = deque.array(Ordering::Relaxed);
        let larger = Array::new(2 * old.slots.len(), deque.array.0.load(Ordering::Relaxed));
        // SAFETY: freshly made, and freed with the deque.
        let new = unsafe { &*larger };
        for position in top..bottom {
            new.slot(position).store(old.slot(position).load(Ordering::Relaxed), Ordering::Relaxed);
        }
        // Ordering: Release pairs with the Acquire load in `steal`: the items have been copied.
        deque.array.0.store(larger, Ordering::Release);
        new
    }

    /// Takes from the bottom, the item pushed last.
    #[inline]
    pub fn pop(&mut self) -> Option<Item> {
        let deque = &*self.0;
        let bottom = deque.bottom.0.load(Ordering::Relaxed) - 1;
        let array = deque.array(Ordering::Relaxed);
        deque.bottom.0.store(bottom, Ordering::Relaxed);
        // Ordering: the fence pairs with the one in `steal`: either this thread sees the theft, or
        // the thief sees the new bottom.
        fence(Ordering::SeqCst);
        let top = deque.top.0.load(Ordering::Relaxed);
        if top > bottom {
            deque.bottom.0.store(bottom + 1, Ordering::Relaxed);
            return None;
        }
        let item = array.slot(bottom).load(Ordering::Relaxed);
        if top < bottom {
            return Item::new(item);
        }
        // The last item: thieves may want it, too.
        let won = deque.top.0.compare_exchange(top, top + 1, Ordering::SeqCst, Ordering::Relaxed).is_ok();
        deque.bottom.0.store(bottom + 1, Ordering::Relaxed);
        if won { Item::new(item) } else { None }
    }
}

impl Thief {
    /// Returns an estimate of the number of items to steal.
    #[inline]
    pub fn estimate(&self) -> usize {
        let top = self.0.top.0.load(Ordering::Relaxed);
        let bottom = self.0.bottom.0.load(Ordering::Relaxed);
        (bottom - top).max(0) as usize
    }

    /// Steals from the top, the item that has been there longest.
    #[inline]
    pub fn steal(&self) -> Result<Item, Refused> {
        let deque = &*self.0;
        let top = deque.top.0.load(Ordering::Acquire);
        // Ordering: the fence pairs with the one in `pop`.
        fence(Ordering::SeqCst);
        // Ordering: Acquire pairs with the fence in `push`: the items are written.
        let bottom = deque.bottom.0.load(Ordering::Acquire);
        if top >= bottom {
            return Err(Refused::Empty);
        }
        // Ordering: Acquire pairs with the Release in `grow`: the items have been copied.
        let item = deque.array(Ordering::Acquire).slot(top).load(Ordering::Relaxed);
        match deque.top.0.compare_exchange(top, top + 1, Ordering::SeqCst, Ordering::Relaxed) {
            Ok(_) => Item::new(item).ok_or(Refused::Empty),
            Err(_) => Err(Refused::Busy),
        }
    }
}
