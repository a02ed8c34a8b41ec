//! Queues of items and of records that carry numbers, as the clients use them.

use std::sync::Arc;
use std::time::Duration;

use aqueduct_model::hint::await_until;
use aqueduct_model::sync::atomic::AtomicU64;

use crate::library::{Expected, Memory, Ordering, Peer, PopError, Word, items, records};

/// The memory of a queue, and the events of the handles that wait.
#[derive(Clone)]
pub(crate) struct Words {
    words: Arc<Vec<Word>>,
    events: Arc<Vec<AtomicU64>>,
}

impl Words {
    pub(crate) fn new(words: usize) -> Self {
        Self::with_events(words, 1)
    }

    /// A memory with `events` events.
    pub(crate) fn with_events(words: usize, events: usize) -> Self {
        let events = Arc::new((0..events).map(|_| AtomicU64::new(0)).collect());
        Self { words: Arc::new((0..words).map(|_| Word::new(0)).collect()), events }
    }

    /// Another memory, with the same events.
    pub(crate) fn beside(&self, words: usize) -> Self {
        Self { events: Arc::clone(&self.events), ..Self::new(words) }
    }

    /// Clears an event as the system does: afterwards, all writes before its signals are seen.
    pub(crate) fn clear_event(&self, event: usize) {
        self.events[event].swap(0, Ordering::AcqRel);
    }

    pub(crate) fn await_event(&self, event: usize) {
        await_until(|| self.events[event].load(Ordering::Acquire) != 0);
    }
}

impl Memory for Words {
    fn words(&self) -> &[Word] {
        &self.words
    }

    fn signal(&self) {
        for event in &*self.events {
            event.fetch_add(1, Ordering::AcqRel);
        }
    }
}

/// A queue of numbers: items or records.
pub(crate) trait Kind: 'static {
    type Queue: Clone + 'static;
    type Producer: 'static;
    type Consumer: 'static;
    fn words() -> usize;
    fn create(words: Words) -> Self::Queue;
    fn attach(words: Words) -> Option<Self::Queue>;
    fn producer(queue: &Self::Queue, replaces: bool) -> Option<Self::Producer>;
    fn consumer(queue: &Self::Queue, replaces: bool) -> Option<Self::Consumer>;
    fn push(producer: &mut Self::Producer, number: u64) -> bool;
    fn pop(consumer: &mut Self::Consumer) -> Option<u64>;
    /// Returns the next number, which stays in the queue.
    fn peek(consumer: &mut Self::Consumer) -> Option<u64>;
    fn sleep_until_popped(producer: &mut Self::Producer);
    fn sleep_until_pushed(consumer: &mut Self::Consumer);
    fn arm_producer(producer: &mut Self::Producer) -> bool;
    fn arm_consumer(consumer: &mut Self::Consumer) -> bool;
    fn wake_consumer(producer: &Self::Producer);
    fn wake_producer(consumer: &Self::Consumer);
    fn sleep_unless_left(consumer: &mut Self::Consumer);
    fn peer(consumer: &Self::Consumer) -> Peer;
    fn producer_sleeps_unless_left(producer: &mut Self::Producer);
    fn peer_of_producer(producer: &Self::Producer) -> Peer;
}

/// Any time: it does not pass in the model.
pub(crate) const TIME: Duration = Duration::from_secs(1);

macro_rules! handles {
    () => {
        fn producer(queue: &Self::Queue, replaces: bool) -> Option<Self::Producer> {
            if replaces { Some(queue.replace_producer(9).expect("sound")) } else { queue.producer().ok() }
        }

        fn consumer(queue: &Self::Queue, replaces: bool) -> Option<Self::Consumer> {
            if replaces { Some(queue.replace_consumer(9).expect("sound")) } else { queue.consumer().ok() }
        }

        fn sleep_until_popped(producer: &mut Self::Producer) {
            producer.wait(TIME);
        }

        fn sleep_until_pushed(consumer: &mut Self::Consumer) {
            consumer.wait(TIME);
        }

        fn arm_producer(producer: &mut Self::Producer) -> bool {
            producer.arm()
        }

        fn arm_consumer(consumer: &mut Self::Consumer) -> bool {
            consumer.arm()
        }

        fn wake_consumer(producer: &Self::Producer) {
            producer.wake();
        }

        fn wake_producer(consumer: &Self::Consumer) {
            consumer.wake();
        }

        fn sleep_unless_left(consumer: &mut Self::Consumer) {
            consumer.wait_unless_left(TIME);
        }

        fn peer(consumer: &Self::Consumer) -> Peer {
            consumer.peer()
        }

        fn producer_sleeps_unless_left(producer: &mut Self::Producer) {
            producer.wait_unless_left(TIME);
        }

        fn peer_of_producer(producer: &Self::Producer) -> Peer {
            producer.peer()
        }
    };
}

/// The item, or `None` if the queue was empty. The memory is not overwritten, so it is never
/// damaged.
pub(crate) fn unless_empty<T>(found: Result<T, PopError>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(PopError::Empty) => None,
        Err(why) => panic!("{why}"),
    }
}

/// Items in a ring of three units with `SLOTS` items each.
pub(crate) struct Items<const SLOTS: usize>;

impl<const SLOTS: usize> Items<SLOTS> {
    fn geometry() -> items::Geometry {
        items::Geometry::with_units::<u64>(SLOTS, SLOTS + 1, 1).expect("a small queue")
    }
}

impl<const SLOTS: usize> Kind for Items<SLOTS> {
    type Queue = items::Queue<u64, Words>;
    type Producer = items::Producer<u64, Words>;
    type Consumer = items::Consumer<u64, Words>;

    fn words() -> usize {
        Self::geometry().words()
    }

    fn create(words: Words) -> Self::Queue {
        items::Queue::create(words, Self::geometry(), 0).expect("room")
    }

    fn attach(words: Words) -> Option<Self::Queue> {
        items::Queue::attach(words, &Expected::new().capacity(SLOTS)).ok()
    }

    fn push(producer: &mut Self::Producer, number: u64) -> bool {
        producer.push(number).is_ok()
    }

    fn pop(consumer: &mut Self::Consumer) -> Option<u64> {
        unless_empty(consumer.pop())
    }

    fn peek(consumer: &mut Self::Consumer) -> Option<u64> {
        unless_empty(consumer.peek())
    }

    handles!();
}

/// Records of eight bytes in a ring of `RING` words: 4 have room for one of them, 8 for three.
pub(crate) struct Records<const RING: usize>;

impl<const RING: usize> Records<RING> {
    const BYTES: usize = 4 * RING + 8 * (RING / 8);

    fn geometry() -> records::Geometry {
        records::Geometry::with_ring(Self::BYTES, RING, RING as u64 / 4).expect("a small queue")
    }
}

/// Bytes like the head of an empty record at this position. They must not be taken for one.
fn forged(number: u64) -> u64 {
    number << 32 | 1
}

impl<const RING: usize> Kind for Records<RING> {
    type Queue = records::Queue<Words>;
    type Producer = records::Producer<Words>;
    type Consumer = records::Consumer<Words>;

    fn words() -> usize {
        Self::geometry().words()
    }

    fn create(words: Words) -> Self::Queue {
        records::Queue::create(words, Self::geometry(), 0).expect("room")
    }

    fn attach(words: Words) -> Option<Self::Queue> {
        records::Queue::attach(words, &Expected::new().capacity(Self::BYTES)).ok()
    }

    fn push(producer: &mut Self::Producer, number: u64) -> bool {
        let record = forged(number).to_ne_bytes();
        if number.is_multiple_of(2) {
            return producer.push(&record).is_ok();
        }
        // In place, after a dropped grant.
        let Ok(mut grant) = producer.reserve(8) else { return false };
        grant.write(&[0xff; 5]);
        let mut grant = producer.reserve(8).expect("the room is still there");
        record.chunks(3).for_each(|piece| assert_eq!(grant.write(piece), piece.len()));
        grant.commit();
        true
    }

    fn pop(consumer: &mut Self::Consumer) -> Option<u64> {
        let mut bytes = [0; 8];
        assert_eq!(unless_empty(consumer.pop(&mut bytes))?, 8);
        let number = u64::from_ne_bytes(bytes);
        assert_eq!(number, forged(number >> 32), "other bytes");
        Some(number >> 32)
    }

    fn peek(consumer: &mut Self::Consumer) -> Option<u64> {
        let mut bytes = [0; 8];
        let len = unless_empty(consumer.peek())?.copy(&mut bytes);
        assert_eq!(len, 8);
        Some(u64::from_ne_bytes(bytes) >> 32)
    }

    handles!();
}
