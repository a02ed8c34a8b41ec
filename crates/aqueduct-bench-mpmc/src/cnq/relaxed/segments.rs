//! A queue of segments of `k` slots each: items are pushed to any free slot of the last segment, and popped from any of
//! the first.
//!
//! The bounded form. A slot is one word: the item, and a number of changes, so that an old value is not taken for a new
//! one. Positions of segments only grow; the first one's has a number of changes, too, which a push raises that has put
//! an item into the first segment while that may be given up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Dice;
use crate::mpmc::stream::Opened;
use crate::mpmc::{Item, Receiver, Sender, Threads};
use aqueduct_measure::run::Apart;

/// Bits of an item in a word. The others count changes against ABA.
const ITEM_BITS: u32 = 44;
/// The greatest item.
const ITEMS: u64 = (1 << ITEM_BITS) - 1;

/// Returns the value in a word: an item or 0, or the position of a segment.
fn value(word: u64) -> u64 {
    word & ITEMS
}

/// Returns `word` with another value and a count of changes that is one higher.
fn changed(word: u64, value: u64) -> u64 {
    (word & !ITEMS).wrapping_add(ITEMS + 1) | value
}

/// The queue.
#[derive(Debug)]
struct Segments {
    /// The first segment, by its position.
    head: Apart<AtomicU64>,
    /// The last segment.
    tail: Apart<AtomicU64>,
    slots: Box<[AtomicU64]>,
    k: usize,
    /// The number of segments.
    count: u64,
}

/// A thread's handle.
#[derive(Debug)]
pub(super) struct End {
    queue: Arc<Segments>,
    dice: Dice,
}

/// Returns a queue of `capacity` items or more.
pub(super) fn open(k: usize, capacity: usize, threads: Threads) -> Opened<End, End> {
    let count = capacity.div_ceil(k).max(2);
    let slots = count.checked_mul(k).ok_or_else(|| format!("segments of {k} slots are too large"))?;
    let queue = Arc::new(Segments {
        head: Apart(AtomicU64::new(0)),
        tail: Apart(AtomicU64::new(0)),
        slots: (0..slots).map(|_| AtomicU64::new(0)).collect(),
        k,
        count: count as u64,
    });
    let end = |thread| End { queue: Arc::clone(&queue), dice: Dice::of(thread) };
    let all = threads.producers + threads.consumers;
    Ok(((0..threads.producers).map(end).collect(), (threads.producers..all).map(end).collect()))
}

// Ordering: acquire for loads, and acquire and release for exchanges, throughout: the algorithm reads the ends again
// after it has looked at slots, and its authors assume that accesses keep their order.
const LOAD: Ordering = Ordering::Acquire;

fn exchange(place: &AtomicU64, found: u64, new: u64) -> bool {
    place.compare_exchange(found, new, Ordering::AcqRel, Ordering::Relaxed).is_ok()
}

impl Segments {
    /// Returns the slots of the segment at that position.
    fn segment(&self, position: u64) -> &[AtomicU64] {
        let first = (position % self.count) as usize * self.k;
        &self.slots[first..first + self.k]
    }

    /// Returns the first full or free slot of the segment, from a random one on, and its word.
    #[inline]
    fn find(&self, position: u64, dice: &mut Dice, with_item: bool) -> Option<(&AtomicU64, u64)> {
        let slots = self.segment(position);
        let (before, from) = slots.split_at(dice.throw(self.k));
        let look = |slot: &'_ AtomicU64| slot.load(LOAD);
        let mut all = from.iter().chain(before).map(|slot| (slot, look(slot)));
        all.find(|&(_, word)| (value(word) != 0) == with_item)
    }

    fn push(&self, item: u64, dice: &mut Dice) -> bool {
        loop {
            let (tail, head) = (self.tail.0.load(LOAD), self.head.0.load(LOAD));
            let found = self.find(value(tail), dice, false);
            if self.tail.0.load(LOAD) != tail {
                continue;
            }
            if let Some((slot, word)) = found {
                let new = changed(word, item);
                if exchange(slot, word, new) && self.stays(value(tail), slot, new) {
                    return true;
                }
                continue;
            }
            if value(tail) + 1 >= value(head) + self.count {
                if self.find(value(head), dice, true).is_some() {
                    if self.head.0.load(LOAD) == head {
                        return false;
                    }
                    continue;
                }
                self.advance(&self.head.0, head);
            }
            self.advance(&self.tail.0, tail);
        }
    }

    /// Whether an item that was put into a segment is in the queue. If not, it has been taken out again.
    fn stays(&self, position: u64, slot: &AtomicU64, new: u64) -> bool {
        if slot.load(LOAD) != new {
            return true;
        }
        let head = self.head.0.load(LOAD);
        let take_back = || !exchange(slot, new, changed(new, 0));
        match value(head).cmp(&position) {
            // The item was pushed before the segment became the first one, and consumers search it.
            std::cmp::Ordering::Less => true,
            // No thread searches that segment any more.
            std::cmp::Ordering::Greater => take_back(),
            // A consumer may be about to give the segment up. Its exchange fails then.
            std::cmp::Ordering::Equal => exchange(&self.head.0, head, changed(head, value(head))) || take_back(),
        }
    }

    fn pop(&self, dice: &mut Dice) -> Option<u64> {
        loop {
            let head = self.head.0.load(LOAD);
            let found = self.find(value(head), dice, true);
            let tail = self.tail.0.load(LOAD);
            if self.head.0.load(LOAD) != head {
                continue;
            }
            match found {
                Some((slot, word)) => {
                    if value(head) == value(tail) {
                        self.advance(&self.tail.0, tail);
                    }
                    if exchange(slot, word, changed(word, 0)) {
                        return Some(value(word));
                    }
                }
                None if value(head) == value(tail) && self.tail.0.load(LOAD) == tail => return None,
                None => self.advance(&self.head.0, head),
            }
        }
    }

    /// Moves `end` to the next segment, unless another thread has done so.
    fn advance(&self, end: &AtomicU64, found: u64) {
        exchange(end, found, changed(found, value(found) + 1));
    }
}

impl Sender for End {
    #[inline]
    fn push(&mut self, item: Item) -> bool {
        assert!(item.get() <= ITEMS, "items of {ITEM_BITS} bits");
        self.queue.push(item.get(), &mut self.dice)
    }
}

impl Receiver for End {
    #[inline]
    fn pop(&mut self) -> Option<Item> {
        self.queue.pop(&mut self.dice).and_then(Item::new)
    }
}
