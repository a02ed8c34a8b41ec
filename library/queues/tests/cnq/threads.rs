//! Threads that stress a queue.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use aqueduct::cnq::{Consumer, Geometry, Producer, Queue};
use aqueduct::tube::Tube;

use crate::handles;

type Item = (usize, usize);

/// Pushes that many, some at once, others one at a time.
fn produce<U: Tube>(mut producer: Producer<Item, U>, number: usize, from: usize, to: usize) {
    let mut next = from;
    while next < to {
        let pushed = if next.is_multiple_of(3) {
            let items: Vec<Item> = (next..to.min(next + 5)).map(|it| (number, it)).collect();
            producer.push_slice(&items)
        } else {
            usize::from(producer.push((number, next)).is_ok())
        };
        if pushed == 0 {
            thread::yield_now();
        }
        next += pushed;
    }
}

/// Pops until all items have been popped. Checks nothing: others would wait for a consumer that
/// panics.
fn consume<U: Tube>(consumer: &mut Consumer<Item, U>, left: &AtomicUsize, most: usize, came: &mut Vec<Item>) {
    let mut into = [(0, 0); 3];
    let mut taken = 0;
    while left.load(Ordering::Relaxed) > 0 && taken < most {
        let items = match taken % 2 {
            0 => {
                let count = consumer.pop_slice(&mut into);
                &into[..count]
            }
            _ => consumer.pop().map_or(&[][..], |item| {
                into[0] = item;
                &into[..1]
            }),
        };
        if items.is_empty() {
            thread::yield_now();
        }
        came.extend(items);
        taken += items.len();
        left.fetch_sub(items.len(), Ordering::Relaxed);
    }
}

/// A consumer gets each producer's items in order, where no other one leaves older ones to it.
fn check_order(came: &[Item], producers: usize) {
    for producer in 0..producers {
        let of_one: Vec<usize> = came.iter().filter(|item| item.0 == producer).map(|item| item.1).collect();
        assert!(of_one.is_sorted(), "out of order: {of_one:?} of {producer}");
    }
}

/// All items are popped, once.
fn check(mut came: Vec<Item>, producers: usize, each: usize) {
    came.sort_unstable();
    let all: Vec<Item> = (0..producers).flat_map(|producer| (0..each).map(move |number| (producer, number))).collect();
    assert!(came == all, "{} items instead of {}", came.len(), all.len());
}

fn nothing_is_lost_among_many<U: Tube>() {
    const EACH: usize = 3000;
    for (producing, consuming, size) in [(2, 2, 1), (2, 2, 16), (1, 3, 4), (3, 1, 4), (2, 2, 200)] {
        let geometry = Geometry::new(16, size, producing, consuming).expect("a small queue");
        let (_queue, producers, consumers) = handles::<Item, U>(geometry);
        let left = AtomicUsize::new(producing * EACH);
        let all = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for (number, producer) in producers.into_iter().enumerate() {
                scope.spawn(move || produce(producer, number, 0, EACH));
            }
            for mut consumer in consumers {
                let (left, all) = (&left, &all);
                scope.spawn(move || {
                    let mut came = Vec::new();
                    consume(&mut consumer, left, usize::MAX, &mut came);
                    check_order(&came, producing);
                    all.lock().expect("nobody panics").extend(came);
                });
            }
        });
        check(all.into_inner().expect("nobody panics"), producing, EACH);
    }
}

/// Threads whose handles are registered and dropped all the time. Items that a consumer leaves can
/// go to one that has had younger items.
fn handles_come_and_go<U: Tube>() {
    const EACH: usize = 1500;
    const AT_A_TIME: usize = 23;
    let geometry = Geometry::new(8, 8, 2, 2).expect("a small queue");
    let queue = Queue::<Item, U>::with_tube(geometry).expect("a small queue");
    let left = AtomicUsize::new(2 * EACH);
    let all = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for number in 0..2 {
            let queue = &queue;
            scope.spawn(move || {
                for from in (0..EACH).step_by(AT_A_TIME) {
                    let producer = queue.producer().expect("two at most");
                    produce(producer, number, from, EACH.min(from + AT_A_TIME));
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                let mut came = Vec::new();
                while left.load(Ordering::Relaxed) > 0 {
                    let mut consumer = queue.consumer().expect("two at most");
                    consume(&mut consumer, &left, AT_A_TIME, &mut came);
                }
                all.lock().expect("nobody panics").extend(came);
            });
        }
    });
    check(all.into_inner().expect("nobody panics"), 2, EACH);
}

crate::tubes! {
    nothing_is_lost_among_many
    handles_come_and_go
}
