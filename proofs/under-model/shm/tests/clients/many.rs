//! Clients of queues of many producers and many consumers: each number once, in order, none
//! invented.

use super::kinds::Words;
use crate::library::Peer;
use aqueduct_model::hint::{await_some, await_until};
use aqueduct_model::thread;

/// A queue of numbers, of many producers and many consumers.
pub(crate) trait Many: 'static {
    type Queue: 'static;
    type Producer: Send + 'static;
    type Consumer: Send + 'static;
    /// The fewest slots of a ring.
    const FEWEST: usize;
    /// The words of a queue with these numbers of producers and consumers.
    fn words(places: [usize; 2], slots: usize) -> usize;
    fn create(words: Words, places: [usize; 2], slots: usize) -> Self::Queue;
    /// Finds a queue of one producer and one consumer.
    fn attach(words: Words, slots: usize) -> Option<Self::Queue>;
    fn producer(queue: &Self::Queue) -> Self::Producer;
    fn consumer(queue: &Self::Queue) -> Self::Consumer;
    /// A consumer in a dead or free place.
    fn successor(queue: &Self::Queue, place: usize) -> Self::Consumer;
    fn push(producer: &mut Self::Producer, number: u64) -> bool;
    fn pop(consumer: &mut Self::Consumer) -> Option<u64>;
    /// Pops a number. If the queue can hold it before, checks that it is the held one.
    fn peek_and_pop(consumer: &mut Self::Consumer) -> Option<u64> {
        Self::pop(consumer)
    }
    fn sleep_until_popped(producer: &mut Self::Producer);
    fn sleep_until_pushed(consumer: &mut Self::Consumer);
    fn arm_producer(producer: &mut Self::Producer) -> bool;
    fn arm_consumer(consumer: &mut Self::Consumer) -> bool;
    fn wake_consumers(producer: &Self::Producer);
    fn wake_producers(consumer: &Self::Consumer);
    fn sleep_unless_left(consumer: &mut Self::Consumer);
    fn peer(consumer: &Self::Consumer) -> Peer;
    fn producer_sleeps_unless_left(producer: &mut Self::Producer);
    fn peer_of_producer(producer: &Self::Producer) -> Peer;
}

/// The functions that handles of all queues have under one name.
macro_rules! handles {
    () => {
        fn push(producer: &mut Self::Producer, number: u64) -> bool {
            match producer.push(number.try_into().expect("a small number")) {
                Ok(()) => true,
                Err(why) => {
                    assert_eq!(why.to_string(), "the queue is full");
                    false
                }
            }
        }

        fn pop(consumer: &mut Self::Consumer) -> Option<u64> {
            super::kinds::unless_empty(consumer.pop()).map(u64::from)
        }

        fn sleep_until_popped(producer: &mut Self::Producer) {
            producer.wait(super::kinds::TIME);
        }

        fn sleep_until_pushed(consumer: &mut Self::Consumer) {
            consumer.wait(super::kinds::TIME);
        }

        fn arm_producer(producer: &mut Self::Producer) -> bool {
            producer.arm()
        }

        fn arm_consumer(consumer: &mut Self::Consumer) -> bool {
            consumer.arm()
        }

        fn wake_consumers(producer: &Self::Producer) {
            producer.wake();
        }

        fn wake_producers(consumer: &Self::Consumer) {
            consumer.wake();
        }

        fn sleep_unless_left(consumer: &mut Self::Consumer) {
            consumer.wait_unless_left(super::kinds::TIME);
        }

        fn peer(consumer: &Self::Consumer) -> crate::library::Peer {
            consumer.peer()
        }

        fn producer_sleeps_unless_left(producer: &mut Self::Producer) {
            producer.wait_unless_left(super::kinds::TIME);
        }

        fn peer_of_producer(producer: &Self::Producer) -> crate::library::Peer {
            producer.peer()
        }
    };
}
pub(super) use handles;

pub(super) fn queue<M: Many>(places: [usize; 2], slots: usize) -> M::Queue {
    M::create(Words::new(M::words(places, slots)), places, slots)
}

/// Pops all numbers with a consumer in a dead or free place.
pub(super) fn drain<M: Many>(queue: &M::Queue, place: usize) -> Vec<u64> {
    let mut consumer = M::successor(queue, place);
    std::iter::from_fn(|| M::pop(&mut consumer)).collect()
}

/// Pushes numbers from 0 on until the queue is full. Returns how many.
fn fill<M: Many>(producer: &mut M::Producer) -> u64 {
    (0..).find(|number| !M::push(producer, *number)).expect("it is full in the end")
}

/// Asserts that the numbers of each producer are in order. A number divided by ten is that of its
/// producer.
pub(super) fn assert_ordered(numbers: &[u64]) {
    for producer in 0..4 {
        let of: Vec<_> = numbers.iter().filter(|number| *number / 10 == producer).collect();
        assert!(of.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    }
}

/// A producer of `count` numbers beside a consumer of all of them, each of which waits for the
/// other.
pub(super) fn producer_beside_consumer<M: Many>(slots: usize, count: u64) {
    let queue = queue::<M>([1, 1], slots);
    let (mut producer, mut consumer) = (M::producer(&queue), M::consumer(&queue));
    let pushing = thread::spawn(move || {
        for number in 0..count {
            await_until(|| M::push(&mut producer, number));
        }
    });
    for number in 0..count {
        assert_eq!(await_some(|| M::pop(&mut consumer)), number);
    }
    assert_eq!(M::pop(&mut consumer), None);
    pushing.join().unwrap();
}

/// Attempts that are not repeated: the popped numbers are the first pushed ones.
pub(super) fn attempts<M: Many>(slots: usize, pushes: u64, pops: u64) {
    let queue = queue::<M>([1, 1], slots);
    let (mut producer, mut consumer) = (M::producer(&queue), M::consumer(&queue));
    let pushing = thread::spawn(move || {
        let mut number = 0;
        for _ in 0..pushes {
            number += u64::from(M::push(&mut producer, number));
        }
        number
    });
    let mut next = 0;
    for _ in 0..pops {
        if let Some(number) = M::peek_and_pop(&mut consumer) {
            assert_eq!(number, next);
            next += 1;
        }
    }
    drop(consumer);
    let pushed = pushing.join().unwrap();
    assert_eq!(drain::<M>(&queue, 0), (next..pushed).collect::<Vec<_>>());
}

/// Producers of `counts` numbers beside a consumer that tries `pops` times.
pub(super) fn producers_beside_consumer<M: Many>(slots: usize, counts: [u64; 2], pops: usize) {
    let queue = queue::<M>([2, 1], slots);
    let producers = [0, 1].map(|which| {
        let mut producer = M::producer(&queue);
        thread::spawn(move || {
            (0..counts[which]).filter(|number| M::push(&mut producer, 10 * which as u64 + number)).count()
        })
    });
    let mut consumer = M::consumer(&queue);
    let mut numbers: Vec<u64> = (0..pops).filter_map(|_| M::pop(&mut consumer)).collect();
    drop(consumer);
    let pushed: usize = producers.into_iter().map(|producer| producer.join().unwrap()).sum();
    numbers.extend(drain::<M>(&queue, 0));
    assert_eq!(numbers.len(), pushed, "{numbers:?}");
    assert_ordered(&numbers);
}

/// A producer beside two consumers, each of which tries `pops` times.
pub(super) fn consumers_beside_producer<M: Many>(slots: usize, count: u64, pops: usize) {
    let queue = queue::<M>([1, 2], slots);
    let consumers = [(); 2].map(|()| {
        let mut consumer = M::consumer(&queue);
        thread::spawn(move || (0..pops).filter_map(|_| M::pop(&mut consumer)).collect::<Vec<u64>>())
    });
    let mut producer = M::producer(&queue);
    let mut pushed = 0;
    for _ in 0..count {
        pushed += u64::from(M::push(&mut producer, pushed));
    }
    let mut numbers = Vec::new();
    for consumer in consumers {
        let popped = consumer.join().unwrap();
        assert_ordered(&popped);
        numbers.extend(popped);
    }
    numbers.sort_unstable();
    numbers.extend(drain::<M>(&queue, 0));
    assert_eq!(numbers, (0..pushed).collect::<Vec<_>>());
}

/// Two producers beside two consumers, each of which tries once: four threads at one ring.
pub(super) fn two_beside_two<M: Many>(slots: usize) {
    let queue = queue::<M>([2, 2], slots);
    let [mut first, mut second] = [(); 2].map(|()| M::producer(&queue));
    let [mut third, mut fourth] = [(); 2].map(|()| M::consumer(&queue));
    let pushing = thread::spawn(move || M::push(&mut first, 0));
    let popping = [thread::spawn(move || M::pop(&mut third)), thread::spawn(move || M::pop(&mut fourth))];
    assert!(M::push(&mut second, 10));
    assert!(pushing.join().unwrap());
    let mut numbers: Vec<u64> = popping.into_iter().filter_map(|thread| thread.join().unwrap()).collect();
    numbers.extend(drain::<M>(&queue, 0));
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 10]);
}

/// A thread finds a queue that another one makes: all of it, or none.
pub(super) fn attaches_beside_the_maker<M: Many>() {
    let words = Words::new(M::words([1, 1], M::FEWEST));
    let making = {
        let words = words.clone();
        thread::spawn(move || {
            let _ = M::create(words, [1, 1], M::FEWEST);
        })
    };
    if let Some(queue) = M::attach(words.clone(), M::FEWEST) {
        assert!(M::push(&mut M::producer(&queue), 7));
        assert_eq!(drain::<M>(&queue, 0), [7]);
    }
    making.join().unwrap();
    assert!(M::attach(words, M::FEWEST).is_some());
}

/// Consumers that sleep are woken.
pub(super) fn sleeping_consumers<M: Many>(consumers: usize) {
    let queue = queue::<M>([1, consumers], 2);
    let mut producer = M::producer(&queue);
    let consumers: Vec<_> = (0..consumers)
        .map(|_| {
            let mut consumer = M::consumer(&queue);
            thread::spawn(move || {
                M::sleep_until_pushed(&mut consumer);
                await_some(|| M::pop(&mut consumer))
            })
        })
        .collect();
    for number in 0..consumers.len() as u64 {
        assert!(M::push(&mut producer, number), "there is room for all");
    }
    M::wake_consumers(&producer);
    let mut numbers: Vec<u64> = consumers.into_iter().map(|consumer| consumer.join().unwrap()).collect();
    numbers.sort_unstable();
    assert!(numbers.iter().copied().eq(0..numbers.len() as u64), "{numbers:?}");
}

/// A producer that sleeps is woken.
pub(super) fn sleeping_producer<M: Many>() {
    let queue = queue::<M>([1, 1], M::FEWEST);
    let (mut producer, mut consumer) = (M::producer(&queue), M::consumer(&queue));
    let pushed = fill::<M>(&mut producer);
    let popping = thread::spawn(move || {
        assert_eq!(M::pop(&mut consumer), Some(0));
        M::wake_producers(&consumer);
    });
    M::sleep_until_popped(&mut producer);
    await_until(|| M::push(&mut producer, pushed));
    popping.join().unwrap();
    assert_eq!(drain::<M>(&queue, 0), (1..=pushed).collect::<Vec<_>>());
}

/// Consumers that wait for their events get a number each.
pub(super) fn waiting_consumers<M: Many>(consumers: usize) {
    let words = Words::with_events(M::words([1, consumers], 2), consumers);
    let queue = M::create(words.clone(), [1, consumers], 2);
    let mut producer = M::producer(&queue);
    let consumers: Vec<_> = (0..consumers)
        .map(|which| {
            let (mut consumer, words) = (M::consumer(&queue), words.clone());
            thread::spawn(move || super::await_signalled(&words, which, &mut consumer, M::pop, M::arm_consumer))
        })
        .collect();
    for number in 0..consumers.len() as u64 {
        assert!(M::push(&mut producer, number), "there is room for all");
        M::wake_consumers(&producer);
    }
    let mut numbers: Vec<u64> = consumers.into_iter().map(|consumer| consumer.join().unwrap()).collect();
    numbers.sort_unstable();
    assert!(numbers.iter().copied().eq(0..numbers.len() as u64), "{numbers:?}");
}

/// A producer that waits for its event finds room.
pub(super) fn waiting_producer<M: Many>() {
    let words = Words::new(M::words([1, 1], M::FEWEST));
    let queue = M::create(words.clone(), [1, 1], M::FEWEST);
    let (mut producer, mut consumer) = (M::producer(&queue), M::consumer(&queue));
    let pushed = fill::<M>(&mut producer);
    let popping = thread::spawn(move || {
        assert_eq!(M::pop(&mut consumer), Some(0));
        M::wake_producers(&consumer);
    });
    super::await_signalled(
        &words,
        0,
        &mut producer,
        |producer| M::push(producer, pushed).then_some(()),
        M::arm_producer,
    );
    popping.join().unwrap();
    assert_eq!(drain::<M>(&queue, 0), (1..=pushed).collect::<Vec<_>>());
}

/// A thread that pushes and pops, and may be stopped forever at any step, beside one that does so
/// and succeeds, `times` times.
pub(crate) fn goes_on_beside_a_stopped_one<M: Many>(times: u64) {
    let queue = queue::<M>([2, 2], 2);
    let (mut producer, mut consumer) = (M::producer(&queue), M::consumer(&queue));
    let (mut its_producer, mut its_consumer) = (M::producer(&queue), M::consumer(&queue));
    thread::spawn(move || {
        M::push(&mut its_producer, 0);
        M::pop(&mut its_consumer);
    });
    for time in 0..times {
        assert!(M::push(&mut producer, 10 + time), "there is room for both");
        assert!(M::pop(&mut consumer).is_some(), "the other one has taken one only after it has pushed one");
    }
}
