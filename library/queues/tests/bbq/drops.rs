//! Every item is dropped exactly once, the oldest first, in whatever order handles are dropped and
//! wherever the items are.

use std::sync::{Arc, Mutex};

use crate::common::{Form, LAST_LAP, Ledger, PopEnd, PushEnd, Token, Tracked, entries, every_form, geometries, room};
use aqueduct::queue::Pop;

fn remaining_items_go_with_the_queue<T: Tracked, F: Form<T>>() {
    for geometry in geometries() {
        let all = entries(geometry);
        for popped_before in [0, 1, geometry.block_size(), all - 1, all, 3 * all + 1] {
            let fit = room(geometry, popped_before, popped_before);
            for left in [0, 1, geometry.block_size(), fit / 2, fit].into_iter().filter(|&left| left <= fit) {
                for producer_first in [true, false] {
                    let ledger = Ledger::new(popped_before + left);
                    let token = |number| T::hold(ledger.token(number));
                    // Lap numbers wrap at the end, or are about to.
                    let (mut producer, mut consumer) =
                        F::starting_at(geometry, LAST_LAP - popped_before / all).expect("a small queue");
                    for number in 0..popped_before {
                        assert_eq!(producer.push_all([token(number)]).0, 1);
                        assert_eq!(consumer.pop().map(|item| item.number()).ok(), Some(number));
                        assert_eq!(ledger.drops(number), 1);
                    }
                    let pushed = producer.push_all((popped_before..popped_before + left).map(token)).0;
                    assert_eq!(pushed, left, "{geometry:?} after {popped_before}");
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
}
every_form!(remains: remaining_items_go_with_the_queue::<Token>);
every_form!(boxed_remains: remaining_items_go_with_the_queue::<Box<Token>>);

/// Some items popped, some pushed again: wherever the oldest and the newest item are.
fn any_part_of_the_ring_is_dropped<T: Tracked, F: Form<T>>() {
    for geometry in geometries() {
        let all = entries(geometry);
        let stride = all.div_ceil(20);
        for popped_before in (0..=all).step_by(stride) {
            for pushed_after in (0..=all).step_by(stride) {
                let ledger = Ledger::new(2 * all);
                let mut made = 0;
                let mut tokens = (0..2 * all).map(|number| {
                    made = number + 1;
                    T::hold(ledger.token(number))
                });
                let (mut producer, mut consumer) = F::starting_at(geometry, LAST_LAP).expect("a small queue");
                assert_eq!(producer.push_all(tokens.by_ref().take(all)).0, all);
                assert_eq!(consumer.drain().take(popped_before).count(), popped_before);
                drop(producer.push_all(tokens.by_ref().take(pushed_after)));
                drop((producer, consumer));
                for number in 0..made {
                    assert_eq!(ledger.drops(number), 1, "token {number} of {made} in {geometry:?}");
                }
            }
        }
    }
}
every_form!(parts: any_part_of_the_ring_is_dropped::<Token>);

fn a_refused_item_comes_back_undropped<T: Tracked, F: Form<T>>() {
    for geometry in geometries() {
        let ledger = Ledger::new(1000);
        let (mut producer, consumer) = F::divided(geometry).expect("a small queue");
        let (pushed, refused) = producer.push_all((0..1000).map(|number| T::hold(ledger.token(number))));
        let refused = refused.expect("less than a thousand fit");
        assert_eq!((refused.number(), ledger.dropped()), (pushed, 0));
        drop(refused);
        assert_eq!((ledger.dropped(), ledger.drops(pushed)), (1, 1));
        drop((producer, consumer));
        assert_eq!(ledger.dropped(), pushed + 1);
    }
}
every_form!(refused: a_refused_item_comes_back_undropped::<Token>);

fn a_drain_that_stops_early_leaves_the_rest<T: Tracked, F: Form<T>>() {
    let ledger = Ledger::new(10);
    let (mut producer, mut consumer) = F::new(10).expect("a small queue");
    assert_eq!(producer.push_all((0..10).map(|number| T::hold(ledger.token(number)))).0, 10);
    assert_eq!(consumer.drain().next().map(|item| item.number()), Some(0));
    assert_eq!(ledger.dropped(), 1);
    assert_eq!(consumer.pop().map(|item| item.number()).ok(), Some(1));
    drop((producer, consumer));
    ledger.assert_all_dropped_once();
}
every_form!(drained: a_drain_that_stops_early_leaves_the_rest::<Token>);

/// Handles are cloned and dropped; the items stay until the last handle of all is dropped.
fn handles_of_one_side_come_and_go<T: Tracked, F: Form<T>>() {
    let ledger = Ledger::new(12);
    let mut tokens = (0..12).map(|number| T::hold(ledger.token(number)));
    let (mut producer, mut consumer) = F::new(12).expect("a small queue");
    for _ in 0..3 {
        assert_eq!(producer.push_all(tokens.by_ref().take(2)).0, 2);
        if let Some(mut another) = producer.another() {
            assert_eq!(another.push_all(tokens.by_ref().take(2)).0, 2);
            let third = another.another();
            drop(std::mem::replace(&mut producer, another));
            drop(third);
        } else {
            assert_eq!(producer.push_all(tokens.by_ref().take(2)).0, 2);
        }
    }
    assert_eq!(ledger.dropped(), 0);
    for number in 0..6 {
        assert_eq!(consumer.pop().map(|item| item.number()).ok(), Some(number));
        if let Some(another) = consumer.another() {
            drop(std::mem::replace(&mut consumer, another));
        }
        assert_eq!(ledger.dropped(), number + 1);
    }
    drop(producer);
    assert_eq!(ledger.dropped(), 6);
    drop(consumer);
    drop(tokens);
    ledger.assert_all_dropped_once();
}
every_form!(clones: handles_of_one_side_come_and_go::<Token>);

/// Records when it is dropped.
struct Logged {
    number: usize,
    log: Arc<Mutex<Vec<usize>>>,
}

impl Drop for Logged {
    fn drop(&mut self) {
        self.log.lock().expect("nobody panics").push(self.number);
    }
}

fn the_oldest_goes_first<F: Form<Logged>>() {
    for geometry in geometries() {
        for popped in 0..=entries(geometry) {
            let log = Arc::new(Mutex::new(Vec::new()));
            let (mut producer, mut consumer) = F::divided(geometry).expect("a small queue");
            let mut items = (0..).map(|number| Logged { number, log: log.clone() });
            let mut pushed = producer.push_all(&mut items).0;
            drop(consumer.drain().take(popped).collect::<Vec<_>>());
            // The item that was refused is not pushed again.
            let fit = room(geometry, pushed, popped);
            log.lock().expect("nobody panics").clear();
            assert_eq!(producer.push_all(items.by_ref().take(fit)).0, fit);
            drop((producer, consumer));
            let mut expected: Vec<_> = (popped..pushed).collect();
            pushed += 1;
            expected.extend(pushed..pushed + fit);
            assert_eq!(*log.lock().expect("nobody panics"), expected, "{popped} popped from {geometry:?}");
        }
    }
}
every_form!(order: the_oldest_goes_first);
