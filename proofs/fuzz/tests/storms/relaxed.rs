//! CNQ beside a clock: each producer's items come in its order, and no item overtakes `k` older
//! ones.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use aqueduct::cnq::{Geometry, Queue};
use aqueduct::tube::SequencedRing;
use aqueduct_fuzz::Random;

use crate::weather::{storm, threads};

/// The items of each producer.
const EACH: usize = 300;

/// A producer's number, and the number of its item.
type Item = (usize, usize);

/// Pushes all items of one producer. Returns when each push began and when it had ended.
fn push_all(queue: &Queue<Item, SequencedRing>, number: usize, mut random: Random, clock: &AtomicUsize) -> Vec<Item> {
    let mut producer = queue.producer().expect("a place for each producer");
    let push = |at| {
        match random.below(30) {
            0 => thread::yield_now(),
            1 => thread::sleep(Duration::from_micros(random.below(100) as u64)),
            _ => {}
        }
        let (mut item, began) = ((number, at), clock.fetch_add(1, SeqCst));
        while let Err(error) = producer.push(item) {
            item = error.into_inner();
            thread::yield_now();
        }
        (began, clock.fetch_add(1, SeqCst))
    };
    (0..EACH).map(push).collect()
}

fn round(random: &mut Random) -> usize {
    let producers = 3 + random.below(threads().max(4) - 3);
    let geometry = Geometry::new(2 * producers + random.below(20), 1 + random.below(6), producers, 1).expect("small");
    let queue = Queue::new(geometry).expect("a small queue");
    let (k, clock) = (geometry.k(), AtomicUsize::new(0));
    let mut popped: Vec<Item> = Vec::new();
    let pushed: Vec<Vec<(usize, usize)>> = thread::scope(|scope| {
        let (queue, clock) = (&queue, &clock);
        let start = |number| {
            let random = random.fork();
            scope.spawn(move || push_all(queue, number, random, clock))
        };
        let handles: Vec<_> = (0..producers).map(start).collect();
        let mut consumer = queue.consumer().expect("a place for the consumer");
        while popped.len() < producers * EACH {
            match consumer.pop() {
                Ok(item) => popped.push(item),
                Err(_) => thread::yield_now(),
            }
        }
        handles.into_iter().map(|handle| handle.join().expect("a producer ends")).collect()
    });

    let mut next = vec![0; producers];
    let mut place = vec![[0; EACH]; producers];
    for (at, &(producer, number)) in popped.iter().enumerate() {
        assert_eq!(number, next[producer], "the order of producer {producer}, {geometry:?}");
        next[producer] += 1;
        place[producer][number] = at;
    }
    // An item is older than another if its push had ended before the other's began.
    let ends = |producer: usize| pushed[producer].iter().enumerate().map(move |(at, &(_, end))| (end, producer, at));
    let mut ended: Vec<_> = (0..producers).flat_map(ends).collect();
    ended.sort_unstable();
    for (at, &(producer, number)) in popped.iter().enumerate() {
        let (began, _) = pushed[producer][number];
        let older = ended.iter().take_while(|(end, ..)| *end < began);
        let overtaken = older.filter(|(_, producer, number)| place[*producer][*number] > at).count();
        assert!(overtaken < k, "item {number} of producer {producer} overtook {overtaken} older ones, {geometry:?}");
    }
    popped.len()
}

#[test]
fn no_item_overtakes_k_older_ones() {
    storm("k-relaxed queues", "items", round);
}
