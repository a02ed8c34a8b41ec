//! NCQ, the plain queue that SCQ improves (Nikolaev, DISC 2019, section 4): a queue of the numbers
//! of free slots and one of those of filled slots, and an array of items. An exchange fills an
//! entry, and the tail follows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::mpmc::Item;
use crate::nblfq::concurrent::Concurrent;
use crate::nblfq::line::{Line, spread};

/// The rotation that puts neighbouring positions into different lines, of eight entries each.
const SPREAD: u32 = 3;

/// A queue of the numbers below its length; each is in it at most once, so that it is never full.
struct Numbers {
    head: Line<AtomicU64>,
    tail: Line<AtomicU64>,
    /// The lap in which an entry was last filled, and a number in the lowest bits.
    entries: Box<[AtomicU64]>,
    /// Bits of a number.
    bits: u32,
}

/// Replaces `old` by `new`. Returns whether it did.
#[inline(always)]
fn exchange(word: &AtomicU64, old: u64, new: u64) -> bool {
    word.compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst).is_ok()
}

impl Numbers {
    /// Makes a queue for all numbers of `bits` bits, with all of them in it or with none. Laps
    /// begin with 1.
    fn new(bits: u32, is_full: bool) -> Self {
        let count = 1 << bits;
        let new = Self {
            head: Line(AtomicU64::new(count)),
            tail: Line(AtomicU64::new(if is_full { 2 * count } else { count })),
            entries: (0..count).map(|_| AtomicU64::new(0)).collect(),
            bits,
        };
        if is_full {
            (0..count).for_each(|number| new.entry(number).store(count | number, Ordering::SeqCst));
        }
        new
    }

    #[inline(always)]
    fn entry(&self, position: u64) -> &AtomicU64 {
        &self.entries[spread(position, self.bits, SPREAD)]
    }

    #[inline(always)]
    fn lap(&self, word: u64) -> u64 {
        word >> self.bits
    }

    #[inline]
    fn push(&self, number: u64) {
        loop {
            let tail = self.tail.0.load(Ordering::SeqCst);
            let lap = self.lap(tail);
            let entry = self.entry(tail);
            let seen = entry.load(Ordering::SeqCst);
            if self.lap(seen) == lap {
                // Another push has filled it; the tail follows.
                exchange(&self.tail.0, tail, tail + 1);
            } else if self.lap(seen) + 1 == lap && exchange(entry, seen, lap << self.bits | number) {
                exchange(&self.tail.0, tail, tail + 1);
                return;
            }
        }
    }

    #[inline]
    fn pop(&self) -> Option<u64> {
        loop {
            let head = self.head.0.load(Ordering::SeqCst);
            let lap = self.lap(head);
            let seen = self.entry(head).load(Ordering::SeqCst);
            if self.lap(seen) == lap {
                if exchange(&self.head.0, head, head + 1) {
                    return Some(seen & ((1 << self.bits) - 1));
                }
            } else if self.lap(seen) + 1 == lap {
                return None;
            }
        }
    }
}

struct Ring {
    free: Numbers,
    filled: Numbers,
    /// The items, or leftovers of popped ones. The queues order their accesses.
    items: Box<[AtomicU64]>,
}

/// The queue.
#[derive(Clone)]
pub(in crate::nblfq) struct Ncq(Arc<Ring>);

impl Concurrent for Ncq {
    const NAME: &'static str = "published/ncq";

    fn open(capacity: usize) -> Result<Self, String> {
        let bits = capacity.next_power_of_two().max(2).ilog2();
        let items = (0..1_u64 << bits).map(|_| AtomicU64::new(0)).collect();
        Ok(Self(Arc::new(Ring { free: Numbers::new(bits, true), filled: Numbers::new(bits, false), items })))
    }

    #[inline(always)]
    fn push(&self, item: Item) -> bool {
        let Some(number) = self.0.free.pop() else {
            return false;
        };
        self.0.items[number as usize].store(item.get(), Ordering::Relaxed);
        self.0.filled.push(number);
        true
    }

    #[inline(always)]
    fn pop(&self) -> Option<Item> {
        let number = self.0.filled.pop()?;
        let item = self.0.items[number as usize].load(Ordering::Relaxed);
        self.0.free.push(number);
        Item::new(item)
    }
}
