//! Every item is dropped exactly once, in whatever order handles are dropped and wherever the items
//! are.

use crate::common::{
    Ending, Kind, Ledger, PopEnd, PushEnd, Setup, Token, Tracked, every_queue, every_queue_of_anything,
};
use aqueduct::queue::{Len, Pop, Push, PushIter};

fn setups() -> impl Iterator<Item = Setup> {
    [1, 2, 3, 7, 31, 64].into_iter().flat_map(|capacity| [Setup::plain(capacity), Setup::tight(capacity)])
}

fn remaining_items_go_with_the_queue<T: Tracked, K: Kind<T>>() {
    for setup in setups() {
        for popped_before in [0, 1, 2, setup.capacity, 3 * setup.capacity, 600] {
            for producer_first in [true, false] {
                let ledger = Ledger::new(popped_before + setup.capacity);
                let mut tokens = (0..popped_before + setup.capacity).map(|number| T::hold(ledger.token(number)));
                let (mut producer, mut consumer) = K::make(setup).expect("a small queue");
                for number in 0..popped_before {
                    assert_eq!(producer.push_iter(&mut tokens.by_ref().take(1)), 1);
                    assert_eq!(consumer.pop().map(|item| item.number()), Ok(number));
                    assert_eq!(ledger.drops(number), 1);
                }
                assert_eq!(producer.push_iter(&mut tokens), setup.capacity, "{setup:?}");
                drop(tokens);
                if producer_first {
                    drop(producer);
                    assert_eq!(ledger.dropped(), popped_before, "the consumer may still pop the rest");
                    drop(consumer);
                } else {
                    drop(consumer);
                    assert_eq!(ledger.dropped(), popped_before, "the producer still holds the rest");
                    drop(producer);
                }
                ledger.assert_all_dropped_once();
            }
        }
    }
}
every_queue!(boxed_remains: remaining_items_go_with_the_queue::<Box<Token>>);
every_queue_of_anything!(remains: remaining_items_go_with_the_queue::<Token>);

fn a_refused_item_comes_back_undropped<T: Tracked, K: Kind<T>>() {
    let (mut producer, consumer) = K::make(Setup::tight(3)).expect("three items");
    let ledger = Ledger::new(100);
    let mut tokens = (0..100).map(|number| T::hold(ledger.token(number)));
    let pushed = producer.push_iter(&mut tokens);
    let refused = producer.push(tokens.next().expect("more than fit")).expect_err("full").into_inner();
    assert_eq!((refused.number(), ledger.dropped()), (pushed, 0));
    producer.batch(3, Ending::Say, &mut |batch| {
        let refused = batch.push(T::hold(ledger.token(99))).expect_err("no space").into_inner();
        assert_eq!((refused.number(), ledger.drops(99)), (99, 0));
    });
    drop((refused, producer, consumer));
    for number in 0..=pushed {
        assert_eq!(ledger.drops(number), 1, "token {number}");
    }
}
every_queue!(refused: a_refused_item_comes_back_undropped::<Box<Token>>);

fn items_left_in_a_batch_stay_in_the_queue<T: Tracked, K: Kind<T>>() {
    for taken in 0..=12 {
        for ending in [Ending::Say, Ending::Drop] {
            let (mut producer, mut consumer) = K::make(Setup::tight(12)).expect("twelve items");
            let ledger = Ledger::new(12);
            producer.push_iter(&mut (0..12).map(|number| T::hold(ledger.token(number))));
            let has_batches = consumer.batch(12, ending, &mut |batch| {
                for number in 0..taken {
                    assert_eq!(batch.pop().map(|item| item.number()), Some(number));
                }
            });
            if !has_batches {
                return;
            }
            assert_eq!(ledger.dropped(), taken);
            assert_eq!(consumer.len(), 12 - taken);
            assert_eq!(consumer.pop().ok().map(|item| item.number()), (taken < 12).then_some(taken));
            drop((producer, consumer));
            ledger.assert_all_dropped_once();
        }
    }
}
every_queue!(left_in_batch: items_left_in_a_batch_stay_in_the_queue::<Box<Token>>);
every_queue_of_anything!(unboxed_left_in_batch: items_left_in_a_batch_stay_in_the_queue::<Token>);

fn skipped_items_are_dropped<T: Tracked, K: Kind<T>>() {
    let (mut producer, mut consumer) = K::with_capacity(30);
    let ledger = Ledger::new(30);
    producer.push_iter(&mut (0..30).map(|number| T::hold(ledger.token(number))));
    consumer.batch(30, Ending::Drop, &mut |batch| {
        let mut skipped = 0;
        while skipped < 20 {
            let Some(now) = batch.skip_run(3.min(20 - skipped)) else { return };
            skipped += now;
            assert_eq!(ledger.dropped(), skipped);
        }
    });
    if let Some(first) = consumer.peek() {
        assert_eq!(first.map(T::number), Some(20));
    }
    drop((producer, consumer));
    ledger.assert_all_dropped_once();
}
every_queue!(skipped: skipped_items_are_dropped::<Box<Token>>);

fn items_are_dropped_after_a_drain_stops_early<T: Tracked, K: Kind<T>>() {
    let (mut producer, mut consumer) = K::with_capacity(10);
    let ledger = Ledger::new(10);
    producer.push_iter(&mut (0..10).map(|number| T::hold(ledger.token(number))));
    assert_eq!(consumer.drain().next().map(|item| item.number()), Some(0));
    assert_eq!((ledger.dropped(), consumer.len()), (1, 9), "a drain that is dropped leaves the rest");
    drop((consumer, producer));
    ledger.assert_all_dropped_once();
}
every_queue!(drained: items_are_dropped_after_a_drain_stops_early::<Box<Token>>);
