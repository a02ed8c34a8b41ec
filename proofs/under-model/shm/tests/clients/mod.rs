//! One producer and one consumer, or successors of dead ones: each item once, in order, none
//! invented.

pub(crate) mod drop_old;
pub(crate) mod drop_old_records;
mod kinds;
pub(crate) mod left;
pub(crate) mod many;
pub(crate) mod mpmc;
pub(crate) mod nblfq;
pub(crate) mod overwritten;
mod table;

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::library::{Memory, Ordering, PopError, Word, mpsc};
use aqueduct_model::hint::{await_some, await_until};
use aqueduct_model::thread;
pub(crate) use kinds::{Items, Records};
use kinds::{Kind, TIME, Words, unless_empty};
pub(crate) use table::CLIENTS;

fn queue<K: Kind>() -> K::Queue {
    K::create(Words::new(K::words()))
}

/// Pops all numbers, and asserts that they are those from `from` on.
fn drain<K: Kind>(queue: &K::Queue, from: u64) -> u64 {
    let mut consumer = K::consumer(queue, true).expect("the place");
    let mut next = from;
    while let Some(number) = K::pop(&mut consumer) {
        assert_eq!(number, next, "lost, doubled or invented");
        next += 1;
    }
    next
}

/// A producer of `count` numbers beside a consumer of all of them, each of which waits for the
/// other.
fn producer_beside_consumer<K: Kind>(count: u64) {
    let queue = queue::<K>();
    let (producer, consumer) = (K::producer(&queue, false), K::consumer(&queue, false));
    let mut producer = producer.expect("free");
    let pushing = thread::spawn(move || {
        for number in 0..count {
            await_until(|| K::push(&mut producer, number));
        }
    });
    let mut consumer = consumer.expect("free");
    for number in 0..count {
        assert_eq!(await_some(|| K::pop(&mut consumer)), number);
    }
    assert_eq!(K::pop(&mut consumer), None);
    pushing.join().unwrap();
}

/// Numbers that are pushed and popped in slices.
fn slices(count: u64) {
    let queue = queue::<Items<2>>();
    let (mut producer, mut consumer) = (queue.producer().expect("free"), queue.consumer().expect("free"));
    let pushing = thread::spawn(move || {
        let numbers: Vec<u64> = (0..count).collect();
        let mut pushed = 0;
        await_until(|| {
            pushed += producer.push_slice(&numbers[pushed..]);
            pushed == numbers.len()
        });
    });
    let (mut next, mut numbers) = (0, [0; 3]);
    await_until(|| {
        let popped = consumer.pop_slice(&mut numbers);
        for number in &numbers[..popped] {
            assert_eq!(*number, next);
            next += 1;
        }
        next == count
    });
    pushing.join().unwrap();
}

/// Attempts that are not repeated: the popped numbers are the first pushed ones.
fn attempts<K: Kind>(pushes: u64, pops: u64) {
    let queue = queue::<K>();
    let (producer, consumer) = (K::producer(&queue, false), K::consumer(&queue, false));
    let mut producer = producer.expect("free");
    let pushing = thread::spawn(move || {
        let mut number = 0;
        for _ in 0..pushes {
            number += u64::from(K::push(&mut producer, number));
        }
        number
    });
    let mut consumer = consumer.expect("free");
    let mut next = 0;
    for _ in 0..pops {
        if let Some(number) = K::peek(&mut consumer) {
            assert_eq!(number, next);
            assert_eq!(K::pop(&mut consumer), Some(next));
            next += 1;
        }
    }
    drop(consumer);
    let pushed = pushing.join().unwrap();
    assert_eq!(drain::<K>(&queue, next), pushed);
}

/// Two threads claim the producer's side: one gets it after the other, or not at all.
fn producers_change<K: Kind>() {
    let queue = queue::<K>();
    let threads = [(); 2].map(|()| {
        let queue = queue.clone();
        thread::spawn(move || {
            let Some(mut producer) = K::producer(&queue, false) else { return 0 };
            // The number of a successor's first item is the number of items before it: there is
            // room for one only.
            u64::from(K::push(&mut producer, 0))
        })
    });
    let pushed: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_ne!(pushed, 0, "the side was free");
    let mut consumer = K::consumer(&queue, false).expect("free");
    let popped = (0..3).filter(|_| K::pop(&mut consumer).is_some()).count() as u64;
    assert_eq!(popped, pushed);
}

/// Pushes numbers from `pushed` on until the queue is full. Returns the number behind them.
fn fill<K: Kind>(producer: &mut K::Producer, mut pushed: u64) -> u64 {
    while K::push(producer, pushed) {
        pushed += 1;
    }
    pushed
}

/// A producer takes the side of one that has filled the queue in its second lap, while a consumer
/// pops.
fn producer_succeeds_beside_consumer<K: Kind>(pops: u64) {
    let queue = queue::<K>();
    let mut producer = K::producer(&queue, false).expect("free");
    let mut pushed = fill::<K>(&mut producer, 0);
    let first = drain::<K>(&queue, 0);
    assert_eq!(first, pushed);
    pushed = fill::<K>(&mut producer, pushed);
    drop(producer);
    let mut consumer = K::consumer(&queue, false).expect("free");
    let popping = thread::spawn(move || {
        for number in first..first + pops {
            assert_eq!(K::pop(&mut consumer), Some(number));
        }
    });
    let mut successor = K::producer(&queue, false).expect("free");
    for _ in 0..2 {
        pushed += u64::from(K::push(&mut successor, pushed));
    }
    popping.join().unwrap();
    assert_eq!(drain::<K>(&queue, first + pops), pushed);
}

/// Two threads claim the consumer's side: no number is popped twice.
fn consumers_change<K: Kind>() {
    let queue = queue::<K>();
    let mut producer = K::producer(&queue, false).expect("free");
    let mut pushed = fill::<K>(&mut producer, 0);
    let threads = [(); 2].map(|()| {
        let queue = queue.clone();
        thread::spawn(move || K::pop(&mut K::consumer(&queue, false)?))
    });
    pushed += u64::from(K::push(&mut producer, pushed));
    let mut found: Vec<u64> = threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect();
    found.sort_unstable();
    assert!(!found.is_empty() && found.iter().copied().eq(0..found.len() as u64), "{found:?}");
    assert_eq!(drain::<K>(&queue, found.len() as u64), pushed);
}

/// A thread finds a queue that another one makes: all of it, or none.
fn attaches_beside_the_maker<K: Kind>() {
    let words = Words::new(K::words());
    // An old value in the memory is not an item: making the queue clears the ring.
    words.words()[K::words() - 1].store(1, Ordering::Relaxed);
    let making = {
        let words = words.clone();
        thread::spawn(move || {
            let _ = K::create(words);
        })
    };
    if let Some(queue) = K::attach(words.clone()) {
        let mut producer = K::producer(&queue, false).expect("free");
        assert!(K::push(&mut producer, 0) && K::pop(&mut K::consumer(&queue, false).expect("free")) == Some(0));
    }
    making.join().unwrap();
    assert!(K::attach(words).is_some());
}

/// A consumer that sleeps is woken.
fn sleeping_consumer<K: Kind>() {
    let queue = queue::<K>();
    let (producer, consumer) = (K::producer(&queue, false), K::consumer(&queue, false));
    let mut producer = producer.expect("free");
    let pushing = thread::spawn(move || {
        assert!(K::push(&mut producer, 0));
        K::wake_consumer(&producer);
    });
    let mut consumer = consumer.expect("free");
    K::sleep_until_pushed(&mut consumer);
    assert_eq!(await_some(|| K::pop(&mut consumer)), 0);
    pushing.join().unwrap();
}

/// A producer that sleeps is woken.
fn sleeping_producer<K: Kind>() {
    let queue = queue::<K>();
    let (producer, consumer) = (K::producer(&queue, false), K::consumer(&queue, false));
    let mut producer = producer.expect("free");
    let pushed = fill::<K>(&mut producer, 0);
    let mut consumer = consumer.expect("free");
    let popping = thread::spawn(move || {
        assert_eq!(K::pop(&mut consumer), Some(0));
        K::wake_producer(&consumer);
        consumer
    });
    K::sleep_until_popped(&mut producer);
    await_until(|| K::push(&mut producer, pushed));
    let mut consumer = popping.join().unwrap();
    for number in 1..=pushed {
        assert_eq!(K::pop(&mut consumer), Some(number));
    }
}

/// A consumer that waits for its event in a reactor finds each number.
fn waiting_consumer<K: Kind>(count: u64) {
    let words = Words::new(K::words());
    let queue = K::create(words.clone());
    let (producer, consumer) = (K::producer(&queue, false), K::consumer(&queue, false));
    let mut producer = producer.expect("free");
    let pushing = thread::spawn(move || {
        for number in 0..count {
            assert!(K::push(&mut producer, number), "there is room for all");
            K::wake_consumer(&producer);
        }
    });
    let mut consumer = consumer.expect("free");
    for number in 0..count {
        assert_eq!(await_signalled(&words, 0, &mut consumer, K::pop, K::arm_consumer), number);
    }
    pushing.join().unwrap();
}

/// Repeats the attempt until it succeeds. After a failure, it clears its event, arms the side, and
/// waits for the event if it is armed.
fn await_signalled<S, T>(
    words: &Words,
    event: usize,
    side: &mut S,
    mut attempt: impl FnMut(&mut S) -> Option<T>,
    arm: impl Fn(&mut S) -> bool,
) -> T {
    loop {
        if let Some(found) = attempt(side) {
            return found;
        }
        words.clear_event(event);
        if arm(side) {
            words.await_event(event);
        }
    }
}

/// A producer that waits for its event in a reactor finds room.
fn waiting_producer<K: Kind>() {
    let words = Words::new(K::words());
    let queue = K::create(words.clone());
    let (producer, consumer) = (K::producer(&queue, false), K::consumer(&queue, false));
    let mut producer = producer.expect("free");
    let pushed = fill::<K>(&mut producer, 0);
    let mut consumer = consumer.expect("free");
    let popping = thread::spawn(move || {
        assert_eq!(K::pop(&mut consumer), Some(0));
        K::wake_producer(&consumer);
        consumer
    });
    await_signalled(&words, 0, &mut producer, |producer| K::push(producer, pushed).then_some(()), K::arm_producer);
    let mut consumer = popping.join().unwrap();
    for number in 1..=pushed {
        assert_eq!(K::pop(&mut consumer), Some(number));
    }
}

/// Way in which the consumer of two producers waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    Never,
    Asleep,
    ForTheEvent,
}

/// Two producers of `counts` numbers beside a consumer, which waits if the queue is empty.
fn two_producers(counts: [u64; 2], waits: Waits) {
    let bell = Words::new(Items::<1>::words());
    // All producers have the consumer's event.
    let lanes = [(); 2].map(|()| Items::<1>::create(bell.beside(Items::<1>::words())));
    let mut consumer = mpsc::Consumer::new(lanes.iter().map(|lane| lane.consumer().expect("free")), bell.clone());
    let producers = [0, 1].map(|which| {
        let mut producer = mpsc::Producer::new(lanes[which].producer().expect("free"), bell.clone());
        thread::spawn(move || {
            for number in 0..counts[which] {
                assert!(producer.push(10 * which as u64 + number).is_ok(), "there is room for all");
                producer.wake();
            }
        })
    });
    let mut next = [0; 2];
    for _ in 0..counts.iter().sum() {
        if waits == Waits::Asleep {
            consumer.wait(TIME);
        }
        let number = if waits == Waits::ForTheEvent {
            await_signalled(&bell, 0, &mut consumer, |all| unless_empty(all.pop()), mpsc::Consumer::arm)
        } else {
            await_some(|| unless_empty(consumer.pop()))
        };
        let which = number as usize / 10;
        assert_eq!(number % 10, next[which], "each producer has its order");
        next[which] += 1;
    }
    assert_eq!((next, consumer.pop()), (counts, Err(PopError::Empty)));
    for producer in producers {
        producer.join().unwrap();
    }
}

/// True if the thread was killed in some execution, before it had ended.
pub(crate) static WAS_KILLED: AtomicBool = AtomicBool::new(false);

/// A producer that is killed beside a consumer: the queue has its pushed numbers, and at most one
/// more, and a successor continues behind them.
///
/// None of its code runs after its last step, not even its destructor, as after a kill of its
/// process.
pub(crate) fn producer_is_killed<K: Kind>() {
    let queue = queue::<K>();
    let committed = Arc::new(Word::new(0));
    let pushing = {
        let (queue, committed) = (queue.clone(), Arc::clone(&committed));
        thread::spawn(move || {
            let (queue, committed) = (ManuallyDrop::new(queue), ManuallyDrop::new(committed));
            let mut producer = ManuallyDrop::new(K::producer(&queue, false).expect("free"));
            let mut number = 0;
            for _ in 0..4 {
                number += u64::from(K::push(&mut producer, number));
                committed.store(number, Ordering::Relaxed);
            }
        })
    };
    let mut consumer = K::consumer(&queue, false).expect("free");
    let mut next = 0;
    for _ in 0..2 {
        if let Some(number) = K::pop(&mut consumer) {
            assert_eq!(number, next);
            next += 1;
        }
    }
    if pushing.join().is_err() {
        WAS_KILLED.store(true, Relaxed);
    }
    let committed = committed.load(Ordering::Relaxed);
    drop(consumer);
    let found = drain::<K>(&queue, next);
    assert!(found == committed || found == committed + 1, "{found} came of {committed}");
    let mut successor = K::producer(&queue, true).expect("the place of the dead");
    assert!(K::push(&mut successor, found));
    assert_eq!(drain::<K>(&queue, found), found + 1);
}

/// A consumer that is killed beside a producer: a successor gets all numbers that it had not
/// popped, except at most the one whose pop had not returned.
pub(crate) fn consumer_is_killed<K: Kind>() {
    let queue = queue::<K>();
    let taken = Arc::new(Word::new(0));
    let mut producer = K::producer(&queue, false).expect("free");
    let mut pushed = u64::from(K::push(&mut producer, 0));
    let popping = {
        let (queue, taken) = (queue.clone(), Arc::clone(&taken));
        thread::spawn(move || {
            let (queue, taken) = (ManuallyDrop::new(queue), ManuallyDrop::new(taken));
            let mut consumer = ManuallyDrop::new(K::consumer(&queue, false).expect("free"));
            let mut next = 0;
            for _ in 0..3 {
                if let Some(number) = K::pop(&mut consumer) {
                    assert_eq!(number, next);
                    next += 1;
                    taken.store(next, Ordering::Relaxed);
                }
            }
        })
    };
    for _ in 0..3 {
        pushed += u64::from(K::push(&mut producer, pushed));
    }
    if popping.join().is_err() {
        WAS_KILLED.store(true, Relaxed);
    }
    let taken = taken.load(Ordering::Relaxed);
    let mut successor = K::consumer(&queue, true).expect("the place of the dead");
    // There is room again, although the dead consumer had not reported its last pops.
    let mut next = None;
    for _ in 0..4 {
        pushed += u64::from(K::push(&mut producer, pushed));
        if let Some(number) = K::pop(&mut successor) {
            assert!(next.map_or(number == taken || number == taken + 1, |next| number == next), "{number} of {taken}");
            next = Some(number + 1);
        }
    }
    drop(successor);
    assert_eq!(drain::<K>(&queue, next.expect("a number came")), pushed);
}
