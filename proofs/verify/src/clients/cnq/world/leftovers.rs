//! Slices, and the items left in a queue whose handles are dropped one after the other.

use std::num::NonZeroU64;

use super::super::library::cnq::Queue;
use super::super::library::tube::Tube;
use crate::clients::cnq::spec::Shape;
use aqueduct_model::thread;

use super::handles;
use crate::clients::Client;
use crate::clients::item::{Boxed, Item};

/// Producers that each push a slice of given length, and consumers that each pop one: each pushed
/// item comes once, and the items of one producer reach one consumer in order.
fn slices<U: Tube + 'static>(shape: Shape, pushes: &[usize], pops: &[usize]) {
    let (_queue, producers, mut consumers) = handles::<NonZeroU64, U>(shape);
    let mut producing = Vec::new();
    for (number, (mut producer, &count)) in (1..).zip(producers.into_iter().zip(pushes)) {
        let items: Vec<NonZeroU64> =
            (0..count as u64).filter_map(|item| NonZeroU64::new(100 * number + item)).collect();
        producing.push(thread::spawn(move || {
            let pushed = producer.push_slice(&items);
            producer.pause();
            (producer, items[..pushed].to_vec())
        }));
    }
    let mut own = consumers.pop().expect("a consumer");
    let mut consuming = Vec::new();
    for (mut consumer, &count) in consumers.into_iter().zip(pops) {
        consuming.push(thread::spawn(move || {
            let mut items = vec![NonZeroU64::MAX; count];
            let popped = consumer.pop_slice(&mut items);
            consumer.pause();
            (consumer, items[..popped].to_vec())
        }));
    }
    let mut items = vec![NonZeroU64::MAX; *pops.last().expect("a consumer")];
    let popped = own.pop_slice(&mut items);
    let mut came = vec![items[..popped].to_vec()];
    let (mut went, mut handles) = (Vec::new(), (Vec::new(), Vec::new()));
    for thread in producing {
        let (producer, pushed) = thread.join().expect("a thread that fails ends the execution");
        handles.0.push(producer);
        went.extend(pushed);
    }
    for thread in consuming {
        let (consumer, popped) = thread.join().expect("a thread that fails ends the execution");
        handles.1.push(consumer);
        came.push(popped);
    }
    for items in &came {
        for pair in items.iter().filter(|item| item.get() < 200).collect::<Vec<_>>().windows(2) {
            assert!(pair[0] < pair[1], "out of order: {items:?}");
        }
    }
    let mut rest = vec![NonZeroU64::MAX; went.len() + 1];
    let count = own.pop_slice(&mut rest);
    came.push(rest[..count].to_vec());
    let mut came = came.concat();
    came.sort_unstable();
    assert_eq!(came, went, "what came and what went");
}

/// Threads push and pop, and drop their handles; the last handle drops the items that are left.
fn dropped<U: Tube + 'static>(shape: Shape, filled: u64, pushes: usize, pops: usize) {
    let (queue, mut producers, mut consumers): (Queue<Boxed, U>, _, _) = handles(shape);
    drop(queue);
    for number in 1..=filled {
        assert!(producers[0].push(Boxed::new(number)).is_ok(), "there is room");
    }
    let mut producer = producers.pop().expect("a producer");
    drop(producers);
    thread::spawn(move || {
        (0..pushes).for_each(|_| {
            let _ = producer.push(Boxed::new(100));
        })
    });
    let mut consumer = consumers.pop().expect("a consumer");
    drop(consumers);
    (0..pops).for_each(|_| drop(consumer.pop()));
}

pub(super) fn clients<U: Tube + 'static>(list: &mut Vec<Client>, name: &str) {
    let shape = |capsules, size, producers, consumers| Shape { capsules, size, producers, consumers };
    let mut add = |client: &str, run: Box<dyn Fn() + Send + Sync>| {
        list.push(Client::new(format!("cnq-{name}/{client}"), run));
    };
    add("slices-1x1", Box::new(move || slices::<U>(shape(2, 2, 1, 1), &[5], &[3])));
    add("slices-2x1", Box::new(move || slices::<U>(shape(4, 2, 2, 1), &[3, 2], &[3])));
    add("slices-1x2", Box::new(move || slices::<U>(shape(2, 2, 1, 2), &[4], &[2, 3])));
    add("drop", Box::new(move || dropped::<U>(shape(2, 2, 1, 1), 1, 2, 1)));
    add("drop-one", Box::new(move || dropped::<U>(shape(2, 1, 1, 1), 1, 1, 1)));
    add("drop-two", Box::new(move || dropped::<U>(shape(4, 2, 2, 2), 1, 1, 2)));
}
