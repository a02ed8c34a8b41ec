//! Queues of one producer that overwrite the oldest items or records: each reader gets each number
//! once, in order and whole, or counts it as lost.

use std::mem::ManuallyDrop;
use std::sync::atomic::Ordering::Relaxed;

use super::WAS_KILLED;
use super::kinds::Words;
use crate::library::Peer;
use aqueduct_model::hint::await_some;
use aqueduct_model::thread;

/// A queue of numbers that overwrites the oldest ones.
pub(crate) trait Overwritten: 'static {
    type Queue: Clone + 'static;
    type Producer: 'static;
    type Reader: 'static;
    /// The greatest number of numbers in the ring.
    const MOST: usize;
    fn words() -> usize;
    fn create(words: Words) -> Self::Queue;
    fn attach(words: Words) -> Option<Self::Queue>;
    fn producer(queue: &Self::Queue) -> Self::Producer;
    fn reader(queue: &Self::Queue) -> Self::Reader;
    fn push(producer: &mut Self::Producer, number: u64);
    fn read(reader: &mut Self::Reader) -> Option<u64>;
    fn lost(reader: &Self::Reader) -> u64;
    fn wake(producer: &Self::Producer);
    fn sleep(reader: &mut Self::Reader);
    fn arm(reader: &mut Self::Reader) -> bool;
    fn sleep_unless_left(reader: &mut Self::Reader);
    fn peer(reader: &Self::Reader) -> Peer;
}

macro_rules! handles {
    () => {
        fn producer(queue: &Self::Queue) -> Self::Producer {
            queue.producer().expect("free")
        }

        fn reader(queue: &Self::Queue) -> Self::Reader {
            queue.reader().expect("sound")
        }

        fn lost(reader: &Self::Reader) -> u64 {
            reader.lost()
        }

        fn wake(producer: &Self::Producer) {
            producer.wake();
        }

        fn sleep(reader: &mut Self::Reader) {
            reader.wait(super::kinds::TIME);
        }

        fn arm(reader: &mut Self::Reader) -> bool {
            reader.arm()
        }

        fn sleep_unless_left(reader: &mut Self::Reader) {
            reader.wait_unless_left(super::kinds::TIME);
        }

        fn peer(reader: &Self::Reader) -> crate::library::Peer {
            reader.peer()
        }
    };
}

pub(crate) use handles;

pub(super) fn queue<K: Overwritten>() -> K::Queue {
    K::create(Words::new(K::words()))
}

/// Reads all numbers.
pub(super) fn drain<K: Overwritten>(reader: &mut K::Reader) -> Vec<u64> {
    std::iter::from_fn(|| K::read(reader)).collect()
}

/// The numbers from 0 on that a reader has read or lost.
#[derive(Default)]
pub(super) struct Had {
    next: u64,
    count: u64,
}

impl Had {
    /// Tries once. Returns whether a number was read. It equals the count of the read and lost
    /// numbers before it.
    pub(super) fn read<K: Overwritten>(&mut self, reader: &mut K::Reader) -> bool {
        let Some(number) = K::read(reader) else { return false };
        assert!(number >= self.next, "{number} came after {}", self.next);
        self.next = number + 1;
        self.count += 1;
        assert_eq!(K::lost(reader) + self.count, self.next, "lost, and read");
        true
    }

    /// Reads all numbers. The newest one is among them.
    pub(super) fn read_to<K: Overwritten>(mut self, reader: &mut K::Reader, end: u64) {
        while self.read::<K>(reader) {}
        assert_eq!(self.next, end, "the newest number is always there");
    }
}

/// A producer of the numbers from 0 on beside a reader that tries `reads` times.
pub(super) fn producer_beside_reader<K: Overwritten>(count: u64, reads: usize) {
    let queue = queue::<K>();
    let (mut producer, mut reader) = (K::producer(&queue), K::reader(&queue));
    let pushing = thread::spawn(move || (0..count).for_each(|number| K::push(&mut producer, number)));
    let mut had = Had::default();
    for _ in 0..reads {
        had.read::<K>(&mut reader);
    }
    pushing.join().unwrap();
    had.read_to::<K>(&mut reader, count);
}

/// Two readers beside a producer: each reads all numbers, or counts them.
pub(super) fn readers_beside_producer<K: Overwritten>(before: u64, count: u64, reads: usize) {
    let queue = queue::<K>();
    let mut producer = K::producer(&queue);
    let readers = [(); 2].map(|()| {
        let mut reader = K::reader(&queue);
        thread::spawn(move || {
            let mut had = Had::default();
            for _ in 0..reads {
                had.read::<K>(&mut reader);
            }
            (reader, had)
        })
    });
    (0..before + count).for_each(|number| K::push(&mut producer, number));
    for reader in readers {
        let (mut reader, had) = reader.join().unwrap();
        had.read_to::<K>(&mut reader, before + count);
    }
}

/// A reader that is made while a producer works starts with the numbers in the queue.
pub(super) fn late_reader<K: Overwritten>(before: u64, count: u64) {
    let queue = queue::<K>();
    let mut producer = K::producer(&queue);
    (0..before).for_each(|number| K::push(&mut producer, number));
    let pushing = thread::spawn(move || (before..before + count).for_each(|number| K::push(&mut producer, number)));
    let mut reader = K::reader(&queue);
    let mut numbers = Vec::from_iter(K::read(&mut reader));
    pushing.join().unwrap();
    numbers.extend(drain::<K>(&mut reader));
    let end = before + count;
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]) && numbers.last() == Some(&(end - 1)), "{numbers:?}");
    assert!(numbers.len() as u64 + K::lost(&reader) <= end && numbers.len() <= K::MOST + 1);
}

/// A thread finds a queue that another one makes: all of it, or none.
pub(super) fn attaches_beside_the_maker<K: Overwritten>() {
    let words = Words::new(K::words());
    let making = {
        let words = words.clone();
        thread::spawn(move || {
            let _ = K::create(words);
        })
    };
    if let Some(queue) = K::attach(words.clone()) {
        let mut reader = K::reader(&queue);
        K::push(&mut K::producer(&queue), 7);
        assert_eq!(drain::<K>(&mut reader), [7]);
    }
    making.join().unwrap();
    assert!(K::attach(words).is_some());
}

/// Readers that sleep are woken.
pub(super) fn sleeping_readers<K: Overwritten>(readers: usize) {
    let queue = queue::<K>();
    let mut producer = K::producer(&queue);
    let readers: Vec<_> = (0..readers)
        .map(|_| {
            let mut reader = K::reader(&queue);
            thread::spawn(move || {
                K::sleep(&mut reader);
                await_some(|| K::read(&mut reader))
            })
        })
        .collect();
    K::push(&mut producer, 7);
    K::wake(&producer);
    for reader in readers {
        assert_eq!(reader.join().unwrap(), 7);
    }
}

/// Readers that wait for their events read the number.
pub(super) fn waiting_readers<K: Overwritten>(readers: usize) {
    let words = Words::with_events(K::words(), readers);
    let queue = K::create(words.clone());
    let mut producer = K::producer(&queue);
    let readers: Vec<_> = (0..readers)
        .map(|which| {
            let (mut reader, words) = (K::reader(&queue), words.clone());
            thread::spawn(move || super::await_signalled(&words, which, &mut reader, K::read, K::arm))
        })
        .collect();
    K::push(&mut producer, 7);
    K::wake(&producer);
    for reader in readers {
        assert_eq!(reader.join().unwrap(), 7);
    }
}

/// A reader that is killed leaves nothing behind: other handles continue during and after its
/// steps.
pub(crate) fn reader_is_killed<K: Overwritten>() {
    let queue = queue::<K>();
    let mut producer = K::producer(&queue);
    K::push(&mut producer, 0);
    let reading = {
        let queue = queue.clone();
        thread::spawn(move || {
            let queue = ManuallyDrop::new(queue);
            let mut reader = ManuallyDrop::new(K::reader(&queue));
            for _ in 0..2 {
                K::read(&mut reader);
            }
        })
    };
    (1..3).for_each(|number| K::push(&mut producer, number));
    if reading.join().is_err() {
        WAS_KILLED.store(true, Relaxed);
    }
    let mut reader = K::reader(&queue);
    let found = drain::<K>(&mut reader);
    assert!(found.len() <= K::MOST && found.last() == Some(&2), "{found:?}");
    K::push(&mut producer, 3);
    assert_eq!((drain::<K>(&mut reader), K::lost(&reader)), (vec![3], 0));
}
