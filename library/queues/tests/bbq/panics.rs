//! A panic in an item's drop while the queue is dropped: all the others are dropped, and one panic
//! reaches the caller.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::common::{Form, Ledger, PushEnd, Token, Tracked, entries, every_form, geometries};
use aqueduct::queue::{Pop, Push};

/// Tokens, of which number `bomb` panics when it is dropped.
fn tokens<T: Tracked>(ledger: &Arc<Ledger>, count: usize, bomb: usize) -> impl Iterator<Item = T> + use<'_, T> {
    (0..count).map(move |number| T::hold(if number == bomb { ledger.bomb(number) } else { ledger.token(number) }))
}

/// Runs `work`, which is to panic as token number `bomb` does.
fn panics(bomb: usize, work: impl FnOnce()) {
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("the panic was swallowed");
    let text = panic.downcast_ref::<String>().expect("a panic with text");
    assert_eq!(*text, format!("token {bomb} panics in its drop, as the test wants"));
}

fn the_rest_is_dropped<T: Tracked, F: Form<T>>() {
    for geometry in geometries() {
        let all = entries(geometry);
        for rotation in [0, 1, geometry.block_size(), all + 1] {
            for bomb in [0, geometry.block_size() - 1, geometry.capacity() - 1] {
                for producer_first in [true, false] {
                    let (mut producer, mut consumer) = F::divided(geometry).expect("a small queue");
                    let before = Ledger::new(1);
                    for _ in 0..rotation {
                        assert!(producer.push(T::hold(before.token(0))).is_ok());
                        assert!(consumer.pop().is_ok());
                    }
                    let ledger = Ledger::new(geometry.capacity());
                    let pushed = producer.push_all(tokens(&ledger, geometry.capacity(), bomb)).0;
                    assert_eq!(pushed, geometry.capacity());
                    if producer_first {
                        drop(producer);
                        panics(bomb, || drop(consumer));
                    } else {
                        drop(consumer);
                        panics(bomb, || drop(producer));
                    }
                    ledger.assert_all_dropped_once();
                }
            }
        }
    }
}
every_form!(remains: the_rest_is_dropped::<Token>);
every_form!(boxed_remains: the_rest_is_dropped::<Box<Token>>);

/// A popped item that panics when it is dropped does not affect the queue.
fn popped_items_may_panic<T: Tracked, F: Form<T>>() {
    for geometry in geometries() {
        let ledger = Ledger::new(geometry.capacity());
        let (mut producer, mut consumer) = F::divided(geometry).expect("a small queue");
        producer.push_all(tokens(&ledger, geometry.capacity(), 0));
        panics(0, || drop(consumer.pop()));
        assert_eq!(ledger.dropped(), 1);
        for number in 1..geometry.capacity() {
            assert_eq!(consumer.pop().map(|item| item.number()).ok(), Some(number));
        }
        ledger.assert_all_dropped_once();
        let more = Ledger::new(1);
        assert!(producer.push(T::hold(more.token(0))).is_ok());
        assert!(consumer.pop().is_ok_and(|item| item.number() == 0));
    }
}
every_form!(popped: popped_items_may_panic::<Token>);

/// An iterator that panics while its items are pushed leaves those before it in the queue, and a
/// consumer's loop that panics those after.
fn loops_may_panic<T: Tracked, F: Form<T>>() {
    let ledger = Ledger::new(10);
    let (mut producer, mut consumer) = F::new(10).expect("a small queue");
    let failing = (0..).map(|number| {
        assert!(number < 10, "token 10 panics in its drop, as the test wants");
        T::hold(ledger.token(number))
    });
    assert!(catch_unwind(AssertUnwindSafe(|| drop(producer.push_all(failing)))).is_err());
    assert_eq!(ledger.dropped(), 0);
    let failing = catch_unwind(AssertUnwindSafe(|| {
        consumer.drain().for_each(|item| assert!(item.number() < 4, "as the test wants"));
    }));
    assert!(failing.is_err());
    assert_eq!(ledger.dropped(), 5, "those that came, up to the one with the panic");
    assert_eq!(consumer.pop().map(|item| item.number()).ok(), Some(5));
    drop((producer, consumer));
    ledger.assert_all_dropped_once();
}
every_form!(loops: loops_may_panic::<Token>);
