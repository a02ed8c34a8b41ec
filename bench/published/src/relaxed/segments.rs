//! BSQ, the bounded k-FIFO queue (Kirsch, Lippautz and Payer, "Fast and Scalable, Lock-Free k-FIFO
//! Queues", PaCT 2013): segments of `k` slots each. Items are pushed to any free slot of the last
//! segment, and popped from any of the first.
//!
//! A slot is one word: the item, and a number of changes, so that an old value is not taken for a
//! new one. Positions of segments only grow; the first one's has a number of changes, too, which a
//! push raises that has put an item into the first segment while that may be given up.
//!
//! A pop may find nothing although there are items: it looks at the slots one after the other, as
//! published.

use std::cmp::Ordering;
use std::sync::Arc;

use aqueduct_measure::run::Apart;

use super::dice::Dice;
use super::sync::AtomicU64;
use super::words::{changed, exchange, find, free_slots, load, value};

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

/// A thread's end of the queue.
#[derive(Debug)]
pub struct Bsq {
    queue: Arc<Segments>,
    dice: Dice,
}

/// Makes a queue of `capacity` items or more, and an end for each thread.
pub fn new(k: usize, capacity: usize, threads: usize) -> Result<Vec<Bsq>, String> {
    let count = capacity.div_ceil(k).max(2);
    let slots = count.checked_mul(k).ok_or_else(|| format!("segments of {k} slots are too large"))?;
    let queue = Arc::new(Segments {
        head: Apart(AtomicU64::new(0)),
        tail: Apart(AtomicU64::new(0)),
        slots: free_slots(slots),
        k,
        count: count as u64,
    });
    Ok((0..threads).map(|thread| Bsq { queue: Arc::clone(&queue), dice: Dice::of(thread) }).collect())
}

impl Segments {
    /// Returns the slots of the segment at that position.
    #[inline]
    fn segment(&self, position: u64) -> &[AtomicU64] {
        let first = (position % self.count) as usize * self.k;
        &self.slots[first..first + self.k]
    }

    #[inline]
    fn push(&self, item: u64, dice: &mut Dice) -> bool {
        loop {
            let (tail, head) = (load(&self.tail.0), load(&self.head.0));
            let found = find(self.segment(value(tail)), dice, false);
            if load(&self.tail.0) != tail {
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
                if find(self.segment(value(head)), dice, true).is_some() {
                    if load(&self.head.0) == head {
                        return false;
                    }
                    continue;
                }
                advance(&self.head.0, head);
            }
            advance(&self.tail.0, tail);
        }
    }

    /// Whether an item that was put into a segment is in the queue. If not, it has been taken out
    /// again.
    #[inline]
    fn stays(&self, position: u64, slot: &AtomicU64, new: u64) -> bool {
        if load(slot) != new {
            return true;
        }
        let head = load(&self.head.0);
        let take_back = || !exchange(slot, new, changed(new, 0));
        match value(head).cmp(&position) {
            // The item was pushed before the segment became the first one, and consumers search it.
            Ordering::Less => true,
            // No thread searches that segment any more.
            Ordering::Greater => take_back(),
            // A consumer may be about to give the segment up. Its exchange fails then.
            Ordering::Equal => exchange(&self.head.0, head, changed(head, value(head))) || take_back(),
        }
    }

    #[inline]
    fn pop(&self, dice: &mut Dice) -> Option<u64> {
        loop {
            let head = load(&self.head.0);
            let found = find(self.segment(value(head)), dice, true);
            let tail = load(&self.tail.0);
            if load(&self.head.0) != head {
                continue;
            }
            match found {
                Some((slot, word)) => {
                    if value(head) == value(tail) {
                        advance(&self.tail.0, tail);
                    }
                    if exchange(slot, word, changed(word, 0)) {
                        return Some(value(word));
                    }
                }
                None if value(head) == value(tail) && load(&self.tail.0) == tail => return None,
                None => advance(&self.head.0, head),
            }
        }
    }
}

/// Moves `end` to the next segment, unless another thread has done so.
#[inline]
fn advance(end: &AtomicU64, found: u64) {
    exchange(end, found, changed(found, value(found) + 1));
}

impl Bsq {
    /// Adds an item, which is not 0. Returns whether there was room.
    #[inline]
    pub fn push(&mut self, item: u64) -> bool {
        self.queue.push(item, &mut self.dice)
    }

    /// Takes an item, unless none was found.
    #[inline]
    pub fn pop(&mut self) -> Option<u64> {
        self.queue.pop(&mut self.dice)
    }
}
