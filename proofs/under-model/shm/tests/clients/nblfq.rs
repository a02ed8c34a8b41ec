//! The lock-free queue of small items: handles have no places, so there is nothing to recover from
//! a dead process.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::WAS_KILLED;
use super::kinds::Words;
use super::many::{Many, assert_ordered, drain, handles, queue};
use crate::library::nblfq::{Consumer, Geometry, Producer, Queue};
use crate::library::{Expected, Ordering, Word};
use aqueduct_model::hint::{await_some, await_until};
use aqueduct_model::thread;

/// The queue of numbers of four bytes.
pub(crate) struct Nblfq;

fn geometry(slots: usize) -> Geometry {
    Geometry::new(slots).expect("a small queue")
}

impl Many for Nblfq {
    type Queue = Queue<u32, Words>;
    type Producer = Producer<u32, Words>;
    type Consumer = Consumer<u32, Words>;
    const FEWEST: usize = 2;

    fn words(_: [usize; 2], slots: usize) -> usize {
        geometry(slots).words()
    }

    fn create(words: Words, _: [usize; 2], slots: usize) -> Self::Queue {
        Queue::create(words, geometry(slots), 0).expect("room")
    }

    fn attach(words: Words, slots: usize) -> Option<Self::Queue> {
        Queue::attach(words, &Expected::new().places(0, 0).capacity(slots)).ok()
    }

    fn producer(queue: &Self::Queue) -> Self::Producer {
        queue.producer()
    }

    fn consumer(queue: &Self::Queue) -> Self::Consumer {
        queue.consumer()
    }

    fn successor(queue: &Self::Queue, _: usize) -> Self::Consumer {
        queue.consumer()
    }

    handles!();
}

/// A producer's writes before its push are seen after the pop: an item may be the offset of
/// something larger.
pub(super) fn hands_over_work() {
    let (queue, work) = (queue::<Nblfq>([1, 1], 2), Arc::new(Word::new(0)));
    let (mut producer, mut consumer) = (queue.producer(), queue.consumer());
    let pushing = {
        let work = Arc::clone(&work);
        thread::spawn(move || {
            work.store(7, Ordering::Relaxed);
            assert!(Nblfq::push(&mut producer, 0));
        })
    };
    assert_eq!(await_some(|| Nblfq::pop(&mut consumer)), 0);
    assert_eq!(work.load(Ordering::Relaxed), 7);
    pushing.join().unwrap();
}

/// A consumer's writes before its pop are seen after the push that reuses the slot.
pub(super) fn hands_over_room() {
    let (queue, work) = (queue::<Nblfq>([1, 1], 2), Arc::new(Word::new(0)));
    let (mut producer, mut consumer) = (queue.producer(), queue.consumer());
    assert!(Nblfq::push(&mut producer, 0) && Nblfq::push(&mut producer, 1));
    let popping = {
        let work = Arc::clone(&work);
        thread::spawn(move || {
            work.store(7, Ordering::Relaxed);
            assert_eq!(Nblfq::pop(&mut consumer), Some(0));
        })
    };
    await_until(|| Nblfq::push(&mut producer, 2));
    assert_eq!(work.load(Ordering::Relaxed), 7);
    popping.join().unwrap();
    assert_eq!(drain::<Nblfq>(&queue, 0), [1, 2]);
}

/// A producer that is killed beside another one and a consumer: the queue has its pushed numbers,
/// and at most one more, and all others continue with the full capacity.
pub(crate) fn producer_is_killed() {
    let (queue, committed) = (queue::<Nblfq>([2, 1], 2), Arc::new(Word::new(0)));
    let pushing = {
        let (queue, committed) = (queue.clone(), Arc::clone(&committed));
        thread::spawn(move || {
            let (queue, committed) = (ManuallyDrop::new(queue), ManuallyDrop::new(committed));
            let mut producer = ManuallyDrop::new(queue.producer());
            let mut number = 0;
            for _ in 0..2 {
                number += u64::from(Nblfq::push(&mut producer, number));
                committed.store(number, Ordering::Relaxed);
            }
        })
    };
    let (mut producer, mut consumer) = (queue.producer(), queue.consumer());
    let others = u64::from(Nblfq::push(&mut producer, 10));
    let mut numbers: Vec<u64> = (0..2).filter_map(|_| Nblfq::pop(&mut consumer)).collect();
    if pushing.join().is_err() {
        WAS_KILLED.store(true, Relaxed);
    }
    let committed = committed.load(Ordering::Relaxed);
    numbers.extend(drain::<Nblfq>(&queue, 0));
    assert_ordered(&numbers);
    let [dead, live] =
        [0..10, 10..20].map(|range| numbers.iter().filter(|number| range.contains(*number)).count() as u64);
    assert!(dead == committed || dead == committed + 1, "{numbers:?} of {committed}");
    assert_eq!(live, others);
    // There is as much room as before.
    assert!(Nblfq::push(&mut producer, 20) && Nblfq::push(&mut producer, 21) && !Nblfq::push(&mut producer, 22));
    assert_eq!(drain::<Nblfq>(&queue, 0), [20, 21]);
}

/// A consumer that is killed beside another one and a producer: at most the number whose pop had
/// not returned is lost.
pub(crate) fn consumer_is_killed() {
    // A bit for each number that the dead consumer had popped.
    let (queue, taken) = (queue::<Nblfq>([1, 2], 2), Arc::new(Word::new(0)));
    let mut producer = queue.producer();
    let mut pushed = u64::from(Nblfq::push(&mut producer, 0));
    let popping = {
        let (queue, taken) = (queue.clone(), Arc::clone(&taken));
        thread::spawn(move || {
            let (queue, taken) = (ManuallyDrop::new(queue), ManuallyDrop::new(taken));
            let mut consumer = ManuallyDrop::new(queue.consumer());
            let mut seen = 0;
            for _ in 0..2 {
                if let Some(number) = Nblfq::pop(&mut consumer) {
                    seen |= 1 << number;
                    taken.store(seen, Ordering::Relaxed);
                }
            }
        })
    };
    let mut other = queue.consumer();
    pushed += u64::from(Nblfq::push(&mut producer, pushed));
    let mut numbers = Vec::from_iter(Nblfq::pop(&mut other));
    if popping.join().is_err() {
        WAS_KILLED.store(true, Relaxed);
    }
    let taken = taken.load(Ordering::Relaxed);
    for _ in 0..3 {
        pushed += u64::from(Nblfq::push(&mut producer, pushed));
        numbers.extend(Nblfq::pop(&mut other));
    }
    numbers.extend(drain::<Nblfq>(&queue, 0));
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    let times = |number: u64| (taken >> number & 1) + u64::from(numbers.contains(&number));
    assert!((0..pushed).all(|number| times(number) <= 1) && numbers.iter().all(|number| *number < pushed));
    assert!((0..pushed).filter(|number| times(*number) == 0).count() <= 1, "{numbers:?} besides {taken:b} of {pushed}");
}
