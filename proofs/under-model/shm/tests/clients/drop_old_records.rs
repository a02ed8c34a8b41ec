//! Queues that overwrite the oldest records: their handles with places, and lengths of records.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::WAS_KILLED;
use super::kinds::{Words, unless_empty};
use super::overwritten::{Had, Overwritten, handles, queue};
use crate::library::drop_old::records::{Geometry, Producer, Queue, Reader};
use crate::library::{Expected, Ordering, Word};
use aqueduct_model::thread;

/// Records in a ring of `RING` words, of one or two words besides their own two.
pub(crate) struct OfWords<const RING: usize, const SLACK: u64>;

impl<const RING: usize, const SLACK: u64> OfWords<RING, SLACK> {
    const BYTES: usize = 32;

    fn geometry() -> Geometry {
        Geometry::with_ring(Self::BYTES, RING, SLACK).expect("a small queue")
    }
}

/// A number, written once or twice.
fn record(number: u64) -> Vec<u8> {
    number.to_ne_bytes().repeat(1 + number as usize % 2)
}

impl<const RING: usize, const SLACK: u64> Overwritten for OfWords<RING, SLACK> {
    type Queue = Queue<Words>;
    type Producer = Producer<Words>;
    type Reader = Reader<Words>;
    const MOST: usize = RING / 3;

    fn words() -> usize {
        Self::geometry().words()
    }

    fn create(words: Words) -> Self::Queue {
        Queue::create(words, Self::geometry(), 0).expect("room")
    }

    fn attach(words: Words) -> Option<Self::Queue> {
        Queue::attach(words, &Expected::new().capacity(Self::BYTES)).ok()
    }

    fn push(producer: &mut Self::Producer, number: u64) {
        producer.push(&record(number)).expect("there is always room");
    }

    fn read(reader: &mut Self::Reader) -> Option<u64> {
        let mut bytes = [0; 16];
        let len = unless_empty(reader.read(&mut bytes))?;
        let number = u64::from_ne_bytes(bytes[..8].try_into().expect("eight bytes"));
        assert_eq!(bytes[..len], record(number), "parts of two records");
        Some(number)
    }

    handles!();
}

/// The short ring: at most two records.
pub(crate) type Short = OfWords<8, 0>;
/// A longer ring, in which the producer overwrites more than it needs.
pub(crate) type Long = OfWords<16, 4>;

/// A record that is written piece by piece beside a reader, and a dropped grant.
pub(super) fn grants() {
    let queue = queue::<Short>();
    let (mut producer, mut reader) = (queue.producer().expect("free"), queue.reader().expect("sound"));
    let pushing = thread::spawn(move || {
        for number in 0..3 {
            let record = record(number);
            // This grant is dropped: the next record takes its room.
            producer.reserve(16).expect("room").write(&[0xff; 16]);
            let mut grant = producer.reserve(16).expect("room");
            assert_eq!(grant.write(&record[..5]) + grant.write(&record[5..]), record.len());
            grant.commit();
        }
    });
    let mut had = Had::default();
    had.read::<Short>(&mut reader);
    pushing.join().unwrap();
    had.read_to::<Short>(&mut reader, 3);
}

/// Two threads claim the producer's side: one gets it after the other, and continues behind it, or
/// not at all.
pub(super) fn producers_change() {
    let queue = queue::<Short>();
    let mut reader = queue.reader().expect("sound");
    let threads = [(); 2].map(|()| {
        let queue = queue.clone();
        thread::spawn(move || {
            let Ok(mut producer) = queue.producer() else { return 0 };
            let number = producer.pushed();
            Short::push(&mut producer, number);
            1
        })
    });
    let pushed = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_ne!(pushed, 0, "the side was free");
    Had::default().read_to::<Short>(&mut reader, pushed);
    assert_eq!(reader.lost(), 0, "there is room for two");
}

/// A producer that is killed beside a reader: the queue has all that it had pushed, and at most one
/// number more, and a successor continues behind it, beside the reader.
pub(crate) fn producer_is_killed<K>()
where
    K: Overwritten<Queue = Queue<Words>, Producer = Producer<Words>, Reader = Reader<Words>>,
{
    let queue = queue::<K>();
    let (mut reader, mut had) = (queue.reader().expect("sound"), Had::default());
    let committed = Arc::new(Word::new(0));
    let pushing = {
        let (queue, committed) = (queue.clone(), Arc::clone(&committed));
        thread::spawn(move || {
            let (queue, committed) = (ManuallyDrop::new(queue), ManuallyDrop::new(committed));
            let mut producer = ManuallyDrop::new(queue.producer().expect("free"));
            for number in 0..3 {
                K::push(&mut producer, number);
                committed.store(number + 1, Ordering::Relaxed);
            }
        })
    };
    had.read::<K>(&mut reader);
    if pushing.join().is_err() {
        WAS_KILLED.store(true, Relaxed);
    }
    let committed = committed.load(Ordering::Relaxed);
    let mut successor = queue.replace_producer(9).expect("the place of the dead");
    let next = successor.pushed();
    assert!(next == committed || next == committed + 1, "{next} came of {committed}");
    // A new reader finds the newest record.
    let mut late = queue.reader().expect("sound");
    let last = std::iter::from_fn(|| K::read(&mut late)).last();
    assert_eq!(last, next.checked_sub(1));
    (next..next + 3).for_each(|number| K::push(&mut successor, number));
    had.read_to::<K>(&mut reader, next + 3);
}

/// A producer was killed in a push, after it had given up the oldest records. Its successor works
/// beside a reader.
pub(super) fn producer_succeeds() {
    let queue = queue::<Short>();
    let (mut reader, mut producer) = (queue.reader().expect("sound"), queue.producer().expect("free"));
    (0..2).for_each(|number| Short::push(&mut producer, number));
    // It is killed before it publishes the record.
    let mut grant = producer.reserve(16).expect("room");
    grant.write(&[0xff; 16]);
    let _ = ManuallyDrop::new(grant);
    std::mem::forget(producer);
    let pushing = {
        let queue = queue.clone();
        thread::spawn(move || {
            let mut successor = queue.replace_producer(9).expect("the place of the dead");
            Short::push(&mut successor, 2);
        })
    };
    let mut had = Had::default();
    had.read::<Short>(&mut reader);
    pushing.join().unwrap();
    had.read_to::<Short>(&mut reader, 3);
}

/// A producer that stops anywhere beside a reader: the reader finds a record.
pub(crate) fn goes_on_beside_a_stopped_producer() {
    let queue = queue::<Short>();
    let (mut producer, mut reader) = (queue.producer().expect("free"), queue.reader().expect("sound"));
    (0..2).for_each(|number| Short::push(&mut producer, number));
    thread::spawn(move || {
        (2..4).for_each(|number| Short::push(&mut producer, number));
        std::mem::forget(producer);
    });
    assert!(Short::read(&mut reader).is_some(), "one is there");
}

/// A reader that stops anywhere delays no other handle.
pub(crate) fn goes_on_beside_a_stopped_reader() {
    let queue = queue::<Short>();
    let mut producer = queue.producer().expect("free");
    Short::push(&mut producer, 0);
    let mut stopped = queue.reader().expect("sound");
    thread::spawn(move || Short::read(&mut stopped));
    let mut reader = queue.reader().expect("sound");
    (1..3).for_each(|number| Short::push(&mut producer, number));
    Had::default().read_to::<Short>(&mut reader, 3);
}
