//! CNQ over its tubes: each popped item is one of the `k` oldest, and `k` younger items at most
//! overtake an item.

use std::collections::{HashMap, VecDeque};

use aqueduct::cnq::{Geometry, Queue};
use aqueduct::error::PopError;
use aqueduct::tube::{Blocks, FetchAddBlocks, IndexQueues, SequencedRing, Tube};

use crate::common::{Aligned, Big, Heap, Item, Random, assert_none_is_left, rounds, steps};

fn geometry(random: &mut Random, producers: usize, consumers: usize) -> Geometry {
    let handles = producers + consumers;
    let geometry = match random.below(3) {
        0 => Geometry::new(1 + random.below(8), 1 + random.below(5), producers, consumers),
        1 => Geometry::for_order(handles - 1 + random.below(50), 1 + random.below(300), producers, consumers),
        _ => Geometry::new(2 * handles, 1 + random.below(20), producers, consumers),
    };
    geometry.expect("a small queue")
}

/// The items in the queue, oldest first, and how often the oldest ones have been overtaken.
struct Ranks {
    numbers: VecDeque<u64>,
    overtaken: HashMap<u64, usize>,
    k: usize,
}

impl Ranks {
    fn popped<T: Item>(&mut self, item: &T) {
        let at = self.numbers.iter().position(|&number| item.is(number)).expect("twice, or never pushed");
        assert!(at < self.k, "{at} older items were in the queue: k = {} is broken", self.k);
        if at > 0 {
            let times = self.overtaken.entry(self.numbers[0]).or_insert(0);
            *times += 1;
            assert!(*times < self.k, "an item was overtaken {times} times: k = {} is broken", self.k);
        }
        self.numbers.remove(at);
    }
}

fn over<T: Item, U: Tube>(random: &mut Random) {
    let (most_producers, most_consumers) = (1 + random.below(4), 1 + random.below(4));
    let queue = Queue::<T, U>::with_tube(geometry(random, most_producers, most_consumers)).expect("a small queue");
    let mut ranks = Ranks { numbers: VecDeque::new(), overtaken: HashMap::new(), k: queue.k() };
    let (mut producers, mut consumers, mut next) = (Vec::new(), Vec::new(), 1);
    for _ in 0..steps(300) {
        let one = random.below(producers.len().max(1));
        let other = random.below(consumers.len().max(1));
        match random.below(14) {
            0 => match queue.producer() {
                Ok(producer) => producers.push(producer),
                Err(_) => assert_eq!(producers.len(), most_producers),
            },
            1 => match queue.consumer() {
                Ok(consumer) => consumers.push(consumer),
                Err(_) => assert_eq!(consumers.len(), most_consumers),
            },
            2 if !producers.is_empty() && random.one_in(4) => drop(producers.swap_remove(one)),
            3 if !consumers.is_empty() && random.one_in(4) => drop(consumers.swap_remove(other)),
            4 if !producers.is_empty() => producers[one].pause(),
            5 if !consumers.is_empty() => consumers[other].pause(),
            6..=9 if !producers.is_empty() => match producers[one].push(T::make(next)) {
                Ok(()) => {
                    ranks.numbers.push_back(next);
                    next += 1;
                }
                Err(full) => assert!(full.into_inner().is(next)),
            },
            10..=13 if !consumers.is_empty() => match consumers[other].pop() {
                Ok(item) => ranks.popped(&item),
                Err(PopError::Empty) => {
                    // Other consumers may hold the remaining items in their capsules.
                    let most = if most_consumers == 1 { 0 } else { ranks.k };
                    assert!(ranks.numbers.len() <= most, "empty with {}", ranks.numbers.len());
                }
                Err(PopError::Busy) => {}
            },
            _ => {}
        }
        assert!(producers.len() <= most_producers && consumers.len() <= most_consumers);
    }
    drop(producers);
    consumers.truncate(1);
    if let Some(last) = consumers.first_mut() {
        while let Ok(item) = last.pop() {
            ranks.popped(&item);
        }
        assert!(ranks.numbers.is_empty(), "{} items were left to the last consumer", ranks.numbers.len());
    }
    // The queue and its handles go in either order.
    if random.one_in(2) {
        drop(queue);
        drop(consumers);
    }
}

fn over_every_tube<T: Item>(random: &mut Random) {
    over::<T, SequencedRing>(random);
    over::<T, IndexQueues>(random);
    over::<T, Blocks>(random);
    over::<T, FetchAddBlocks>(random);
    assert_none_is_left();
}

#[test]
fn items_on_the_heap() {
    rounds(80, over_every_tube::<Heap>);
}

#[test]
fn items_of_several_lines() {
    rounds(30, over_every_tube::<Big>);
}

#[test]
fn items_with_much_alignment() {
    rounds(30, over_every_tube::<Aligned>);
}

#[test]
fn words() {
    rounds(30, over_every_tube::<u64>);
}
