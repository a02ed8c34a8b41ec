//! Places of many producers and consumers, and successors of dead ones: each number once, in order,
//! none invented.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::WAS_KILLED;
use super::kinds::{Words, unless_empty};
use super::many::{self, Many, assert_ordered, handles};
use crate::library::mpmc::{Consumer, Geometry, Producer, Queue};
use crate::library::{Expected, Memory, Ordering, Word};
use aqueduct_model::thread;

type Numbers = Queue<u64, Words>;

fn geometry([producers, consumers]: [usize; 2], slots: usize) -> Geometry {
    Geometry::with_cells::<u64>(producers, consumers, slots, 2).expect("a small queue")
}

/// The queue of numbers of eight bytes.
pub(crate) struct Mpmc;

impl Many for Mpmc {
    type Queue = Numbers;
    type Producer = Producer<u64, Words>;
    type Consumer = Consumer<u64, Words>;
    const FEWEST: usize = 1;

    fn words(places: [usize; 2], slots: usize) -> usize {
        geometry(places, slots).words()
    }

    fn create(words: Words, places: [usize; 2], slots: usize) -> Numbers {
        Queue::create(words, geometry(places, slots), 0).expect("room")
    }

    fn attach(words: Words, slots: usize) -> Option<Numbers> {
        Queue::attach(words, &Expected::new().places(1, 1).capacity(slots)).ok()
    }

    fn producer(queue: &Numbers) -> Self::Producer {
        queue.producer().expect("free")
    }

    fn consumer(queue: &Numbers) -> Self::Consumer {
        queue.consumer().expect("free")
    }

    fn successor(queue: &Numbers, place: usize) -> Self::Consumer {
        queue.replace_consumer(place, 9).expect("sound")
    }

    fn peek_and_pop(consumer: &mut Self::Consumer) -> Option<u64> {
        let number = unless_empty(consumer.peek())?;
        assert_eq!(Self::pop(consumer), Some(number));
        Some(number)
    }

    handles!();
}

fn queue(places: [usize; 2], slots: usize) -> Numbers {
    many::queue::<Mpmc>(places, slots)
}

fn push(producer: &mut Producer<u64, Words>, number: u64) -> bool {
    Mpmc::push(producer, number)
}

fn pop(consumer: &mut Consumer<u64, Words>) -> Option<u64> {
    Mpmc::pop(consumer)
}

fn drain(queue: &Numbers, place: usize) -> Vec<u64> {
    many::drain::<Mpmc>(queue, place)
}

/// Two threads claim one place: one gets it after the other, or not at all.
pub(super) fn producers_change() {
    let queue = queue([1, 1], 2);
    let threads = [(); 2].map(|()| {
        let queue = queue.clone();
        thread::spawn(move || queue.producer().is_ok_and(|mut producer| push(&mut producer, 0)))
    });
    let pushed = threads.into_iter().map(|thread| thread.join().unwrap());
    let pushed = pushed.filter(|pushed| *pushed).count();
    assert_ne!(pushed, 0, "the place was free");
    assert_eq!(drain(&queue, 0), vec![0; pushed]);
}

/// The word of a place with its cell, behind that of its handle. Places begin behind the header.
fn cell_word(queue: &Numbers, place: usize) -> &Word {
    &queue.memory().words()[16 * (6 + place) + 1]
}

/// A producer was killed right behind its exchange. It is replaced while others work.
///
/// Its successor has to detect that the exchange took effect, whatever a consumer has done with the
/// item, and continue.
pub(super) fn producer_succeeds(pops: u64) {
    let queue = queue([2, 1], 2);
    let old = cell_word(&queue, 0).load(Ordering::Relaxed);
    let mut dead = ManuallyDrop::new(queue.producer().expect("free"));
    assert!(push(&mut dead, 0));
    cell_word(&queue, 0).store(old, Ordering::Relaxed);
    assert!(push(&mut queue.producer().expect("free"), 10));
    let mut consumer = queue.consumer().expect("free");
    let popping = thread::spawn(move || (0..pops).map(|_| pop(&mut consumer).expect("a number")).collect::<Vec<u64>>());
    let mut successor = queue.replace_producer(0, 9).expect("sound");
    let pushed = push(&mut successor, 1);
    let mut numbers = popping.join().unwrap();
    numbers.extend(drain(&queue, 0));
    assert_eq!(numbers, if pushed { vec![0, 10, 1] } else { vec![0, 10] });
}

/// A producer was killed right before its exchange. It is replaced while others work at the slot of
/// its intent.
pub(super) fn producer_succeeds_without_exchange() {
    let queue = queue([2, 1], 2);
    std::mem::forget(queue.producer().expect("free"));
    // Its intent is the first slot's word. The ring lies behind three places.
    let first = queue.memory().words()[16 * (6 + 3)].load(Ordering::Relaxed);
    queue.memory().words()[16 * 6 + 2].store(first, Ordering::Relaxed);
    let (mut producer, mut consumer) = (queue.replace_producer(1, 9).expect("sound"), queue.consumer().expect("free"));
    let working = thread::spawn(move || {
        assert!(push(&mut producer, 10), "there is room for both");
        pop(&mut consumer)
    });
    let mut successor = queue.replace_producer(0, 9).expect("sound");
    assert!(push(&mut successor, 0), "there is room for both");
    let mut numbers = Vec::from_iter(working.join().unwrap());
    numbers.extend(drain(&queue, 0));
    // Each cell is used again: none has two owners.
    for number in 1..4 {
        assert!(push(&mut successor, number));
        numbers.extend(drain(&queue, 0));
    }
    assert_ordered(&numbers);
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2, 3, 10]);
}

/// A consumer was killed right behind its exchange. It is replaced while a producer works, twice
/// around the ring.
pub(super) fn consumer_succeeds() {
    let queue = queue([1, 2], 1);
    let mut producer = queue.producer().expect("free");
    assert!(push(&mut producer, 0));
    let old = cell_word(&queue, 1).load(Ordering::Relaxed);
    let mut dead = ManuallyDrop::new(queue.consumer().expect("free"));
    assert_eq!(pop(&mut dead), Some(0));
    cell_word(&queue, 1).store(old, Ordering::Relaxed);
    let mut other = queue.consumer().expect("free");
    let pushing = thread::spawn(move || {
        assert!(push(&mut producer, 1));
        let popped = pop(&mut other);
        assert!(push(&mut producer, 2), "one of the two consumers has made room");
        popped
    });
    let mut successor = queue.replace_consumer(0, 9).expect("sound");
    assert!(successor.holds());
    assert_eq!(pop(&mut successor), Some(0), "it comes again: the pop had not come to its end");
    let next = pop(&mut successor);
    drop(successor);
    let mut numbers: Vec<u64> = next.into_iter().chain(pushing.join().unwrap()).collect();
    numbers.sort_unstable();
    numbers.extend(drain(&queue, 0));
    assert_eq!(numbers, [1, 2]);
}

/// A producer was killed right behind its exchange, and so was the consumer of its item. Both are
/// replaced at the same time.
pub(super) fn both_succeed() {
    let queue = queue([1, 2], 2);
    let old = [0, 1].map(|place| cell_word(&queue, place).load(Ordering::Relaxed));
    let mut producer = ManuallyDrop::new(queue.producer().expect("free"));
    let mut consumer = ManuallyDrop::new(queue.consumer().expect("free"));
    assert!(push(&mut producer, 0));
    assert_eq!(pop(&mut consumer), Some(0));
    old.iter().enumerate().for_each(|(place, cell)| cell_word(&queue, place).store(*cell, Ordering::Relaxed));
    let popping = {
        let queue = queue.clone();
        thread::spawn(move || {
            let mut successor = queue.replace_consumer(0, 9).expect("sound");
            (pop(&mut successor), pop(&mut successor))
        })
    };
    let mut successor = queue.replace_producer(0, 9).expect("sound");
    assert!(push(&mut successor, 1) && push(&mut successor, 2), "there is room for both");
    let (first, second) = popping.join().unwrap();
    assert_eq!(first, Some(0), "it comes again: the pop had not come to its end");
    assert_eq!(second.into_iter().chain(drain(&queue, 1)).collect::<Vec<_>>(), [1, 2]);
}

/// A producer that is killed beside another one and a consumer: the queue has its pushed numbers,
/// and at most one more, and a successor continues.
pub(crate) fn producer_is_killed() {
    let queue = queue([2, 1], 2);
    let committed = Arc::new(Word::new(0));
    let pushing = {
        let (queue, committed) = (queue.clone(), Arc::clone(&committed));
        thread::spawn(move || {
            let (queue, committed) = (ManuallyDrop::new(queue), ManuallyDrop::new(committed));
            let mut producer = ManuallyDrop::new(queue.replace_producer(0, 8).expect("sound"));
            let mut number = 0;
            for _ in 0..2 {
                number += u64::from(push(&mut producer, number));
                committed.store(number, Ordering::Relaxed);
            }
        })
    };
    let mut other = queue.replace_producer(1, 9).expect("sound");
    let mut consumer = queue.replace_consumer(0, 9).expect("sound");
    let others = u64::from(push(&mut other, 10));
    let mut numbers: Vec<u64> = (0..2).filter_map(|_| pop(&mut consumer)).collect();
    if pushing.join().is_err() {
        WAS_KILLED.store(true, Relaxed);
    }
    let committed = committed.load(Ordering::Relaxed);
    let mut successor = queue.replace_producer(0, 7).expect("the place of the dead");
    let mut more = u64::from(push(&mut successor, 5));
    numbers.extend(std::iter::from_fn(|| pop(&mut consumer)));
    // Each cell is used again: none has two owners.
    for number in 6..9 {
        more += u64::from(push(&mut successor, number));
        numbers.extend(pop(&mut consumer));
    }
    assert_ordered(&numbers);
    let [dead, again, live] =
        [0..5, 5..10, 10..20].map(|range| numbers.iter().filter(|number| range.contains(*number)).count() as u64);
    assert!(dead == committed || dead == committed + 1, "{numbers:?} of {committed}");
    assert_eq!((again, live), (more, others));
}

/// A consumer that is killed beside another one and a producer: at most the number whose pop had
/// not returned is lost, or, if it was only peeked at, popped twice.
pub(crate) fn consumer_is_killed<const AT_MOST_ONCE: bool>() {
    let queue = queue([1, 2], 2);
    // A bit for each number that the dead consumer had popped.
    let taken = Arc::new(Word::new(0));
    let mut producer = queue.replace_producer(0, 9).expect("sound");
    let mut pushed = u64::from(push(&mut producer, 0));
    let popping = {
        let (queue, taken) = (queue.clone(), Arc::clone(&taken));
        thread::spawn(move || {
            let (queue, taken) = (ManuallyDrop::new(queue), ManuallyDrop::new(taken));
            let mut consumer = ManuallyDrop::new(queue.replace_consumer(0, 8).expect("sound"));
            let mut seen = 0;
            for _ in 0..2 {
                let number = if AT_MOST_ONCE { pop(&mut consumer) } else { unless_empty(consumer.peek()) };
                if let Some(number) = number {
                    seen |= 1 << number;
                    taken.store(seen, Ordering::Relaxed);
                    consumer.release();
                }
            }
        })
    };
    let mut other = queue.replace_consumer(1, 9).expect("sound");
    pushed += u64::from(push(&mut producer, pushed));
    let mut numbers = Vec::from_iter(pop(&mut other));
    if popping.join().is_err() {
        WAS_KILLED.store(true, Relaxed);
    }
    let taken = taken.load(Ordering::Relaxed);
    // Others continue while the dead place is free.
    for _ in 0..2 {
        pushed += u64::from(push(&mut producer, pushed));
        numbers.extend(pop(&mut other));
    }
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    numbers.extend(drain(&queue, 0));
    let times =
        |number: u64| (taken >> number & 1) as usize + numbers.iter().filter(|popped| **popped == number).count();
    let lost = (0..pushed).filter(|&number| times(number) == 0).count();
    let twice = (0..pushed).filter(|&number| times(number) == 2).count();
    assert!((0..pushed).all(|number| times(number) <= 2) && numbers.iter().all(|number| *number < pushed));
    let [most_lost, most_twice] = if AT_MOST_ONCE { [1, 0] } else { [0, 1] };
    assert!(lost <= most_lost && twice <= most_twice, "{numbers:?} besides {taken:b} of {pushed}");
}
