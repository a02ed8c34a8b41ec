//! One producer and one consumer, or successors of dead ones: each item once, in order, none invented.

pub(crate) mod drop_old;
mod kinds;
pub(crate) mod many;
pub(crate) mod mpmc;
pub(crate) mod nblfq;

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::common::Client;
use crate::library::{Memory, Ordering, PopError, Word, mpsc};
use aqueduct_model::hint::{await_some, await_until};
use aqueduct_model::thread;
pub(crate) use kinds::{Items, Records};
use kinds::{Kind, TIME, Words, unless_empty};
use mpmc::Mpmc;
use nblfq::Nblfq;

fn queue<K: Kind>() -> K::Queue {
    K::create(Words::new(K::words()))
}

/// Asserts that the numbers `from..to` come, and no more.
fn drain<K: Kind>(queue: &K::Queue, from: u64) -> u64 {
    let mut consumer = K::consumer(queue, true).expect("the place");
    let mut next = from;
    while let Some(number) = K::pop(&mut consumer) {
        assert_eq!(number, next, "lost, doubled or invented");
        next += 1;
    }
    next
}

/// A producer of `count` numbers beside a consumer of all of them, each of which waits for the other.
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

/// Numbers that go in and come out in slices.
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

/// Attempts that are not repeated: the first numbers that went in come out, and no others.
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

/// Two threads want the producer's side: one has it after the other, or not at all.
fn producers_change<K: Kind>() {
    let queue = queue::<K>();
    let threads = [(); 2].map(|()| {
        let queue = queue.clone();
        thread::spawn(move || {
            let Some(mut producer) = K::producer(&queue, false) else { return 0 };
            // The number of a successor's first item is the number of items before it: there is room for one only.
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

/// A producer takes the side of one that has filled the queue in its second lap, while a consumer pops.
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

/// Two threads want the consumer's side: no number comes twice.
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
    // A value in the memory before is no item: the ring is not empty until the queue is made.
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

/// Tries until it succeeds. After a failure, it takes the signals of its event, arms the side, and waits for the event
/// if that says so.
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

/// How the consumer of two producers waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    Never,
    Asleep,
    ForTheEvent,
}

/// Two producers of `counts` numbers beside a consumer, which waits if it finds nothing.
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

/// Whether the thread was killed in some execution, and did not come to its end before.
pub(crate) static WAS_KILLED: AtomicBool = AtomicBool::new(false);

/// A producer that is killed beside a consumer: what it had pushed is there, at most one number more, and a successor
/// goes on behind it.
///
/// Nothing of it runs after its last step, not even its destructor, as after a kill of its process.
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

/// A consumer that is killed beside a producer: a successor gets all that it had not popped, and at most the number
/// whose pop had not returned is lost.
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
    // There is room again, whatever the dead consumer had not reported.
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

/// Each client, and how many executions it has.
pub(crate) const CLIENTS: &[Client] = &[
    ("items_in_units_of_one", || producer_beside_consumer::<Items<1>>(5), 5),
    ("items_in_units_of_two", || producer_beside_consumer::<Items<2>>(12), 512),
    ("records_one_by_one", || producer_beside_consumer::<Records<4>>(4), 1),
    ("records_beside_each_other", || producer_beside_consumer::<Records<8>>(6), 9),
    ("items_in_slices", || slices(6), 16),
    ("attempts_on_items_in_units_of_one", || attempts::<Items<1>>(4, 3), 34),
    ("attempts_on_items_in_units_of_two", || attempts::<Items<2>>(10, 8), 17906),
    ("attempts_on_records_one_by_one", || attempts::<Records<4>>(3, 3), 20),
    ("attempts_on_records", || attempts::<Records<8>>(8, 7), 9145),
    ("producers_of_items_change", producers_change::<Items<2>>, 4),
    ("producers_of_records_change", producers_change::<Records<8>>, 4),
    ("a_producer_of_items_succeeds", || producer_succeeds_beside_consumer::<Items<1>>(2), 9),
    ("a_producer_of_records_succeeds", || producer_succeeds_beside_consumer::<Records<8>>(3), 14),
    ("consumers_of_items_change", consumers_change::<Items<2>>, 10),
    ("consumers_of_records_change", consumers_change::<Records<8>>, 16),
    ("a_queue_of_items_is_found", attaches_beside_the_maker::<Items<1>>, 3),
    ("a_queue_of_records_is_found", attaches_beside_the_maker::<Records<4>>, 3),
    ("a_consumer_of_items_sleeps", sleeping_consumer::<Items<1>>, 6),
    ("a_consumer_of_records_sleeps", sleeping_consumer::<Records<4>>, 6),
    ("a_producer_of_items_sleeps", sleeping_producer::<Items<1>>, 5),
    ("a_producer_of_records_sleeps", sleeping_producer::<Records<4>>, 5),
    ("two_producers", || two_producers([2, 2], Waits::Never), 6),
    ("a_consumer_of_items_waits_for_its_event", || waiting_consumer::<Items<1>>(1), 7),
    ("a_consumer_of_items_waits_for_two_events", || waiting_consumer::<Items<2>>(2), 151),
    ("a_consumer_of_records_waits_for_its_event", || waiting_consumer::<Records<4>>(1), 6),
    ("a_producer_of_items_waits_for_its_event", waiting_producer::<Items<1>>, 6),
    ("a_producer_of_records_waits_for_its_event", waiting_producer::<Records<4>>, 6),
    ("two_producers_and_an_event", || two_producers([1, 1], Waits::ForTheEvent), 928),
    ("two_producers_and_a_sleeper", || two_producers([1, 1], Waits::Asleep), 421),
    ("a_producer_of_items_ends_by_itself", producer_is_killed::<Items<1>>, 38),
    ("a_producer_of_records_ends_by_itself", producer_is_killed::<Records<4>>, 49),
    ("a_consumer_of_items_ends_by_itself", consumer_is_killed::<Items<1>>, 34),
    ("a_consumer_of_records_ends_by_itself", consumer_is_killed::<Records<4>>, 35),
    ("one_slot", || many::producer_beside_consumer::<Mpmc>(1, 3), 1),
    ("two_slots", || many::producer_beside_consumer::<Mpmc>(2, 3), 1),
    ("attempts_on_one_slot", || many::attempts::<Mpmc>(1, 4, 3), 35),
    ("attempts_on_two_slots", || many::attempts::<Mpmc>(2, 6, 4), 154),
    ("producers_meet_at_one_slot", || many::producers_beside_consumer::<Mpmc>(1, [1, 1], 1), 36),
    ("producers_meet_at_two_slots", || many::producers_beside_consumer::<Mpmc>(2, [2, 1], 2), 455),
    ("consumers_meet_at_one_slot", || many::consumers_beside_producer::<Mpmc>(1, 1, 1), 11),
    ("consumers_meet_at_two_slots", || many::consumers_beside_producer::<Mpmc>(2, 3, 2), 1678),
    ("two_beside_two", || many::two_beside_two::<Mpmc>(2), 406),
    ("one_goes_on_beside_another", || many::goes_on_beside_a_stopped_one::<Mpmc>(2), 2739),
    ("places_change", mpmc::producers_change, 4),
    ("a_queue_of_many_is_found", many::attaches_beside_the_maker::<Mpmc>, 3),
    ("a_consumer_of_many_sleeps", || many::sleeping_consumers::<Mpmc>(1), 4),
    ("two_consumers_sleep", || many::sleeping_consumers::<Mpmc>(2), 734),
    ("a_producer_of_many_sleeps", many::sleeping_producer::<Mpmc>, 4),
    ("a_producer_of_many_succeeds", || mpmc::producer_succeeds(2), 5),
    ("a_producer_that_did_not_push_succeeds", mpmc::producer_succeeds_without_exchange, 31),
    ("a_consumer_of_many_succeeds", mpmc::consumer_succeeds, 35),
    ("both_sides_of_many_succeed", mpmc::both_succeed, 3),
    ("a_producer_of_many_ends_by_itself", mpmc::producer_is_killed, 82),
    ("a_consumer_of_many_ends_by_itself", mpmc::consumer_is_killed::<true>, 32),
    ("a_consumer_of_many_waits_for_its_event", || many::waiting_consumers::<Mpmc>(1), 5),
    ("two_consumers_wait_for_their_events", || many::waiting_consumers::<Mpmc>(2), 13456),
    ("a_producer_of_many_waits_for_its_event", many::waiting_producer::<Mpmc>, 5),
    ("one_slot_is_overwritten", || drop_old::producer_beside_reader(1, 2, 1), 6),
    ("one_slot_is_overwritten_often", || drop_old::producer_beside_reader(1, 3, 2), 145),
    ("two_slots_are_overwritten", || drop_old::producer_beside_reader(2, 4, 2), 102),
    ("producers_overwrite_one_slot", || drop_old::producers_beside_reader(1, [1, 1], 1), 81),
    ("producers_overwrite_two_slots", || drop_old::producers_beside_reader(2, [2, 1], 1), 307),
    ("a_reader_is_late", || drop_old::late_reader(2, 3, 2), 61),
    ("an_overwritten_queue_is_found", drop_old::attaches_beside_the_maker, 3),
    ("a_reader_sleeps", || drop_old::sleeping_readers(1), 4),
    ("two_readers_sleep", || drop_old::sleeping_readers(2), 33),
    ("a_reader_waits_for_its_event", || drop_old::waiting_readers(1), 5),
    ("two_readers_wait_for_their_events", || drop_old::waiting_readers(2), 38),
    ("a_producer_that_overwrites_succeeds", || drop_old::producer_succeeds(1), 48),
    ("a_producer_that_did_not_overwrite_succeeds", drop_old::producer_succeeds_without_exchange, 129),
    ("a_producer_that_overwrites_ends_by_itself", drop_old::producer_is_killed, 254),
    ("a_reader_ends_by_itself", drop_old::reader_is_killed, 94),
    ("one_overwrites_beside_another", drop_old::goes_on_beside_a_stopped_one, 41),
    ("two_lock_free_slots", || many::producer_beside_consumer::<Nblfq>(2, 3), 9),
    ("attempts_on_two_lock_free_slots", || many::attempts::<Nblfq>(2, 4, 3), 107),
    ("producers_meet_at_two_lock_free_slots", || many::producers_beside_consumer::<Nblfq>(2, [2, 1], 1), 744),
    ("consumers_meet_at_two_lock_free_slots", || many::consumers_beside_producer::<Nblfq>(2, 2, 1), 159),
    ("two_beside_two_without_locks", || many::two_beside_two::<Nblfq>(2), 2538),
    ("a_lock_free_queue_is_found", many::attaches_beside_the_maker::<Nblfq>, 3),
    ("a_lock_free_consumer_sleeps", || many::sleeping_consumers::<Nblfq>(1), 4),
    ("a_lock_free_producer_sleeps", many::sleeping_producer::<Nblfq>, 4),
    ("a_lock_free_consumer_waits_for_its_event", || many::waiting_consumers::<Nblfq>(1), 5),
    ("a_lock_free_producer_waits_for_its_event", many::waiting_producer::<Nblfq>, 5),
    ("work_is_handed_over", nblfq::hands_over_work, 1),
    ("room_is_handed_over", nblfq::hands_over_room, 1),
    ("a_lock_free_producer_ends_by_itself", nblfq::producer_is_killed, 364),
    ("a_lock_free_consumer_ends_by_itself", nblfq::consumer_is_killed, 170),
    ("one_goes_on_beside_another_without_locks", || many::goes_on_beside_a_stopped_one::<Nblfq>(1), 462),
];
