//! Containers that are wrong in some clients only, and promises that a container does not keep.

use std::sync::Arc;

use aqueduct_model::linearizability::QueueOp::{Pop, Push};
use aqueduct_model::linearizability::QueueResult::Pushed;
use aqueduct_model::linearizability::{Fifo, History, Stack, Synchronized};
use aqueduct_model::sync::atomic::Ordering::{self, AcqRel, Acquire};
use aqueduct_model::{Config, Failure, await_until, thread};

use super::{Container, Contents, HERLIHY_WING, TREIBER_ON_THE_HEAP, adds_in_order, client, takes_in_order};
use crate::published::queues::Positions;

fn failure<O: 'static, S: Contents>(container: &Container<O>, spec: fn() -> S, calls: [usize; 2]) -> Option<Failure> {
    Config::new()
        .finds_leaks(false)
        .check(client(container, spec, calls, |history| history.check_for_every_client()))
        .failure
}

/// Asserts that results have an order, and no order has the synchronization.
fn lacks_synchronization(failure: Option<Failure>) {
    let failure = failure.expect("the container does not keep the promise");
    let why = "no order of these calls has the synchronization that is promised";
    assert!(failure.message.contains(why), "{failure}");
}

#[test]
fn calls_of_herlihy_and_wings_queue_do_not_synchronize() {
    lacks_synchronization(failure(&WAITING, || takes_in_order(Fifo::new()), [2, 2]));
    lacks_synchronization(failure(&WAITING, || adds_in_order(Fifo::new()), [2, 2]));
    assert!(failure(&WAITING, || Synchronized::by_items(Fifo::new()), [2, 2]).is_none());
}

/// A push that finds the empty stack need not have read from the pop that emptied it.
#[test]
fn pushes_and_pops_of_treibers_stack_on_the_heap_do_not_synchronize() {
    lacks_synchronization(failure(&TREIBER_ON_THE_HEAP, || adds_in_order(Stack::new()), [2, 2]));
    lacks_synchronization(failure(&TREIBER_ON_THE_HEAP, || takes_in_order(Stack::new()), [2, 2]));
}

fn take(queue: &Positions, swap: Ordering) -> Option<usize> {
    let mut item = None;
    await_until(|| {
        item = queue.attempt(swap);
        item.is_some()
    });
    item
}

/// Herlihy and Wing's queue, whose pops wait for an item.
const WAITING: Container<Positions> = Container { take: |queue| take(queue, AcqRel), ..HERLIHY_WING };

/// Herlihy and Wing's queue, whose pops wait for an item, and do not release.
const WITHOUT_RELEASE: Container<Positions> = Container { take: |queue| take(queue, Acquire), ..HERLIHY_WING };

/// A queue with its history, and the ordering by which a pop takes an item.
type Shared = (History<Synchronized<Fifo<usize>>>, Positions, Ordering);

fn push((history, queue, _): &Shared, item: usize) {
    history.call(Push(item), || {
        queue.enqueue(item);
        Pushed
    });
}

fn pop((history, queue, swap): &Shared) {
    history.call(Pop, || take(queue, *swap).into());
}

/// Checks a client of four threads. Three of them make two calls.
fn in_four_threads(swap: Ordering) -> Option<Failure> {
    let bodies: [fn(&Shared); 4] = [
        |shared| {
            push(shared, 1);
            push(shared, 2);
        },
        |shared| {
            push(shared, 3);
            pop(shared);
        },
        |shared| {
            pop(shared);
            push(shared, 4);
        },
        pop,
    ];
    let program = move || {
        let history = History::new(Synchronized::by_items(Fifo::new()));
        let shared = Arc::new((history, Positions::new(), swap));
        let threads = bodies.map(|body| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || body(&shared))
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        shared.0.check();
    };
    Config::new().check(program).failure
}

#[test]
fn herlihy_and_wings_queue_needs_a_release_of_its_pops() {
    assert!(in_four_threads(AcqRel).is_none());
    let failure = in_four_threads(Acquire).expect("an item overtakes another one");
    assert!(failure.message.contains("no order of these calls explains the results"), "{failure}");
}

/// The client with a thread for each of these calls has an order in all executions, but others that
/// make them do not.
#[test]
fn the_most_general_client_stands_for_it() {
    let spec = || Synchronized::by_items(Fifo::new());
    let failure = failure(&WITHOUT_RELEASE, spec, [4, 3]).expect("an item overtakes another one in some client");
    assert!(failure.message.contains("in a client that orders more (call "), "{failure}");
    assert!(failure.message.contains("no order of these calls explains the results"), "{failure}");
}
