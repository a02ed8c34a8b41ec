//! Each side detects that the other has no handle left, and the items in the queue then stay.

use crate::common::{Form, PopEnd, PushEnd, every_form};
use aqueduct::queue::{Pop, Push};

/// All forms but the shared queue, which has no sides.
fn counts_its_handles<F: Form<u64>>() -> bool {
    let (producer, consumer) = F::new(1).expect("a small queue");
    assert_eq!(producer.is_closed().is_some(), consumer.is_closed().is_some());
    producer.is_closed().is_some()
}

fn producers_go<F: Form<u64>>() {
    if !counts_its_handles::<F>() {
        return;
    }
    let (mut producer, mut consumer) = F::new(5).expect("a small queue");
    assert_eq!(producer.push_all(0..3).0, 3);
    let mut rest = 3;
    if let Some(mut another) = producer.another() {
        let third = another.another();
        drop(producer);
        assert_eq!(consumer.is_closed(), Some(false), "two are left");
        drop(third);
        assert_eq!(consumer.is_closed(), Some(false), "one is left");
        assert_eq!(another.push(3), Ok(()));
        rest += 1;
        // A copy of the last one is one more.
        let copy = another.another();
        drop(another);
        assert_eq!(consumer.is_closed(), Some(false), "the copy is left");
        drop(copy);
    } else {
        drop(producer);
    }
    assert_eq!(consumer.is_closed(), Some(true));
    if let Some(another) = consumer.another() {
        assert_eq!(another.is_closed(), Some(true), "to each of them");
    }
    assert!(consumer.drain().eq(0..rest), "the items pushed before come");
    assert!(consumer.pop().is_err());
    assert_eq!(consumer.is_closed(), Some(true));
}
every_form!(producers: producers_go);

fn consumers_go<F: Form<u64>>() {
    if !counts_its_handles::<F>() {
        return;
    }
    let (mut producer, mut consumer) = F::new(5).expect("a small queue");
    assert_eq!(producer.push_all(0..3).0, 3);
    assert_eq!(consumer.pop(), Ok(0));
    if let Some(mut another) = consumer.another() {
        drop(consumer);
        assert_eq!(producer.is_closed(), Some(false), "one is left");
        assert_eq!(another.pop(), Ok(1));
        let copy = another.another();
        drop(another);
        assert_eq!(producer.is_closed(), Some(false), "the copy is left");
        drop(copy);
    } else {
        drop(consumer);
    }
    assert_eq!(producer.is_closed(), Some(true));
    if let Some(another) = producer.another() {
        assert_eq!(another.is_closed(), Some(true), "to each of them");
    }
    assert!(producer.push_all(3..).0 >= 5 - 2, "the room is there still");
    assert_eq!(producer.push(9), Err(aqueduct::error::PushError::Full(9)), "and nobody makes more");
    assert_eq!(producer.is_closed(), Some(true));
}
every_form!(consumers: consumers_go);

/// Handles of both sides, dropped in any order.
fn any_order<F: Form<Box<u64>>>() {
    for order in 0..16 {
        let (mut producer, mut consumer) = F::new(3).expect("a small queue");
        assert_eq!(producer.push_all((0..3).map(Box::new)).0, 3);
        assert_eq!(consumer.pop(), Ok(Box::new(0)));
        let mut producers = vec![producer.another(), producer.another(), Some(producer)];
        let mut consumers = vec![consumer.another(), consumer.another(), Some(consumer)];
        producers.retain(Option::is_some);
        consumers.retain(Option::is_some);
        for turn in 0.. {
            if (order >> (turn % 4)) & 1 == 0 && !producers.is_empty() || consumers.is_empty() {
                producers.pop();
            } else {
                consumers.pop();
            }
            let (Some(Some(producer)), Some(Some(consumer))) = (producers.first(), consumers.first()) else { break };
            assert_ne!((producer.is_closed(), consumer.is_closed()), (Some(true), Some(true)));
        }
        for producer in producers.iter().flatten() {
            assert_ne!(producer.is_closed(), Some(false));
        }
        for consumer in consumers.iter().flatten() {
            assert_ne!(consumer.is_closed(), Some(false));
        }
    }
}
every_form!(orders: any_order);
