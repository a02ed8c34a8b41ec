//! Clients of answers that handles give without an operation, and of operations made of others.
//!
//! The answers are `len`, `is_empty`, `is_full`, and the latest items of a drop-old queue. The
//! operations are `force_push` and thefts from an injector. An assertion here repeats a promise of
//! a page, beside a thread that pushes, pops or steals.

use std::sync::Arc;

use aqueduct_model::thread;
use aqueduct_under_model::bbq::records::{self, Space};
use aqueduct_under_model::bbq::{self, Geometry, drop_old};
use aqueduct_under_model::bwos::{self, Steal};
use aqueduct_under_model::deque::Injector;
use aqueduct_under_model::error::{PopError, PushError};
use aqueduct_under_model::faaq;

use crate::clients::Client;
use crate::clients::bbq::drop_old::Pair;
use crate::clients::item::Item;

/// The last lap before lap numbers wrap.
const LAST: usize = usize::MAX >> (usize::BITS / 4);

fn divided(blocks: usize, size: usize) -> Geometry {
    Geometry::new(blocks, size).expect("a client's queue is small")
}

/// The only consumer pops an item whenever `is_empty` is false. In the end its `len` is exact.
macro_rules! single_consumer {
    ($form:ident, $blocks:literal, $size:literal, $before:literal, $pushes:expr) => {
        || {
            let made = bbq::$form::starting_at::<u64>(divided($blocks, $size), LAST);
            let (mut producer, mut consumer) = made.expect("a client's queue is small");
            let before: u64 = $before;
            for number in 0..before {
                producer.push(number).expect("there is room");
                assert_eq!(consumer.pop(), Ok(number));
            }
            let pushes: &[u64] = &$pushes;
            let producers = producers!($form, producer, pushes.len());
            let threads = producers.into_iter().zip(pushes).map(|(mut producer, &pushes)| {
                thread::spawn(move || (0..pushes).filter(|&number| producer.push(number).is_ok()).count())
            });
            let threads: Vec<_> = threads.collect();
            let mut came = 0;
            for _ in 0..2 {
                if !consumer.is_empty() {
                    assert_ne!(consumer.len(), 0);
                    assert!(consumer.pop().is_ok(), "an empty queue said that it was not");
                    came += 1;
                }
            }
            let went: usize = threads.into_iter().map(|thread| thread.join().expect("ends")).sum();
            assert_eq!(consumer.len(), went - came);
            while !consumer.is_empty() {
                assert!(consumer.pop().is_ok());
                came += 1;
            }
            assert_eq!((came, consumer.pop()), (went, Err(PopError::Empty)));
        }
    };
}

macro_rules! producers {
    (spsc, $producer:ident, $count:expr) => {
        [$producer]
    };
    (mpsc, $producer:ident, $count:expr) => {{
        let mut producers: Vec<_> = (1..$count).map(|_| $producer.clone()).collect();
        producers.push($producer);
        producers
    }};
}

/// The only producer of a single consumer's queue succeeds in a push whenever `is_full` is false.
fn single_producer(blocks: usize, size: usize) {
    let made = bbq::spsc::starting_at::<u64>(divided(blocks, size), LAST);
    let (mut producer, mut consumer) = made.expect("a client's queue is small");
    while !producer.is_full() {
        producer.push(1).expect("it is not full");
    }
    assert_eq!(producer.push(1), Err(PushError::Full(1)));
    let popping = thread::spawn(move || {
        for _ in 0..size {
            assert!(consumer.pop().is_ok());
        }
        consumer
    });
    let has_room = !producer.is_full();
    if has_room {
        assert!(producer.push(2).is_ok(), "a full queue said that it was not");
    }
    popping.join().expect("ends");
    // A block of one entry is full again.
    assert_eq!(producer.is_full(), has_room && size == 1);
}

/// A consumer that has popped the last item finds the queue empty, and in the end all handles do.
macro_rules! many_consumers {
    ($starting_at:path, $blocks:literal, $size:literal) => {
        || {
            let (mut producer, mut consumer) = $starting_at(divided($blocks, $size), LAST).expect("small");
            let mut other = consumer.clone();
            producer.push(1).expect("there is room");
            let resting = consumer.clone();
            let popping = thread::spawn(move || usize::from(other.pop().is_ok()));
            let pushing = thread::spawn(move || (producer.push(2).is_ok(), producer));
            assert!(consumer.len() <= 2);
            let mut came = 0;
            if !consumer.is_empty() {
                let popped = consumer.pop();
                came += usize::from(popped.is_ok());
                if popped == Ok(2) {
                    assert_eq!((consumer.is_empty(), resting.is_empty(), consumer.len()), (true, true, 0));
                }
            }
            came += popping.join().expect("ends");
            let (pushed, producer) = pushing.join().expect("ends");
            let left = 1 + usize::from(pushed) - came;
            assert_eq!([resting.len(), consumer.len(), producer.len()], [left; 3]);
            assert_eq!([resting.is_empty(), consumer.is_empty(), producer.is_empty()], [left == 0; 3]);
        }
    };
}

/// The only consumer of records pops one whenever `is_empty` is false. Cancelled records do not
/// count.
fn records_with_dummies() {
    const WORD: usize = size_of::<usize>();
    let space = Space::new(2, 4 * WORD).expect("a client's queue is small");
    let (mut producer, mut consumer) = records::mpsc::starting_at(space, LAST).expect("a client's queue is small");
    let pushing = thread::spawn(move || {
        drop(producer.reserve(WORD));
        producer.push(&[1; WORD]).is_ok()
    });
    let mut came = 0;
    for _ in 0..2 {
        if !consumer.is_empty() {
            assert_eq!(*consumer.read().expect("it was said to be there"), [1; WORD]);
            came += 1;
        }
    }
    assert!(pushing.join().expect("ends"));
    let used = consumer.len();
    assert_eq!((consumer.is_empty(), used == 0), (came == 1, came == 1));
}

/// An owner's answers about its queue hold beside a thief.
macro_rules! owner {
    ($family:ident, $blocks:literal, $size:literal) => {
        || {
            let geometry = bwos::Geometry::new($blocks, $size).expect("a client's queue is small");
            let (mut owner, stealer) = bwos::$family::starting_at(geometry, 0).expect("a client's queue is small");
            let mut went = 0;
            while owner.push(went).is_ok() {
                went += 1;
            }
            let stealing = thread::spawn(move || {
                assert!(stealer.len() <= 1 + $blocks * $size);
                (0..2).filter(|_| matches!(stealer.steal(), Steal::Success(_))).count()
            });
            let mut came = 0;
            if !owner.is_full() {
                assert!(owner.push(went).is_ok(), "a full queue said that it was not");
                went += 1;
            }
            for _ in 0..2 {
                let is_empty = owner.is_empty();
                let popped = owner.pop();
                assert!(!is_empty || popped.is_err(), "a queue with items said that it was empty");
                came += usize::from(popped.is_ok());
            }
            came += stealing.join().expect("ends");
            assert_eq!((owner.len(), owner.is_empty()), (went - came, went == came));
        }
    };
}

/// The latest items are complete, in order, without a gap, and never older than those seen before.
macro_rules! latest {
    ($form:ident, $blocks:literal, $size:literal, $before:literal, $pushes:literal) => {
        || {
            let geometry = divided($blocks, $size);
            let made = drop_old::$form::starting_at::<Pair>(geometry, geometry.capacity(), LAST);
            let (mut producer, mut reader) = made.expect("a client's queue is small");
            for number in 1..=$before {
                producer.push(Pair::new(number)).expect("nobody is in the way");
            }
            let pushing = thread::spawn(move || {
                for number in 1..=$pushes {
                    producer.push(Pair::new($before + number)).expect("nobody is in the way");
                }
            });
            let mut last = 0;
            let mut look = |most: usize| {
                let numbers: Vec<u64> = reader.latest(most).iter().map(Pair::number).collect();
                assert!(numbers.windows(2).all(|two| two[0] + 1 == two[1]), "a gap: {numbers:?}");
                let newest = numbers.last().copied();
                assert!(newest.is_none_or(|newest| newest >= last), "{numbers:?} after {last}");
                last = newest.unwrap_or(last);
                numbers
            };
            look(3);
            look(1);
            pushing.join().expect("ends");
            let all = $before + $pushes;
            assert_eq!(look(1), [all]);
            assert_eq!(look(2).len(), 2);
            let read = std::iter::from_fn(|| reader.read().ok()).count() as u64;
            assert_eq!(read + reader.lost(), all, "nothing was taken away");
        }
    };
}

/// Items that two threads push by force come out once each.
fn forced(blocks: usize, size: usize) {
    let made = bbq::Queue::starting_at(divided(blocks, size), LAST).expect("a client's queue is small");
    let queue = Arc::new(made);
    while queue.push(0).is_ok() {}
    let force = |queue: &bbq::Queue<u64>, item: u64| {
        let mut came = Vec::new();
        if let Err(error) = queue.force_push(item, |oldest| came.push(oldest)) {
            assert!(matches!(error, PushError::Busy(_)), "never full");
            came.push(error.into_inner());
        }
        came
    };
    let other = Arc::clone(&queue);
    let forcing = thread::spawn(move || force(&other, 1));
    let mut came = force(&queue, 2);
    came.extend(forcing.join().expect("ends"));
    came.extend(queue.drain());
    came.sort_unstable();
    let mut all = vec![0; blocks * size];
    all.extend([1, 2]);
    assert_eq!(came, all);
}

/// An injector's tasks come out once each, in batches and alone, and a batch is in order.
fn injected() {
    let injector = Arc::new(Injector::new(4).expect("a client's queue is small"));
    injector.push(1).expect("there is room");
    let pushing = Arc::clone(&injector);
    let pushing = thread::spawn(move || assert!(pushing.push(2).is_ok() && pushing.push(3).is_ok()));
    let stealing = Arc::clone(&injector);
    let stealing = thread::spawn(move || stealing.steal().success());
    let geometry = bwos::Geometry::new(2, 2).expect("a client's queue is small");
    let (mut own, _stealer) = bwos::lifo::with_geometry(geometry).expect("a client's queue is small");
    let mut came = Vec::new();
    if let Steal::Success(task) = injector.steal_batch_and_pop(&mut own, 3) {
        came.push(task);
        let mut batch: Vec<u32> = std::iter::from_fn(|| own.pop().ok()).collect();
        batch.reverse();
        came.extend(batch);
        assert!(came.is_sorted(), "{came:?}");
    }
    pushing.join().expect("ends");
    came.extend(stealing.join().expect("ends"));
    came.extend(std::iter::from_fn(|| injector.steal().success()));
    came.sort_unstable();
    assert_eq!(came, [1, 2, 3]);
}

/// Returns the clients, all of them small.
pub(crate) fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    let mut add = |name: &str, run: fn()| list.push(Client::new(format!("told-{name}"), run));
    add("spsc/empty", single_consumer!(spsc, 2, 1, 0, [3]));
    add("spsc/empty-wide", single_consumer!(spsc, 2, 2, 0, [3]));
    add("spsc/empty-lap", single_consumer!(spsc, 3, 1, 2, [3]));
    add("mpsc/empty", single_consumer!(mpsc, 2, 1, 0, [3]));
    add("mpsc/empty-wide", single_consumer!(mpsc, 2, 2, 1, [3]));
    add("mpsc/empty-2x1", single_consumer!(mpsc, 2, 1, 0, [1, 1]));
    add("spsc/full", || single_producer(2, 1));
    add("spsc/full-wide", || single_producer(3, 2));
    add("spmc/1x2", many_consumers!(bbq::spmc::starting_at, 2, 1));
    add("spmc/1x2-wide", many_consumers!(bbq::spmc::starting_at, 2, 2));
    add("mpmc/1x2", many_consumers!(bbq::mpmc::starting_at, 2, 1));
    add("mpmc/1x2-wide", many_consumers!(bbq::mpmc::starting_at, 2, 2));
    add("faaq/1x2", many_consumers!(faaq::starting_at, 2, 2));
    add("records/dummies", records_with_dummies);
    add("lifo/owner", owner!(lifo, 2, 1));
    add("lifo/owner-wide", owner!(lifo, 2, 2));
    add("fifo/owner", owner!(fifo, 2, 1));
    add("fifo/owner-wide", owner!(fifo, 2, 2));
    add("drop_old_spmc/latest", latest!(spmc, 2, 1, 1, 2));
    add("drop_old_spmc/latest-wide", latest!(spmc, 2, 2, 3, 2));
    add("drop_old_spmc/latest-lap", latest!(spmc, 2, 1, 2, 3));
    add("drop_old_mpmc/latest", latest!(mpmc, 2, 1, 1, 2));
    add("drop_old_mpmc/latest-wide", latest!(mpmc, 2, 2, 3, 2));
    add("drop_old_mpmc/latest-lap", latest!(mpmc, 2, 1, 2, 3));
    add("shared/forced", || forced(2, 1));
    add("shared/forced-wide", || forced(2, 2));
    add("injector/batches", injected);
    list
}
