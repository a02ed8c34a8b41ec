//! The run queue of a worker of tokio's scheduler: a ring whose head is two positions in one word.
//!
//! The *real* head is the position of the next item; the *steal* head is behind it while a thief
//! copies its claimed items, and limits where the owner may write. So a thief first claims and then
//! copies, and there is one thief at a time. A thief takes half of the items.
//!
//! The scheduler's ring has 256 entries, and an owner that finds it full moves half of its items to
//! a queue that all workers share. Here the ring is as large as the experiment asks for, and a full
//! one refuses.
//!
//! # Orderings
//! As `tests/deques` finds them necessary under our model checker; tokio itself has `AcqRel` for
//! each exchange.

use std::sync::Arc;

use aqueduct_measure::run::Apart;

use super::steal::Refused;
use super::sync::{AtomicU32, AtomicU64, Ordering, Slot};

/// The real head and the steal head.
#[derive(Clone, Copy, Debug)]
struct Heads {
    steal: u32,
    real: u32,
}

impl Heads {
    #[inline]
    fn of(word: u64) -> Self {
        Self { steal: (word >> 32) as u32, real: word as u32 }
    }

    #[inline]
    fn word(self) -> u64 {
        u64::from(self.steal) << 32 | u64::from(self.real)
    }

    #[inline]
    fn is_being_stolen(self) -> bool {
        self.steal != self.real
    }

    /// Moves the real head by `count`; the other one only if no thief is between them.
    #[inline]
    fn advanced(self, count: u32) -> Self {
        let real = self.real.wrapping_add(count);
        Self { steal: if self.is_being_stolen() { self.steal } else { real }, real }
    }
}

#[derive(Debug)]
struct Ring<T> {
    heads: Apart<AtomicU64>,
    /// The position of the next push. The owner alone writes it.
    tail: Apart<AtomicU32>,
    slots: Box<[Slot<T>]>,
}

impl<T: Copy> Ring<T> {
    #[inline(always)]
    fn slot(&self, position: u32) -> &Slot<T> {
        &self.slots[position as usize & (self.slots.len() - 1)]
    }
}

/// The owner's end.
#[derive(Debug)]
pub struct Owner<T>(Arc<Ring<T>>);

/// A thief's end.
#[derive(Debug)]
pub struct Thief<T>(Arc<Ring<T>>);

impl<T> Clone for Thief<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Makes an empty queue of at least `capacity` items: the next power of two.
pub fn new<T: Copy>(capacity: u32) -> (Owner<T>, Thief<T>) {
    let slots = (0..capacity.next_power_of_two()).map(|_| Slot::empty()).collect();
    let ring = Arc::new(Ring { heads: Apart(AtomicU64::new(0)), tail: Apart(AtomicU32::new(0)), slots });
    (Owner(Arc::clone(&ring)), Thief(ring))
}

impl<T: Copy> Owner<T> {
    /// Adds an item at the tail. Returns false if the queue is full.
    #[inline]
    pub fn push(&mut self, item: T) -> bool {
        let ring = &*self.0;
        let tail = ring.tail.0.load(Ordering::Relaxed);
        // Ordering: Acquire pairs with the Release of a thief that has copied: it has read the
        // slot.
        let heads = Heads::of(ring.heads.0.load(Ordering::Acquire));
        if tail.wrapping_sub(heads.steal) as usize == ring.slots.len() {
            return false;
        }
        // SAFETY: only the owner writes, and the slot's last item has been read: it is not between
        // steal head and tail.
        unsafe { ring.slot(tail).write(item) };
        // Ordering: Release pairs with the Acquire in `steal`: the item is written.
        ring.tail.0.store(tail.wrapping_add(1), Ordering::Release);
        true
    }

    /// Takes the item at the head, the oldest.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let ring = &*self.0;
        let tail = ring.tail.0.load(Ordering::Relaxed);
        // Ordering: Relaxed. The owner wrote the items itself, and the exchange decides which
        // thread gets them.
        let mut word = ring.heads.0.load(Ordering::Relaxed);
        loop {
            let heads = Heads::of(word);
            if heads.real == tail {
                return None;
            }
            // Ordering: Release pairs with the Acquire of a thief's look at the heads: its tail is
            // not behind them.
            match ring.heads.0.compare_exchange(word, heads.advanced(1).word(), Ordering::Release, Ordering::Relaxed) {
                // SAFETY: the item is the owner's now, which wrote it.
                Ok(_) => return Some(unsafe { ring.slot(heads.real).read() }),
                Err(now) => word = now,
            }
        }
    }
}

impl<T: Copy> Thief<T> {
    /// Returns an estimate of the number of items to steal.
    pub fn estimate(&self) -> usize {
        // Ordering: Acquire, as in `steal`.
        let heads = Heads::of(self.0.heads.0.load(Ordering::Acquire));
        let tail = self.0.tail.0.load(Ordering::Relaxed);
        tail.wrapping_sub(heads.real) as usize
    }

    /// Moves half of the items to the start of `items`, or fewer if it is shorter. Returns their
    /// number, which is at least 1.
    #[inline]
    pub fn steal(&self, items: &mut [T]) -> Result<usize, Refused> {
        let ring = &*self.0;
        // Ordering: Acquire pairs with the Release of each thread that has moved the heads: the
        // tail is read no older than by that thread. Otherwise the heads could be ahead of it.
        let mut word = ring.heads.0.load(Ordering::Acquire);
        let (claimed, count) = loop {
            let heads = Heads::of(word);
            if heads.is_being_stolen() {
                return Err(Refused::Busy);
            }
            // Ordering: Acquire pairs with the Release in `push`: the items are written.
            let tail = ring.tail.0.load(Ordering::Acquire);
            let half = tail.wrapping_sub(heads.real).div_ceil(2);
            let count = half.min(items.len() as u32);
            if count == 0 {
                return Err(Refused::Empty);
            }
            let claimed = Heads { steal: heads.steal, real: heads.real.wrapping_add(count) };
            // Ordering: Relaxed; no thief does anything before this one has finished. Where it
            // fails, Acquire as for the first look.
            match ring.heads.0.compare_exchange(word, claimed.word(), Ordering::Relaxed, Ordering::Acquire) {
                Ok(_) => break (claimed, count),
                Err(now) => word = now,
            }
        };
        for (item, position) in items.iter_mut().zip(0..count) {
            // SAFETY: claimed for this thread alone; the owner writes nothing there before the
            // steal head has passed.
            *item = unsafe { ring.slot(claimed.steal.wrapping_add(position)).read() };
        }
        self.finish(claimed);
        Ok(count as usize)
    }

    /// Moves the steal head to the real one, wherever the owner has moved that meanwhile.
    fn finish(&self, claimed: Heads) {
        let heads = &self.0.heads.0;
        let mut word = claimed.word();
        loop {
            let real = Heads::of(word).real;
            let done = Heads { steal: real, real };
            // Ordering: Release pairs with the Acquire in `push`: the items have been read.
            match heads.compare_exchange(word, done.word(), Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }
}
