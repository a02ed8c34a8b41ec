//! Handles given to `mem::forget`: they count as present, their queue's memory stays, and all
//! others go on.

use std::mem::{ManuallyDrop, forget};

use crate::common::{Form, Ledger, PopEnd, PushEnd, Token, Tracked, entries, every_form, geometries};
use aqueduct::queue::{Pop, Push};

fn a_forgotten_producer<T: Tracked, F: Form<T>>() {
    for geometry in geometries() {
        let count = geometry.capacity();
        let ledger = Ledger::new(count + 1);
        let (mut producer, mut consumer) = F::divided(geometry).expect("a small queue");
        assert_eq!(producer.push_all((0..count).map(|number| T::hold(ledger.token(number)))).0, count);
        if let Some(mut another) = producer.another() {
            forget(producer);
            assert!(another.push(T::hold(ledger.token(count))).is_ok());
            drop(another);
        } else {
            forget(producer);
            drop(ledger.token(count));
        }
        assert_ne!(consumer.is_closed(), Some(true), "a forgotten handle counts");
        for number in 0..count {
            assert_eq!(consumer.pop().map(|item| item.number()).ok(), Some(number));
        }
        consumer.drain().for_each(|item| assert_eq!(item.number(), count));
        assert!(consumer.pop().is_err());
        drop(consumer);
        ledger.assert_all_dropped_once();
    }
}
every_form!(producer: a_forgotten_producer::<Token>);

fn a_forgotten_consumer<T: Tracked, F: Form<T>>() {
    for geometry in geometries() {
        let all = entries(geometry);
        let ledger = Ledger::new(2 * all + 2);
        let mut tokens = (0..).map(|number| T::hold(ledger.token(number)));
        let (mut producer, mut consumer) = F::divided(geometry).expect("a small queue");
        assert_eq!(producer.push_all(tokens.by_ref().take(all)).0, all);
        assert_eq!(consumer.pop().map(|item| item.number()).ok(), Some(0));
        let another = consumer.another();
        forget(consumer);
        if let Some(mut another) = another {
            let popped = another.drain().map(|item| item.number());
            assert!(popped.eq(1..all), "the others go on");
            assert_eq!(producer.push_all(tokens.by_ref().take(all)).0, all);
        } else {
            let room = if geometry.block_size() == 1 { 1 } else { 0 };
            assert_eq!(producer.push_all(tokens.by_ref().take(all)).0, room, "what it gave back, and no more");
        }
        assert_ne!(producer.is_closed(), Some(true), "a forgotten handle counts");
        let dropped = ledger.dropped();
        drop(producer);
        assert_eq!(ledger.dropped(), dropped, "the items stay");
    }
}
every_form!(consumer: a_forgotten_consumer::<Token>);

fn forgotten_copies<T: Tracked, F: Form<T>>() {
    let ledger = Ledger::new(40);
    let mut tokens = (0..40).map(|number| T::hold(ledger.token(number)));
    let (mut producer, mut consumer) = F::new(10).expect("a small queue");
    for round in 0..4 {
        forget((producer.another(), consumer.another()));
        assert_eq!(producer.push_all(tokens.by_ref().take(10)).0, 10);
        assert!(consumer.drain().map(|item| item.number()).eq(10 * round..10 * round + 10));
    }
    ledger.assert_all_dropped_once();
}
every_form!(copies: forgotten_copies::<Token>);

/// A drain that is forgotten has nothing to undo.
fn a_forgotten_drain<T: Tracked, F: Form<T>>() {
    let ledger = Ledger::new(5);
    let (mut producer, mut consumer) = F::new(5).expect("a small queue");
    assert_eq!(producer.push_all((0..5).map(|number| T::hold(ledger.token(number)))).0, 5);
    let mut drain = ManuallyDrop::new(consumer.drain());
    assert_eq!(drain.next().map(|item| item.number()), Some(0));
    assert!(consumer.drain().map(|item| item.number()).eq(1..5));
    drop((producer, consumer));
    ledger.assert_all_dropped_once();
}
every_form!(drain: a_forgotten_drain::<Token>);
