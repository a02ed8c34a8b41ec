//! Queues that overwrite the oldest items, with one producer or several.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::WAS_KILLED;
use super::kinds::{Words, unless_empty};
use super::overwritten::{Overwritten, handles};
use crate::library::drop_old::{Geometry, Producer, Queue, Reader};
use crate::library::{Expected, Memory, Ordering, Word};
use aqueduct_model::thread;

/// A number and its complement: two words, so that a mix of two items is found.
type Item = [u64; 2];
type Items = Queue<Item, Words>;

/// Items in a ring of `SLOTS` slots.
pub(crate) struct Slots<const SLOTS: usize>;

impl<const SLOTS: usize> Overwritten for Slots<SLOTS> {
    type Queue = Items;
    type Producer = Producer<Item, Words>;
    type Reader = Reader<Item, Words>;
    const MOST: usize = SLOTS;

    fn words() -> usize {
        geometry(1, SLOTS).words()
    }

    fn create(words: Words) -> Items {
        Queue::create(words, geometry(1, SLOTS), 0).expect("room")
    }

    fn attach(words: Words) -> Option<Items> {
        Queue::attach(words, &Expected::new().places(1, 0).capacity(SLOTS)).ok()
    }

    fn push(producer: &mut Self::Producer, number: u64) {
        push(producer, number);
    }

    fn read(reader: &mut Self::Reader) -> Option<u64> {
        read(reader)
    }

    handles!();
}

fn geometry(producers: usize, slots: usize) -> Geometry {
    Geometry::with_cells::<Item>(producers, slots, 3).expect("a small queue")
}

fn queue(producers: usize, slots: usize) -> Items {
    let geometry = geometry(producers, slots);
    Queue::create(Words::new(geometry.words()), geometry, 0).expect("room")
}

fn push(producer: &mut Producer<Item, Words>, number: u64) {
    producer.push([number, !number]).expect("there is always room");
}

fn read(reader: &mut Reader<Item, Words>) -> Option<u64> {
    unless_empty(reader.read()).map(|[number, inverse]| {
        assert_eq!(inverse, !number, "parts of two items");
        number
    })
}

/// Reads all numbers.
fn drain(reader: &mut Reader<Item, Words>) -> Vec<u64> {
    std::iter::from_fn(|| read(reader)).collect()
}

/// Asserts that the numbers of each producer are in order. A number divided by ten is that of its
/// producer.
fn assert_ordered(numbers: &[u64]) {
    for producer in 0..4 {
        let of: Vec<_> = numbers.iter().filter(|number| *number / 10 == producer).collect();
        assert!(of.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    }
}

/// Two producers, which push `counts` numbers, beside a reader that tries `reads` times.
pub(super) fn producers_beside_reader(slots: usize, counts: [u64; 2], reads: usize) {
    let queue = queue(2, slots);
    let mut reader = queue.reader().expect("sound");
    let producers = [0, 1].map(|which| {
        let mut producer = queue.producer().expect("free");
        thread::spawn(move || (0..counts[which]).for_each(|number| push(&mut producer, 10 * which as u64 + number)))
    });
    let mut numbers: Vec<u64> = (0..reads).filter_map(|_| read(&mut reader)).collect();
    for producer in producers {
        producer.join().unwrap();
    }
    numbers.extend(drain(&mut reader));
    assert_eq!(numbers.len() as u64 + reader.lost(), counts.iter().sum::<u64>(), "{numbers:?}");
    assert_ordered(&numbers);
    // A late reader finds the numbers that are left.
    let left = drain(&mut queue.reader().expect("sound"));
    assert_eq!(left.len() as u64, counts.iter().sum::<u64>().min(slots as u64));
    assert!(numbers.ends_with(&left) || left.ends_with(&numbers), "{numbers:?} and {left:?}");
}

/// The word of a place in which its cell is.
fn cell_word(queue: &Items, place: usize) -> &Word {
    &queue.memory().words()[16 * (6 + place) + 1]
}

/// A producer was killed right behind its exchange. It is replaced while another one overwrites its
/// item, and a reader reads.
pub(super) fn producer_succeeds(pushes: u64) {
    let queue = queue(2, 1);
    let mut reader = queue.reader().expect("sound");
    let old = cell_word(&queue, 0).load(Ordering::Relaxed);
    let mut dead = ManuallyDrop::new(queue.producer().expect("free"));
    push(&mut dead, 0);
    cell_word(&queue, 0).store(old, Ordering::Relaxed);
    let mut other = queue.producer().expect("free");
    let pushing = thread::spawn(move || (10..10 + pushes).for_each(|number| push(&mut other, number)));
    let mut successor = queue.replace_producer(0, 9).expect("sound");
    push(&mut successor, 1);
    let mut numbers = Vec::from_iter(read(&mut reader));
    pushing.join().unwrap();
    numbers.extend(drain(&mut reader));
    assert_eq!(numbers.len() as u64 + reader.lost(), pushes + 2, "{numbers:?}");
    assert_ordered(&numbers);
}

/// A producer was killed right before its exchange. It is replaced while another one works at the
/// slot of its intent.
pub(super) fn producer_succeeds_without_exchange() {
    let queue = queue(2, 1);
    std::mem::forget(queue.producer().expect("free"));
    // Its intent is the slot's word. The ring lies behind two places.
    let first = queue.memory().words()[16 * (6 + 2)].load(Ordering::Relaxed);
    queue.memory().words()[16 * 6 + 2].store(first, Ordering::Relaxed);
    let mut reader = queue.reader().expect("sound");
    let mut producer = queue.replace_producer(1, 9).expect("sound");
    let working = thread::spawn(move || (10..12).for_each(|number| push(&mut producer, number)));
    let mut successor = queue.replace_producer(0, 9).expect("sound");
    push(&mut successor, 0);
    working.join().unwrap();
    // Each cell is used again: none has two owners.
    (1..4).for_each(|number| push(&mut successor, number));
    assert_eq!((read(&mut reader), reader.lost()), (Some(3), 5));
}

/// A producer that is killed beside another one and a reader: the queue has its pushed numbers, and
/// at most one more, and a successor continues.
pub(crate) fn producer_is_killed() {
    let queue = queue(2, 2);
    let committed = Arc::new(Word::new(0));
    let pushing = {
        let (queue, committed) = (queue.clone(), Arc::clone(&committed));
        thread::spawn(move || {
            let (queue, committed) = (ManuallyDrop::new(queue), ManuallyDrop::new(committed));
            let mut producer = ManuallyDrop::new(queue.replace_producer(0, 8).expect("sound"));
            for number in 0..2 {
                push(&mut producer, number);
                committed.store(number + 1, Ordering::Relaxed);
            }
        })
    };
    let mut other = queue.replace_producer(1, 9).expect("sound");
    let mut reader = queue.reader().expect("sound");
    push(&mut other, 10);
    let mut numbers: Vec<u64> = (0..2).filter_map(|_| read(&mut reader)).collect();
    if pushing.join().is_err() {
        WAS_KILLED.store(true, Relaxed);
    }
    let committed = committed.load(Ordering::Relaxed);
    numbers.extend(drain(&mut reader));
    let pushed = numbers.len() as u64 + reader.lost();
    assert!(pushed == committed + 1 || pushed == committed + 2, "{pushed} came of {committed}, and one");
    // Each cell is used again: none has two owners.
    let mut successor = queue.replace_producer(0, 7).expect("the place of the dead");
    for number in 5..8 {
        push(&mut successor, number);
        push(&mut other, 10 + number);
        assert_eq!((read(&mut reader), read(&mut reader)), (Some(number), Some(10 + number)));
    }
    assert_ordered(&numbers);
}

/// Another thread stops anywhere in a push: this one still pushes and reads.
pub(crate) fn goes_on_beside_a_stopped_one() {
    let queue = queue(2, 2);
    let (mut producer, mut reader) = (queue.producer().expect("free"), queue.reader().expect("sound"));
    let mut other = queue.producer().expect("free");
    thread::spawn(move || push(&mut other, 0));
    push(&mut producer, 10);
    assert!(read(&mut reader).is_some(), "one is there");
    push(&mut producer, 11);
    assert!(read(&mut reader).is_some(), "another one is there");
}
