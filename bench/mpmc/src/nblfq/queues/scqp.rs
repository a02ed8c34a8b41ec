//! SCQP, SCQ with the items in the ring (Nikolaev, DISC 2019, as SCQD): an entry is two words, its
//! state and its item, which are exchanged as one. The NBLFQ paper calls it SCQ2.
//!
//! Our addition: a push or a pop checks the ring before it takes a position that would be useless.
//! Without it, threads that try again and again on a full or an empty ring disturb those of the
//! other side.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use super::entries::Entries;
use super::pair::Pair;
use crate::mpmc::Item;
use crate::nblfq::concurrent::Concurrent;
use crate::nblfq::line::Line;

/// The number of times that a pop looks again at an entry that a push is about to fill, before it
/// makes that push go elsewhere.
const LOOKS: u32 = 64;

/// An entry's first word: the lap in which it was last used, and whether a push may take it without
/// a look at the head. Its second word is the item, or 0.
#[derive(Clone, Copy)]
struct State(u64);

impl State {
    fn new(cycle: u64, safe: bool) -> Self {
        Self(cycle << 1 | u64::from(safe))
    }

    fn cycle(self) -> u64 {
        self.0 >> 1
    }

    fn is_safe(self) -> bool {
        self.0 & 1 == 1
    }
}

struct Ring {
    tail: Line<AtomicU64>,
    head: Line<AtomicU64>,
    /// The number of further pops that may fail before the ring is known to be empty.
    threshold: Line<AtomicI64>,
    entries: Entries,
}

impl Ring {
    fn new(capacity: usize) -> Self {
        let entries = capacity.next_power_of_two().max(4);
        Self {
            tail: Line(AtomicU64::new(entries as u64)),
            head: Line(AtomicU64::new(entries as u64)),
            threshold: Line(AtomicI64::new(-1)),
            entries: Entries::new(entries, |_| State::new(0, true).0),
        }
    }

    /// Returns the threshold of a ring that has just got an item.
    fn most(&self) -> i64 {
        2 * self.entries.count() as i64 - 1
    }

    #[inline]
    fn push(&self, item: Item) -> bool {
        loop {
            let tail = self.tail.0.load(Ordering::SeqCst);
            // The head is looked at only if the entry is not free: its line is the other side's.
            if self.entries.at(tail).second() != 0 && tail >= self.head.0.load(Ordering::SeqCst) + self.entries.count()
            {
                return false;
            }
            let tail = self.tail.0.fetch_add(1, Ordering::SeqCst);
            if self.put(tail, item) {
                if self.threshold.0.load(Ordering::SeqCst) != self.most() {
                    self.threshold.0.store(self.most(), Ordering::SeqCst);
                }
                return true;
            }
        }
    }

    /// Puts the item at `tail`, if the entry is free.
    #[inline(always)]
    fn put(&self, tail: u64, item: Item) -> bool {
        let cycle = self.entries.cycle(tail);
        let entry = self.entries.at(tail);
        loop {
            let state = State(entry.first());
            let is_free = state.cycle() < cycle
                && entry.second() == 0
                && (state.is_safe() || self.head.0.load(Ordering::SeqCst) <= tail);
            if !is_free {
                return false;
            }
            // SAFETY: a ring is made only where it is available.
            if unsafe { entry.exchange([state.0, 0], [State::new(cycle, true).0, item.get()]) } {
                return true;
            }
        }
    }

    #[inline]
    fn pop(&self) -> Option<Item> {
        if self.threshold.0.load(Ordering::SeqCst) < 0 {
            return None;
        }
        // If pops have taken all positions that pushes have taken, the ring is empty. The tail is
        // looked at only if the entry has nothing.
        let head = self.head.0.load(Ordering::SeqCst);
        if self.entries.at(head).second() == 0 && self.tail.0.load(Ordering::SeqCst) <= head {
            return None;
        }
        loop {
            let head = self.head.0.fetch_add(1, Ordering::SeqCst);
            if let Some(item) = self.take(head) {
                return Some(item);
            }
            let tail = self.tail.0.load(Ordering::SeqCst);
            if tail <= head + 1 {
                self.catch_up(tail, head + 1);
                self.threshold.0.fetch_sub(1, Ordering::SeqCst);
                return None;
            }
            if self.threshold.0.fetch_sub(1, Ordering::SeqCst) <= 0 {
                return None;
            }
        }
    }

    /// Returns the item at `head`, or `None`; then no item comes to that entry in this cycle.
    #[inline(always)]
    fn take(&self, head: u64) -> Option<Item> {
        let cycle = self.entries.cycle(head);
        let entry = self.entries.at(head);
        let mut looks = 0;
        loop {
            let state = State(entry.first());
            let item = entry.second();
            if state.cycle() == cycle {
                // The item came with the state, and no other thread takes it. Others can only mark
                // the entry unsafe.
                entry.set_second(0);
                return Item::new(item);
            }
            if state.cycle() > cycle {
                return None;
            }
            if item == 0 && looks < LOOKS && self.tail.0.load(Ordering::Relaxed) > head {
                looks += 1;
                spin_loop();
                continue;
            }
            let new = if item == 0 { State::new(cycle, state.is_safe()) } else { State::new(state.cycle(), false) };
            // SAFETY: as in `put`.
            if unsafe { entry.exchange([state.0, item], [new.0, item]) } {
                return None;
            }
        }
    }

    /// Moves the tail to a head that has passed it.
    #[cold]
    fn catch_up(&self, mut tail: u64, mut head: u64) {
        while tail < head && self.tail.0.compare_exchange_weak(tail, head, Ordering::SeqCst, Ordering::SeqCst).is_err()
        {
            head = self.head.0.load(Ordering::SeqCst);
            tail = self.tail.0.load(Ordering::SeqCst);
        }
    }
}

/// The queue.
#[derive(Clone)]
pub(in crate::nblfq) struct Scqp(Arc<Ring>);

impl Concurrent for Scqp {
    const NAME: &'static str = "published/scqp";

    fn open(capacity: usize) -> Result<Self, String> {
        if Pair::is_available() {
            Ok(Self(Arc::new(Ring::new(capacity))))
        } else {
            Err("this machine has no exchange of 16 bytes".to_owned())
        }
    }

    #[inline(always)]
    fn push(&self, item: Item) -> bool {
        self.0.push(item)
    }

    #[inline(always)]
    fn pop(&self) -> Option<Item> {
        self.0.pop()
    }
}
