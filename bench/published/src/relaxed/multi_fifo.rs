//! MultiFIFO (Koch, Sanders and Williams, "BlockFIFO & MultiFIFO: Scalable Relaxed Queues", 2025):
//! as a MultiQueue, but of ring buffers, whose items have the time of their push.
//!
//! A push takes a random ring, a pop the one of two random rings whose first item is older; each
//! locks its ring, and chooses again if that is locked. A thread chooses for each call, without the
//! paper's stickiness. A pop that has found two empty rings looks at all of them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use quanta::Clock;

use super::dice::Dice;
use aqueduct_measure::items::Item;
use aqueduct_measure::rounds::Threads;
use aqueduct_measure::run::Apart;

/// Rings for each thread.
const RINGS_PER_THREAD: usize = 2;

/// Instead of a time: the ring is empty.
const NONE: u64 = u64::MAX;

#[derive(Debug)]
struct Ring {
    /// The time of the first item, or [`NONE`]. It may be stale.
    first: AtomicU64,
    items: Mutex<VecDeque<(u64, Item)>>,
}

/// A thread's handle.
#[derive(Debug)]
pub struct End {
    rings: Arc<[Apart<Ring>]>,
    /// Most items of a ring.
    most: usize,
    dice: Dice,
    clock: Clock,
}

/// Returns a queue of `capacity` items, for these threads.
pub fn open(capacity: usize, threads: Threads) -> (Vec<End>, Vec<End>) {
    let all = threads.producers + threads.consumers;
    let count = RINGS_PER_THREAD * all;
    let most = capacity.div_ceil(count);
    let ring = |_| Apart(Ring { first: AtomicU64::new(NONE), items: Mutex::new(VecDeque::with_capacity(most)) });
    let rings: Arc<[Apart<Ring>]> = (0..count).map(ring).collect();
    let clock = Clock::new();
    let end = |thread| End { rings: Arc::clone(&rings), most, dice: Dice::of(thread), clock: clock.clone() };
    ((0..threads.producers).map(end).collect(), (threads.producers..all).map(end).collect())
}

impl Ring {
    /// Returns nothing if it is locked, and otherwise whether there was room.
    #[inline]
    fn push(&self, most: usize, time: u64, item: Item) -> Option<bool> {
        let mut items = self.items.try_lock().ok()?;
        if items.len() == most {
            return Some(false);
        }
        if items.is_empty() {
            // Ordering: relaxed; it decides which ring is taken, and the lock orders the items.
            self.first.store(time, Ordering::Relaxed);
        }
        items.push_back((time, item));
        Some(true)
    }

    /// Returns nothing if it is locked, and otherwise its first item.
    #[inline]
    fn pop(&self) -> Option<Option<Item>> {
        let mut items = self.items.try_lock().ok()?;
        let first = items.pop_front();
        // Ordering: relaxed, as in `push`.
        self.first.store(items.front().map_or(NONE, |&(time, _)| time), Ordering::Relaxed);
        Some(first.map(|(_, item)| item))
    }

    /// Returns the time of its first item.
    #[inline]
    fn first(&self) -> u64 {
        // Ordering: relaxed, as in `push`.
        self.first.load(Ordering::Relaxed)
    }
}

impl End {
    /// Adds an item. Returns false if the queue is full.
    #[inline(always)]
    pub fn push(&mut self, item: Item) -> bool {
        let time = self.clock.raw();
        for _ in 0..self.rings.len() {
            let at = self.dice.throw(self.rings.len());
            if self.rings[at].0.push(self.most, time, item) == Some(true) {
                return true;
            }
        }
        self.rings.iter().any(|ring| ring.0.push(self.most, time, item) == Some(true))
    }

    /// Takes an item, unless none was found.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Item> {
        loop {
            let [one, other] = [0; 2].map(|_| &self.rings[self.dice.throw(self.rings.len())].0);
            let (first, ring) = if other.first() < one.first() { (other.first(), other) } else { (one.first(), one) };
            if first == NONE {
                break;
            }
            if let Some(Some(item)) = ring.pop() {
                return Some(item);
            }
        }
        self.rings.iter().find_map(|ring| ring.0.pop().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pop_takes_the_older_of_two_first_items() {
        let (mut senders, mut receivers) = open(64, Threads::PAIR);
        assert_eq!(senders[0].rings.len(), 4);
        let item = |number| Item::new(number).expect("not 0");
        assert!((1..=16).all(|number| senders[0].push(item(number))));
        let taken: Vec<u64> = std::iter::from_fn(|| receivers[0].pop()).map(Item::get).collect();
        let mut sorted = taken.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(1..=16), "each comes once: {taken:?}");
        let by_age: u64 = taken.iter().zip(1..).map(|(&number, place)| number.abs_diff(place)).sum();
        assert!(by_age <= 64, "an item comes four places early or late on average at most: {taken:?}");
    }

    #[test]
    fn a_full_queue_refuses_and_an_empty_one_has_nothing() {
        let (mut senders, mut receivers) = open(4, Threads::PAIR);
        let item = Item::new(1).expect("not 0");
        assert!((0..4).all(|_| senders[0].push(item)) && !senders[0].push(item));
        assert_eq!((0..5).filter(|_| receivers[0].pop().is_some()).count(), 4);
    }
}
