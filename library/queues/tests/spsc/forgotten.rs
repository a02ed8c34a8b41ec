//! Batches and handles given to `mem::forget`: no item is dropped twice, and the queue goes on.

use std::num::NonZeroUsize;

use crate::common::{Ending, Kind, Ledger, Number, PopEnd, PushEnd, Setup, Token, Tracked, every_queue};
use aqueduct::queue::{Closed, Len, Pop, Push, PushIter};

fn setups() -> impl Iterator<Item = Setup> {
    [1, 2, 5, 13, 40].into_iter().flat_map(|capacity| [Setup::plain(capacity), Setup::tight(capacity)])
}

/// Asserts that more items pass in order, after the queue has been emptied.
fn assert_usable<T: Tracked, K: Kind<T>>(producer: &mut K::Producer, consumer: &mut K::Consumer, capacity: usize) {
    while consumer.pop().is_ok() {}
    assert!(consumer.is_empty(), "a pop says Empty, is_empty does not");
    assert_eq!(consumer.len(), 0);
    let ledger = Ledger::new(5 * capacity);
    for round in 0..5 {
        let numbers = round * capacity..(round + 1) * capacity;
        let pushed = producer.push_iter(&mut numbers.clone().map(|number| T::hold(ledger.token(number))));
        assert_eq!(pushed, capacity, "round {round}: the slots of a forgotten batch never came back");
        assert!(consumer.drain().map(|item| item.number()).eq(numbers));
    }
    ledger.assert_all_dropped_once();
}

fn a_forgotten_write_batch<T: Tracked, K: Kind<T>>() {
    for setup in setups() {
        for (before, in_batch) in [(0, 1), (1, setup.capacity), (setup.capacity / 2, setup.capacity), (11, 3)] {
            let (mut producer, mut consumer) = K::make(setup).expect("a small queue");
            let ledger = Ledger::new(before + in_batch);
            let mut tokens = (0..before + in_batch).map(|number| T::hold(ledger.token(number)));
            for number in 0..before {
                assert_eq!(producer.push_iter(&mut tokens.by_ref().take(1)), 1);
                assert_eq!(consumer.pop().map(|item| item.number()), Ok(number));
            }
            let mut added = 0;
            let has_batches = producer.batch(in_batch, Ending::Forget, &mut |batch| added = batch.fill(&mut tokens));
            if !has_batches {
                return;
            }
            drop(tokens);
            assert_usable_after_loss::<T, K>(&mut producer, &mut consumer, setup.capacity);
            drop((producer, consumer));
            let leaked = before + added - ledger.dropped();
            assert!(leaked <= added, "{leaked} leaked, {added} were in the batch");
        }
    }
}
every_queue!(write_batch: a_forgotten_write_batch::<Box<Token>>);

/// Asserts that more items pass in order. Items of the forgotten batch may still appear before
/// them.
fn assert_usable_after_loss<T: Tracked, K: Kind<T>>(
    producer: &mut K::Producer,
    consumer: &mut K::Consumer,
    capacity: usize,
) {
    let ledger = Ledger::new(1);
    while producer.push(T::hold(ledger.token(0))).is_err() {
        assert!(consumer.pop().is_ok(), "full and empty at once");
    }
    assert_usable::<T, K>(producer, consumer, capacity);
    ledger.assert_all_dropped_once();
}

fn a_write_batch_forgotten_at_the_end<T: Tracked, K: Kind<T>>() {
    for setup in setups() {
        for before in 0..setup.capacity {
            let (mut producer, mut consumer) = K::make(setup).expect("a small queue");
            let ledger = Ledger::new(before + setup.capacity);
            let mut tokens = (0..before + setup.capacity).map(|number| T::hold(ledger.token(number)));
            for _ in 0..before {
                assert_eq!(producer.push_iter(&mut tokens.by_ref().take(1)), 1);
                assert!(consumer.pop().is_ok());
            }
            producer.batch(usize::MAX, Ending::Forget, &mut |batch| {
                batch.fill(&mut tokens);
            });
            drop((tokens, producer, consumer));
            assert!(ledger.dropped() >= before, "nothing is dropped twice, nothing older is lost");
        }
    }
}
every_queue!(last_write_batch: a_write_batch_forgotten_at_the_end::<Box<Token>>);

fn a_forgotten_read_batch<T: Tracked, K: Kind<T>>() {
    for setup in setups() {
        for before in [0, 1, 4, 11] {
            for taken in [0, 1, setup.capacity / 2, usize::MAX] {
                let (mut producer, mut consumer) = K::make(setup).expect("a small queue");
                let room = setup.capacity + K::surplus(setup);
                let ledger = Ledger::new(before + room);
                let mut tokens = (0..before + room).map(|number| T::hold(ledger.token(number)));
                for number in 0..before {
                    assert_eq!(producer.push_iter(&mut tokens.by_ref().take(1)), 1);
                    assert_eq!(consumer.pop().map(|item| item.number()), Ok(number));
                }
                let pushed = producer.push_iter(&mut tokens);
                drop(tokens);
                let has_batches = consumer.batch(usize::MAX, Ending::Forget, &mut |batch| {
                    let mut count = 0;
                    while count < taken && batch.pop().is_some() {
                        count += 1;
                    }
                });
                if !has_batches {
                    return;
                }
                assert_usable::<T, K>(&mut producer, &mut consumer, setup.capacity);
                drop((producer, consumer));
                let dropped = ledger.dropped() - before;
                assert!(dropped <= pushed);
                if taken == usize::MAX {
                    assert_eq!(dropped, pushed, "all were taken from the batch");
                }
            }
        }
    }
}
every_queue!(read_batch: a_forgotten_read_batch::<Box<Token>>);

fn a_read_batch_forgotten_at_the_end<T: Tracked, K: Kind<T>>() {
    for setup in setups() {
        for taken in 0..=setup.capacity {
            let (mut producer, mut consumer) = K::make(setup).expect("a small queue");
            let ledger = Ledger::new(setup.capacity);
            producer.push_iter(&mut (0..setup.capacity).map(|number| T::hold(ledger.token(number))));
            let has_batches = consumer.batch(setup.capacity, Ending::Forget, &mut |batch| {
                for number in 0..taken {
                    assert_eq!(batch.pop().map(|item| item.number()), Some(number));
                }
            });
            if !has_batches {
                return;
            }
            drop((producer, consumer));
            let dropped = ledger.dropped();
            assert!((taken..=setup.capacity).contains(&dropped), "{dropped} dropped, {taken} taken");
            assert!((0..taken).all(|number| ledger.drops(number) == 1), "a taken item is dropped by its taker");
        }
    }
}
every_queue!(last_read_batch: a_read_batch_forgotten_at_the_end::<Box<Token>>);

fn a_read_batch_forgotten_untouched_loses_nothing<K: Kind<NonZeroUsize>>() {
    let (mut producer, mut consumer) = K::with_capacity(5);
    producer.push_iter(&mut (1..=5).map(NonZeroUsize::of));
    consumer.batch(5, Ending::Forget, &mut |_| {});
    assert_eq!(consumer.len(), 5);
    assert!(consumer.drain().map(|item| item.number()).eq(1..=5));
}
every_queue!(untouched: a_read_batch_forgotten_untouched_loses_nothing);

fn forgotten_handles_leak_and_no_more<T: Tracked, K: Kind<T>>() {
    for forget_producer in [true, false] {
        let (mut producer, mut consumer) = K::with_capacity(4);
        let ledger = Ledger::new(4);
        producer.push_iter(&mut (0..4).map(|number| T::hold(ledger.token(number))));
        if forget_producer {
            std::mem::forget(producer);
            assert!(!consumer.is_closed(), "a forgotten handle counts as alive");
            assert_eq!(consumer.pop().map(|item| item.number()), Ok(0));
            drop(consumer);
            assert_eq!(ledger.dropped(), 1, "the queue lives on for the forgotten handle");
        } else {
            assert_eq!(consumer.pop().map(|item| item.number()), Ok(0));
            std::mem::forget(consumer);
            assert!(!producer.is_closed());
            drop(producer);
            assert_eq!(ledger.dropped(), 1);
        }
    }
}
every_queue!(handles: forgotten_handles_leak_and_no_more::<Box<Token>>);
