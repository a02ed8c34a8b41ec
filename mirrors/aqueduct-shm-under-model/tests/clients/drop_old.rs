//! Queues whose oldest items are overwritten: each reader gets each item once or counts it as lost, in order, and
//! whole.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::WAS_KILLED;
use super::kinds::{TIME, Words, unless_empty};
use crate::library::drop_old::{Geometry, Producer, Queue, Reader};
use crate::library::{Expected, Memory, Ordering, Word};
use aqueduct_model::hint::await_some;
use aqueduct_model::thread;

/// A number and its inverse: two words, of which a reader could get one of another item.
type Item = [u64; 2];
type Items = Queue<Item, Words>;

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

/// Reads all that is there.
fn drain(reader: &mut Reader<Item, Words>) -> Vec<u64> {
    std::iter::from_fn(|| read(reader)).collect()
}

/// Asserts that the numbers of each producer, which are ten times its own and some, are in its order.
fn assert_ordered(numbers: &[u64]) {
    for producer in 0..4 {
        let of: Vec<_> = numbers.iter().filter(|number| *number / 10 == producer).collect();
        assert!(of.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    }
}

/// A producer of the numbers from 0 on beside a reader that tries `reads` times.
pub(super) fn producer_beside_reader(slots: usize, count: u64, reads: usize) {
    let queue = queue(1, slots);
    let (mut producer, mut reader) = (queue.producer().expect("free"), queue.reader().expect("sound"));
    let pushing = thread::spawn(move || (0..count).for_each(|number| push(&mut producer, number)));
    let mut next = 0;
    let mut check = |reader: &Reader<Item, Words>, number: u64, has_read: &mut u64| {
        assert!(number >= next, "{number} came after {next}");
        next = number + 1;
        *has_read += 1;
        assert_eq!(reader.lost() + *has_read, next, "lost, and read");
    };
    let mut has_read = 0;
    for _ in 0..reads {
        if let Some(number) = read(&mut reader) {
            check(&reader, number, &mut has_read);
        }
    }
    pushing.join().unwrap();
    for number in drain(&mut reader) {
        check(&reader, number, &mut has_read);
    }
    assert_eq!(next, count, "the newest item is always there");
}

/// Two producers beside a reader: how many numbers each pushes, and how often the reader tries.
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
    // A late reader finds what is left.
    let left = drain(&mut queue.reader().expect("sound"));
    assert_eq!(left.len() as u64, counts.iter().sum::<u64>().min(slots as u64));
    assert!(numbers.ends_with(&left) || left.ends_with(&numbers), "{numbers:?} and {left:?}");
}

/// A reader that comes while a producer works begins with the items of the queue.
pub(super) fn late_reader(slots: usize, before: u64, count: u64) {
    let queue = queue(1, slots);
    let mut producer = queue.producer().expect("free");
    (0..before).for_each(|number| push(&mut producer, number));
    let pushing = thread::spawn(move || (before..before + count).for_each(|number| push(&mut producer, number)));
    let mut reader = queue.reader().expect("sound");
    let mut numbers = Vec::from_iter(read(&mut reader));
    pushing.join().unwrap();
    numbers.extend(drain(&mut reader));
    let end = before + count;
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]) && numbers.last() == Some(&(end - 1)), "{numbers:?}");
    assert!(numbers.len() as u64 + reader.lost() <= end && numbers.len() <= slots + 1);
}

/// A thread finds a queue that another one makes: all of it, or none.
pub(super) fn attaches_beside_the_maker() {
    let geometry = geometry(1, 1);
    let words = Words::new(geometry.words());
    let making = {
        let words = words.clone();
        thread::spawn(move || {
            let _ = Items::create(words, geometry, 0);
        })
    };
    if let Ok(queue) = Items::attach(words.clone(), &Expected::new().places(1, 0).capacity(1)) {
        let mut reader = queue.reader().expect("sound");
        push(&mut queue.producer().expect("free"), 7);
        assert_eq!(drain(&mut reader), [7]);
    }
    making.join().unwrap();
    assert!(Items::attach(words, &Expected::new()).is_ok());
}

/// Readers that sleep are woken.
pub(super) fn sleeping_readers(readers: usize) {
    let queue = queue(1, 2);
    let mut producer = queue.producer().expect("free");
    let readers: Vec<_> = (0..readers)
        .map(|_| {
            let mut reader = queue.reader().expect("sound");
            thread::spawn(move || {
                reader.wait(TIME);
                await_some(|| read(&mut reader))
            })
        })
        .collect();
    push(&mut producer, 7);
    producer.wake();
    for reader in readers {
        assert_eq!(reader.join().unwrap(), 7);
    }
}

/// The word of a place in which its cell is.
fn cell_word(queue: &Items, place: usize) -> &Word {
    &queue.memory().words()[16 * (6 + place) + 1]
}

/// A producer was killed right behind its exchange. It is replaced while another one overwrites its item, and a reader
/// reads.
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

/// A producer was killed right before its exchange. It is replaced while another one works at the slot that it wanted.
pub(super) fn producer_succeeds_without_exchange() {
    let queue = queue(2, 1);
    std::mem::forget(queue.producer().expect("free"));
    // It wants the cell of the slot. The ring lies behind the places of two.
    let first = queue.memory().words()[16 * (6 + 2)].load(Ordering::Relaxed);
    queue.memory().words()[16 * 6 + 2].store(first, Ordering::Relaxed);
    let mut reader = queue.reader().expect("sound");
    let mut producer = queue.replace_producer(1, 9).expect("sound");
    let working = thread::spawn(move || (10..12).for_each(|number| push(&mut producer, number)));
    let mut successor = queue.replace_producer(0, 9).expect("sound");
    push(&mut successor, 0);
    working.join().unwrap();
    // Each cell is used again: none belongs to two.
    (1..4).for_each(|number| push(&mut successor, number));
    assert_eq!((read(&mut reader), reader.lost()), (Some(3), 5));
}

/// A producer that is killed beside another one and a reader: its pushed numbers were there, at most one more,
/// and a successor goes on.
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
    // Each cell is used again: none belongs to two.
    let mut successor = queue.replace_producer(0, 7).expect("the place of the dead");
    for number in 5..8 {
        push(&mut successor, number);
        push(&mut other, 10 + number);
        assert_eq!((read(&mut reader), read(&mut reader)), (Some(number), Some(10 + number)));
    }
    assert_ordered(&numbers);
}

/// A reader that is killed leaves nothing: all goes on beside it and behind it.
pub(crate) fn reader_is_killed() {
    let queue = queue(1, 1);
    let mut producer = queue.producer().expect("free");
    push(&mut producer, 0);
    let reading = {
        let queue = queue.clone();
        thread::spawn(move || {
            let queue = ManuallyDrop::new(queue);
            let mut reader = ManuallyDrop::new(queue.reader().expect("sound"));
            for _ in 0..2 {
                read(&mut reader);
            }
        })
    };
    (1..3).for_each(|number| push(&mut producer, number));
    if reading.join().is_err() {
        WAS_KILLED.store(true, Relaxed);
    }
    let mut reader = queue.reader().expect("sound");
    assert_eq!(drain(&mut reader), [2]);
    push(&mut producer, 3);
    assert_eq!((drain(&mut reader), reader.lost()), (vec![3], 0));
}

/// Another thread pushes and stops anywhere in it: this one pushes and reads all the same.
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

/// Readers that wait for their events find the number.
pub(super) fn waiting_readers(readers: usize) {
    let geometry = geometry(1, 2);
    let words = Words::with_events(geometry.words(), readers);
    let queue = Items::create(words.clone(), geometry, 0).expect("room");
    let mut producer = queue.producer().expect("free");
    let readers: Vec<_> = (0..readers)
        .map(|which| {
            let (mut reader, words) = (queue.reader().expect("sound"), words.clone());
            thread::spawn(move || super::await_signalled(&words, which, &mut reader, read, Reader::arm))
        })
        .collect();
    push(&mut producer, 7);
    producer.wake();
    for reader in readers {
        assert_eq!(reader.join().unwrap(), 7);
    }
}
