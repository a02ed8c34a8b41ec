//! The small queues of a distributed one: a ring with a sequence number in each slot (Vyukov's),
//! and with a length.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use aqueduct_measure::items::Item;
use aqueduct_measure::run::Apart;

#[derive(Debug)]
struct Slot {
    /// The position that may be written, or one more than the one that may be read.
    turn: AtomicUsize,
    item: AtomicU64,
}

/// A bounded queue for any number of threads.
#[derive(Debug)]
pub struct Partial {
    head: Apart<AtomicUsize>,
    tail: Apart<AtomicUsize>,
    slots: Box<[Slot]>,
}

impl Partial {
    /// Makes a queue with room for the next power of two.
    pub(super) fn new(capacity: usize) -> Self {
        let slot = |turn| Slot { turn: AtomicUsize::new(turn), item: AtomicU64::new(0) };
        // With a single slot, the sequence numbers for reading and for the next write would be
        // equal.
        let slots = (0..capacity.next_power_of_two().max(2)).map(slot).collect();
        Self { head: Apart(AtomicUsize::new(0)), tail: Apart(AtomicUsize::new(0)), slots }
    }

    #[inline]
    fn slot(&self, position: usize) -> &Slot {
        &self.slots[position & (self.slots.len() - 1)]
    }

    /// Takes the next position of `end` when its slot has come to that turn.
    #[inline]
    fn take(&self, end: &AtomicUsize, turn: impl Fn(usize) -> usize) -> Option<usize> {
        // Ordering: relaxed for the ends; an old position is found out by its slot's turn or by the
        // exchange.
        let mut position = end.load(Ordering::Relaxed);
        loop {
            // Ordering: acquire pairs with the release of the slot's last owner.
            let found = self.slot(position).turn.load(Ordering::Acquire);
            match found.wrapping_sub(turn(position)).cast_signed() {
                0 => match end.compare_exchange_weak(position, position + 1, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => return Some(position),
                    Err(now) => position = now,
                },
                ..0 => return None,
                _ => position = end.load(Ordering::Relaxed),
            }
        }
    }

    #[inline]
    pub(super) fn push(&self, item: Item) -> bool {
        let Some(position) = self.take(&self.tail.0, |position| position) else { return false };
        let slot = self.slot(position);
        slot.item.store(item.get(), Ordering::Relaxed);
        // Ordering: release pairs with the acquire in `take`.
        slot.turn.store(position + 1, Ordering::Release);
        true
    }

    #[inline]
    pub(super) fn pop(&self) -> Option<Item> {
        let position = self.take(&self.head.0, |position| position + 1)?;
        let slot = self.slot(position);
        let item = Item::new(slot.item.load(Ordering::Relaxed));
        // Ordering: release pairs with the acquire in `take`.
        slot.turn.store(position + self.slots.len(), Ordering::Release);
        item
    }

    /// Returns the number of items, which may be stale.
    #[inline]
    pub(super) fn len(&self) -> usize {
        let popped = self.popped();
        self.pushed().saturating_sub(popped)
    }

    /// Returns the number of items that have ever been pushed.
    #[inline]
    pub(super) fn pushed(&self) -> usize {
        // Ordering: relaxed; it decides which queue is taken, and any would do.
        self.tail.0.load(Ordering::Relaxed)
    }

    /// Returns the number of items that have ever been popped.
    #[inline]
    pub(super) fn popped(&self) -> usize {
        // Ordering: relaxed, as for those pushed.
        self.head.0.load(Ordering::Relaxed)
    }
}
