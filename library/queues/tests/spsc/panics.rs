//! Panics in user code: an item's drop, an iterator. The rest is still dropped once, and the queue
//! goes on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::common::{
    Ending, Kind, Ledger, PopEnd, PushEnd, Setup, Token, Tracked, every_queue, every_queue_of_anything,
};
use aqueduct::queue::{Len, Pop, Push, PushIter};

/// Runs `work`, which must panic.
fn panics(work: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(work)).is_err(), "the panic was swallowed");
}

/// Makes tokens, of which number `bomb` panics when it is dropped.
fn tokens<T: Tracked>(ledger: &Arc<Ledger>, count: usize, bomb: usize) -> impl Iterator<Item = T> + use<'_, T> {
    (0..count).map(move |number| T::hold(if number == bomb { ledger.bomb(number) } else { ledger.token(number) }))
}

fn the_rest_is_dropped_when_a_drop_panics<T: Tracked, K: Kind<T>>() {
    for capacity in [1, 2, 7, 40] {
        for rotation in [0, 1, capacity / 2, capacity + 3] {
            for bomb in [0, capacity / 2, capacity - 1] {
                for producer_first in [true, false] {
                    let (mut producer, mut consumer) = K::make(Setup::tight(capacity)).expect("a small queue");
                    let before = Ledger::new(1);
                    for _ in 0..rotation {
                        assert!(producer.push(T::hold(before.token(0))).is_ok());
                        assert!(consumer.pop().is_ok());
                    }
                    let ledger = Ledger::new(capacity);
                    assert_eq!(producer.push_iter(&mut tokens(&ledger, capacity, bomb)), capacity);
                    if producer_first {
                        drop(producer);
                        panics(|| drop(consumer));
                    } else {
                        drop(consumer);
                        panics(|| drop(producer));
                    }
                    ledger.assert_all_dropped_once();
                }
            }
        }
    }
}
every_queue!(boxed_remains: the_rest_is_dropped_when_a_drop_panics::<Box<Token>>);
every_queue_of_anything!(remains: the_rest_is_dropped_when_a_drop_panics::<Token>);

/// A token panics while `work` has a batch of 12 tokens open: tokens that were taken are gone, the
/// others are in order.
fn a_drop_panics_in_a_batch<T: Tracked, K: Kind<T>>(work: impl Fn(&mut K::Consumer)) {
    for bomb in 0..12 {
        let (mut producer, mut consumer) = K::make(Setup::tight(12)).expect("twelve items");
        if !consumer.batch(0, Ending::Drop, &mut |_| {}) {
            return;
        }
        let ledger = Ledger::new(12);
        producer.push_iter(&mut tokens(&ledger, 12, bomb));
        panics(|| work(&mut consumer));
        assert_eq!(ledger.dropped(), bomb + 1, "the items up to the one that panicked");
        assert_eq!(consumer.len(), 11 - bomb);
        let more = Ledger::new(1);
        assert!(producer.push(T::hold(more.token(0))).is_ok(), "a taken item leaves room");
        assert!((bomb + 1..12).chain([0]).eq(consumer.drain().map(|item| item.number())));
        drop((producer, consumer));
        ledger.assert_all_dropped_once();
        more.assert_all_dropped_once();
    }
}

fn in_a_popped_item<T: Tracked, K: Kind<T>>() {
    a_drop_panics_in_a_batch::<T, K>(|consumer| {
        consumer.batch(12, Ending::Drop, &mut |batch| while batch.pop().is_some() {});
    });
}
every_queue!(popping: in_a_popped_item::<Box<Token>>);
every_queue_of_anything!(popping_unboxed: in_a_popped_item::<Token>);

fn in_a_skipped_item<T: Tracked, K: Kind<T>>() {
    a_drop_panics_in_a_batch::<T, K>(|consumer| {
        consumer.batch(12, Ending::Drop, &mut |batch| {
            while batch.skip_run(5).unwrap_or_else(|| batch.pop().into_iter().count()) != 0 {}
        });
    });
}
every_queue!(skipping: in_a_skipped_item::<Box<Token>>);

fn in_the_closure_of_a_fold<T: Tracked, K: Kind<T>>() {
    let (mut producer, mut consumer) = K::make(Setup::tight(12)).expect("twelve items");
    let ledger = Ledger::new(12);
    producer.push_iter(&mut tokens(&ledger, 12, 4));
    // The items go into a vector, whose drop panics at number 4 and drops the rest.
    if consumer.fold_batch(6).is_some_and(|items| catch_unwind(AssertUnwindSafe(|| drop(items))).is_ok()) {
        panic!("the panic was swallowed");
    }
    let taken = 12 - consumer.len();
    assert!(taken == 6 || taken == 0, "{taken} taken by a batch of 6");
    assert_eq!(ledger.dropped(), taken);
    let rest = catch_unwind(AssertUnwindSafe(|| drop((producer, consumer))));
    assert_eq!(rest.is_err(), taken == 0);
    ledger.assert_all_dropped_once();
}
every_queue!(folding: in_the_closure_of_a_fold::<Box<Token>>);

/// Returns an iterator of `count` tokens that then panics.
fn failing<T: Tracked>(ledger: &Arc<Ledger>, count: usize) -> impl Iterator<Item = T> + use<'_, T> {
    (0..).map(move |number| {
        assert!(number < count, "the iterator panics, as the test wants");
        T::hold(ledger.token(number))
    })
}

/// Asserts that the items before the panic are in the queue.
fn assert_kept<T: Tracked, K: Kind<T>>(
    mut producer: K::Producer,
    mut consumer: K::Consumer,
    ledger: &Ledger,
    count: usize,
) {
    assert_eq!(ledger.dropped(), 0);
    assert_eq!(consumer.len(), count);
    let more = Ledger::new(1);
    assert!(producer.push(T::hold(more.token(0))).is_ok());
    assert!((0..count).chain([0]).eq(consumer.drain().map(|item| item.number())));
    ledger.assert_all_dropped_once();
}

fn in_an_iterator_that_is_pushed<T: Tracked, K: Kind<T>>() {
    for count in [0, 1, 5, 19] {
        let (mut producer, consumer) = K::make(Setup::tight(20)).expect("twenty items");
        let ledger = Ledger::new(count);
        panics(|| {
            producer.push_iter(&mut failing(&ledger, count));
        });
        assert_kept::<T, K>(producer, consumer, &ledger, count);
    }
}
every_queue!(pushing: in_an_iterator_that_is_pushed::<Box<Token>>);

fn in_an_iterator_that_fills_a_batch<T: Tracked, K: Kind<T>>() {
    for count in [0, 1, 5, 19] {
        let (mut producer, consumer) = K::make(Setup { partition: 32, ..Setup::tight(20) }).expect("twenty items");
        let ledger = Ledger::new(count);
        let mut has_batches = false;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            producer.batch(20, Ending::Drop, &mut |batch| {
                has_batches = true;
                batch.fill(&mut failing(&ledger, count));
            });
        }));
        assert_eq!(outcome.is_err(), has_batches, "the panic was swallowed");
        if has_batches {
            assert_kept::<T, K>(producer, consumer, &ledger, count);
        }
    }
}
every_queue!(filling: in_an_iterator_that_fills_a_batch::<Box<Token>>);
