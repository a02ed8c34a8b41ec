//! Distributed queues: many small queues, and a balancer that chooses the one for each push and
//! pop.
//!
//! If the chosen one is full or empty, a thread tries the next one, until it has tried all. So a
//! pop can return `Empty` although there are items, pushed behind the thread; it tries again, as
//! all do.

use std::sync::Arc;

use super::dice::Dice;
use super::partial::Partial;
use aqueduct_measure::items::Item;
use aqueduct_measure::rounds::Threads;

/// Small queues for each thread of the larger side.
const QUEUES_PER_THREAD: usize = 4;

/// Chooses the small queue for a push or a pop.
pub trait Balancer: Send {
    /// Makes the balancer of a thread.
    fn of(thread: usize) -> Self;
    /// Returns the number of small queues.
    fn queues(threads: Threads) -> usize {
        QUEUES_PER_THREAD * threads.producers.max(threads.consumers)
    }
    /// Returns the small queue of the next push.
    fn to(&mut self, queues: &[Partial]) -> usize;
    /// Returns the small queue of the next pop.
    fn from(&mut self, queues: &[Partial]) -> usize;
}

/// Round robin: each thread visits all small queues in turn, for pushes and for pops.
#[derive(Debug)]
pub struct Round(usize);

impl Balancer for Round {
    fn of(thread: usize) -> Self {
        Self(thread)
    }

    #[inline]
    fn to(&mut self, queues: &[Partial]) -> usize {
        self.0 = if self.0 + 1 < queues.len() { self.0 + 1 } else { 0 };
        self.0
    }

    #[inline]
    fn from(&mut self, queues: &[Partial]) -> usize {
        self.to(queues)
    }
}

/// Returns two numbers below `sides`.
#[inline]
fn two(dice: &mut Dice, sides: usize) -> (usize, usize) {
    (dice.throw(sides), dice.throw(sides))
}

/// Two choices: of two random queues, pushes take the shorter one and pops the longer one.
#[derive(Debug)]
pub struct Choices(Dice);

impl Balancer for Choices {
    fn of(thread: usize) -> Self {
        Self(Dice::of(thread))
    }

    #[inline]
    fn to(&mut self, queues: &[Partial]) -> usize {
        let (one, other) = two(&mut self.0, queues.len());
        if queues[other].len() < queues[one].len() { other } else { one }
    }

    #[inline]
    fn from(&mut self, queues: &[Partial]) -> usize {
        let (one, other) = two(&mut self.0, queues.len());
        if queues[other].len() > queues[one].len() { other } else { one }
    }
}

/// Balanced operations, of two choices: of two random queues, pushes take the one with fewer pushes
/// so far, and pops the one with fewer pops.
#[derive(Debug)]
pub struct Balanced(Dice);

impl Balancer for Balanced {
    fn of(thread: usize) -> Self {
        Self(Dice::of(thread))
    }

    #[inline]
    fn to(&mut self, queues: &[Partial]) -> usize {
        let (one, other) = two(&mut self.0, queues.len());
        if queues[other].pushed() < queues[one].pushed() { other } else { one }
    }

    #[inline]
    fn from(&mut self, queues: &[Partial]) -> usize {
        let (one, other) = two(&mut self.0, queues.len());
        if queues[other].popped() < queues[one].popped() { other } else { one }
    }
}

/// The least recently used one: pushes take the queue with the fewest pushes so far, pops the one
/// with the fewest pops.
#[derive(Debug)]
pub struct LeastRecent;

/// Returns the place of the least number.
#[inline]
fn least(queues: &[Partial], number: impl Fn(&Partial) -> usize) -> usize {
    queues.iter().enumerate().min_by_key(|(_, queue)| number(queue)).map_or(0, |(place, _)| place)
}

impl Balancer for LeastRecent {
    fn of(_thread: usize) -> Self {
        Self
    }

    #[inline]
    fn to(&mut self, queues: &[Partial]) -> usize {
        least(queues, Partial::pushed)
    }

    #[inline]
    fn from(&mut self, queues: &[Partial]) -> usize {
        least(queues, Partial::popped)
    }
}

/// Each producer has a queue of its own, and a consumer takes a random queue: one producer's items
/// come in order, unless its queue is full.
#[derive(Debug)]
pub struct Own(usize, Dice);

impl Balancer for Own {
    fn of(thread: usize) -> Self {
        Self(thread, Dice::of(thread))
    }

    fn queues(threads: Threads) -> usize {
        threads.producers
    }

    #[inline]
    fn to(&mut self, queues: &[Partial]) -> usize {
        self.0 % queues.len()
    }

    #[inline]
    fn from(&mut self, queues: &[Partial]) -> usize {
        self.1.throw(queues.len())
    }
}

/// A thread's handle.
#[derive(Debug)]
pub struct End<B> {
    queues: Arc<[Partial]>,
    balancer: B,
}

/// Returns a queue of `capacity` items, for these threads.
pub fn open<B: Balancer>(capacity: usize, threads: Threads) -> (Vec<End<B>>, Vec<End<B>>) {
    let count = B::queues(threads);
    let queues: Arc<[Partial]> = (0..count).map(|_| Partial::new(capacity.div_ceil(count))).collect();
    let end = |thread| End { queues: Arc::clone(&queues), balancer: B::of(thread) };
    let all = threads.producers + threads.consumers;
    ((0..threads.producers).map(end).collect(), (threads.producers..all).map(end).collect())
}

/// Returns all places once, from that one on.
#[inline]
fn from_there(first: usize, count: usize) -> impl Iterator<Item = usize> {
    (first..count).chain(0..first)
}

impl<B: Balancer> End<B> {
    /// Adds an item. Returns false if the queue is full.
    #[inline(always)]
    pub fn push(&mut self, item: Item) -> bool {
        let first = self.balancer.to(&self.queues);
        self.queues[first].push(item)
            || from_there(first, self.queues.len()).skip(1).any(|at| self.queues[at].push(item))
    }

    /// Takes an item, unless none was found.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Item> {
        let first = self.balancer.from(&self.queues);
        let next = || from_there(first, self.queues.len()).skip(1).find_map(|at| self.queues[at].pop());
        self.queues[first].pop().or_else(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(number: u64) -> Item {
        Item::new(number).expect("not 0")
    }

    #[test]
    fn one_thread_of_the_least_recently_used_queues_takes_items_in_order() {
        let (mut senders, mut receivers) = open::<LeastRecent>(64, Threads::PAIR);
        for lap in 0..5 {
            let numbers = || (1..=30).map(|number| item(lap * 30 + number));
            assert!(numbers().all(|item| senders[0].push(item)));
            let lengths: Vec<usize> = senders[0].queues.iter().map(Partial::len).collect();
            assert!(lengths.iter().max() <= lengths.iter().min().map(|least| least + 1).as_ref(), "{lengths:?}");
            assert!(numbers().all(|item| receivers[0].pop() == Some(item)));
            assert_eq!(receivers[0].pop(), None);
        }
    }

    #[test]
    fn what_a_producer_puts_into_its_own_queue_comes_in_order() {
        let (mut senders, mut receivers) = open::<Own>(64, Threads::new(2, 1));
        for number in 1..=32 {
            assert!(senders[0].push(item(number)) && senders[1].push(item(1000 + number)));
        }
        let all: Vec<u64> = std::iter::from_fn(|| receivers[0].pop()).map(Item::get).collect();
        let of = |is_first: bool| all.iter().copied().filter(move |&number| (number < 1000) == is_first);
        assert!(of(true).eq(1..=32) && of(false).eq(1001..=1032), "{all:?}");
        assert!(!all.is_sorted(), "both queues are visited in turn: {all:?}");
    }
}
