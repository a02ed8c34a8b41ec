//! All handles in one thread: each result is known exactly.

use std::collections::VecDeque;

use aqueduct::error::{PopError, PushError};
use aqueduct::tube::Tube;

use crate::{geometry, handles};

/// One of either is first in, first out.
fn one_of_either<U: Tube>() {
    for (capsules, size) in [(1, 1), (1, 4), (2, 1), (2, 3), (4, 2), (8, 100)] {
        let (queue, mut producers, mut consumers) = handles::<usize, U>(geometry(capsules, size, 1, 1));
        assert_eq!(queue.k(), 1);
        let (mut next, mut expected) = (0, 0);
        for round in 0..200 {
            for _ in 0..=round % (queue.capacity() + 2) {
                match producers[0].push(next) {
                    Ok(()) => next += 1,
                    Err(error) => assert_eq!(error, PushError::Full(next)),
                }
            }
            for _ in 0..=round % 7 {
                match consumers[0].pop() {
                    Ok(item) => {
                        assert_eq!(item, expected);
                        expected += 1;
                    }
                    Err(error) => assert!(error == PopError::Empty && expected == next, "{expected} {next}"),
                }
            }
        }
        while let Ok(item) = consumers[0].pop() {
            assert_eq!(item, expected);
            expected += 1;
        }
        assert_eq!(expected, next);
    }
}

fn one_producer_fills_the_queue<U: Tube>() {
    let (queue, mut producers, mut consumers) = handles::<usize, U>(geometry(4, 5, 1, 1));
    for number in 0..queue.capacity() {
        assert_eq!(producers[0].push(number), Ok(()));
    }
    assert_eq!(producers[0].push(0), Err(PushError::Full(0)));
    assert_eq!((0..5).map(|_| consumers[0].pop().expect("full")).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert_eq!(producers[0].push(1), Ok(()), "a capsule is free");
}

fn slices_go_over_capsules<U: Tube>() {
    let (queue, mut producers, mut consumers) = handles::<usize, U>(geometry(4, 5, 1, 1));
    let items: Vec<usize> = (0..40).collect();
    let mut into = [0; 40];
    assert_eq!(producers[0].push_slice(&[]), 0);
    assert_eq!(consumers[0].pop_slice(&mut into), 0);
    assert_eq!(consumers[0].pop_slice(&mut []), 0);
    assert_eq!(producers[0].push_slice(&items[..3]), 3);
    assert_eq!(producers[0].push_slice(&items[3..]), queue.capacity() - 3);
    assert_eq!(producers[0].push_slice(&items), 0);
    assert_eq!(consumers[0].pop_slice(&mut into[..7]), 7);
    assert_eq!(producers[0].push_slice(&items[20..]), 5, "one capsule is free");
    assert_eq!(consumers[0].pop_slice(&mut into[7..]), 18);
    assert_eq!(into[..25], items[..25]);
}

/// A producer whose capsule is closed gets the item back and puts it into another one.
fn a_closed_capsule_loses_nothing<U: Tube>() {
    let (_queue, mut producers, mut consumers) = handles::<usize, U>(geometry(8, 4, 2, 1));
    for number in 0..100 {
        // Each of the two closes the other's capsule: the consumer does it to go on.
        assert_eq!(producers[0].push(2 * number), Ok(()));
        assert_eq!(producers[1].push(2 * number + 1), Ok(()));
        let mut came: Vec<usize> = (0..2).map(|_| consumers[0].pop().expect("two items")).collect();
        came.sort_unstable();
        assert_eq!(came, [2 * number, 2 * number + 1]);
        assert_eq!(consumers[0].pop(), Err(PopError::Empty));
    }
}

/// Producers that stall forever hold up no other thread, in any number of laps of the tube.
fn idle_producers_hold_up_nobody<U: Tube>() {
    let (_queue, mut producers, mut consumers) = handles::<usize, U>(geometry(4, 2, 3, 1));
    let mut busy = producers.pop().expect("three of them");
    for producer in &mut producers {
        assert_eq!(producer.push(0), Ok(()));
    }
    let idle = producers.pop().expect("two of them");
    std::mem::forget(producers.pop());
    let mut came = 0;
    for number in 1..=1000 {
        assert_eq!(busy.push(number), Ok(()));
        while let Ok(item) = consumers[0].pop() {
            assert!(item == 0 || item == number);
            came += 1;
        }
    }
    assert_eq!(came, 1002);
    drop(idle);
}

/// The other consumers get the items that one leaves, the oldest first.
fn fragments_are_taken_first<U: Tube>() {
    let (queue, mut producers, mut consumers) = handles::<usize, U>(geometry(8, 3, 1, 2));
    for number in 0..12 {
        assert_eq!(producers[0].push(number), Ok(()));
    }
    let mut second = consumers.pop().expect("two of them");
    let mut first = consumers.pop().expect("two of them");
    assert_eq!((first.pop(), second.pop()), (Ok(0), Ok(3)));
    drop(second);
    drop(first);
    let mut third = queue.consumer().expect("there is none");
    let came: Vec<usize> = std::iter::from_fn(|| third.pop().ok()).collect();
    assert_eq!(came, [1, 2, 4, 5, 6, 7, 8, 9, 10, 11]);
}

/// Consumers that do not go on let the others overtake as far as k says, and then have them wait:
/// not longer than until they are dropped.
fn an_idle_consumer_is_waited_for<U: Tube>() {
    let (queue, mut producers, mut consumers) = handles::<usize, U>(geometry(16, 4, 1, 2));
    for number in 0..40 {
        assert_eq!(producers[0].push(number), Ok(()));
    }
    let mut second = consumers.pop().expect("two of them");
    let mut first = consumers.pop().expect("two of them");
    assert_eq!(first.pop(), Ok(0));
    let came: Vec<usize> = std::iter::from_fn(|| second.pop().ok()).collect();
    assert_eq!(came, [4, 5, 6, 7], "k is {}", queue.k());
    assert_eq!(second.pop(), Err(PopError::Busy));
    drop(first);
    assert_eq!(second.pop(), Ok(1));
}

/// Three capsules' worth of handles at random, against a list: no item is lost, comes twice, or
/// comes out of order by k or more; and no pop returns `Empty` while there are more than k items.
fn at_random<U: Tube>() {
    for seed in 0..40 {
        let (producing, consuming, size) = (1 + seed % 3, 1 + seed / 3 % 3, 1 + seed / 9 % 4);
        let geometry = geometry(8, size, producing, consuming);
        let (queue, mut producers, mut consumers) = handles::<u64, U>(geometry);
        let mut inside = VecDeque::new();
        let (mut next, mut passed, mut random) = (0, 0, seed as u64);
        let mut draw = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % below
        };
        for _ in 0..4000 {
            match draw(40) {
                0 => {
                    let one = draw(producing);
                    producers.remove(one);
                    producers.push(queue.producer().expect("one was dropped"));
                }
                1 => {
                    let one = draw(consuming);
                    consumers.remove(one);
                    consumers.push(queue.consumer().expect("one was dropped"));
                }
                2..20 => {
                    let many = (0..=draw(6)).map(|more| next + more as u64).collect::<Vec<_>>();
                    let producer = &mut producers[draw(producing)];
                    let pushed = match draw(2) {
                        0 => usize::from(producer.push(next).is_ok()),
                        _ => producer.push_slice(&many),
                    };
                    inside.extend(next..next + pushed as u64);
                    next += pushed as u64;
                }
                _ => match consumers[draw(consuming)].pop() {
                    Ok(item) => {
                        let rank = inside.iter().position(|&other| other == item).expect("it is in the queue");
                        assert!(rank < queue.k(), "{rank} of {geometry:?}");
                        inside.remove(rank);
                        passed = if rank == 0 { 0 } else { passed + 1 };
                        assert!(passed < queue.k(), "{passed} of {geometry:?}");
                    }
                    Err(PopError::Empty) => assert!(inside.len() <= (consuming - 1) * size, "{inside:?} {geometry:?}"),
                    Err(PopError::Busy) => assert!(consuming > 1),
                },
            }
        }
        drop(consumers);
        let mut consumer = queue.consumer().expect("there is none");
        for _ in 0..inside.len() {
            let item = consumer.pop().expect("the others have gone");
            inside.retain(|&other| other != item);
        }
        assert!(inside.is_empty() && consumer.pop() == Err(PopError::Empty));
    }
}

crate::tubes! {
    one_of_either
    one_producer_fills_the_queue
    slices_go_over_capsules
    a_closed_capsule_loses_nothing
    idle_producers_hold_up_nobody
    fragments_are_taken_first
    an_idle_consumer_is_waited_for
    at_random
}
