//! Recovery of the place of a process that is killed at each instruction of an operation.
//!
//! A child is stepped through an operation. After each instruction, the memory is copied, as a kill
//! there would leave it. It has the state before the operation, or that after it, and a successor
//! continues.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use aqueduct_shm::{Expected, items, records};

#[path = "common/stepping.rs"]
mod stepping;
use stepping::{Scene, Shared, check};

type Handles = (items::Producer<[u64; 2], Shared>, items::Consumer<[u64; 2], Shared>);

/// Capacity of the queue: more than the three items of a unit.
const CAPACITY: usize = 5;

fn geometry() -> items::Geometry {
    items::Geometry::with_units::<[u64; 2]>(CAPACITY, 8, 2).expect("a small queue")
}

/// Makes a queue from which `popped` items of `pushed` have been popped.
fn queue(memory: Shared, pushed: u64, popped: u64) -> Handles {
    let queue = items::Queue::create(memory, geometry(), 0).expect("there are as many words");
    let (mut producer, mut consumer) = (queue.producer().expect("free"), queue.consumer().expect("free"));
    for number in 0..pushed {
        if number >= CAPACITY as u64 && number - CAPACITY as u64 <= popped {
            while consumer.popped() + CAPACITY as u64 <= number {
                consumer.pop().expect("an item");
            }
        }
        producer.push([number, !number]).expect("there is room");
    }
    while consumer.popped() < popped {
        consumer.pop().expect("an item");
    }
    (producer, consumer)
}

/// Takes both dead places. Asserts that the items `from..` are in the queue, and that it works for
/// some laps. Returns the number behind the last item.
fn go_on(memory: Shared, from: u64) -> u64 {
    let queue = items::Queue::<[u64; 2], _>::attach(memory, &Expected::new()).expect("a queue");
    let (mut producer, mut consumer) =
        (queue.replace_producer(1).expect("sound"), queue.replace_consumer(1).expect("sound"));
    let end = producer.pushed();
    let (mut next, mut expected) = (end, from);
    for _ in 0..20 {
        while producer.push([next, !next]).is_ok() {
            next += 1;
        }
        assert!(next >= consumer.popped() + CAPACITY as u64);
        assert_eq!(consumer.pop(), Ok([expected, !expected]));
        expected += 1;
    }
    while let Ok(item) = consumer.pop() {
        assert_eq!(item, [expected, !expected]);
        expected += 1;
    }
    assert_eq!(expected, next);
    end
}

/// A push of this number's item.
struct Push(u64);

impl Scene for Push {
    type Handles = Handles;

    fn words(&self) -> usize {
        geometry().words()
    }

    fn prepare(&self, memory: Shared) -> Handles {
        queue(memory, self.0, self.0.saturating_sub(3))
    }

    fn operate(&self, (producer, _): &mut Handles) {
        producer.push([self.0, !self.0]).expect("there is room");
    }

    fn succeed(&self, memory: Shared) -> bool {
        let end = go_on(memory, self.0.saturating_sub(3));
        assert!(end == self.0 || end == self.0 + 1);
        end > self.0
    }
}

#[test]
fn a_push_takes_place_at_one_instruction() {
    // At all slots of the ring: at both ends of units, and of the ring, and with a read of the
    // report.
    (0..20).for_each(|number| check(&Push(number)));
}

/// A pop of this number's item.
struct Pop(u64);

impl Scene for Pop {
    type Handles = Handles;

    fn words(&self) -> usize {
        geometry().words()
    }

    fn prepare(&self, memory: Shared) -> Handles {
        queue(memory, self.0 + 2, self.0)
    }

    fn operate(&self, (_, consumer): &mut Handles) {
        assert_eq!(consumer.pop(), Ok([self.0, !self.0]));
    }

    fn succeed(&self, memory: Shared) -> bool {
        let queue = items::Queue::<[u64; 2], _>::attach(memory, &Expected::new()).expect("a queue");
        let popped = queue.replace_consumer(1).expect("sound").popped();
        assert!(popped == self.0 || popped == self.0 + 1);
        assert_eq!(go_on(memory, popped), self.0 + 2);
        popped > self.0
    }
}

#[test]
fn a_pop_takes_place_at_one_instruction() {
    (0..20).for_each(|number| check(&Pop(number)));
}

type RecordHandles = (records::Producer<Shared>, records::Consumer<Shared>);

/// The length of the record with this number, and its bytes, which look like a head.
fn record(number: u64) -> Vec<u8> {
    (number << 32 | 1).to_ne_bytes().repeat(3)[..8 + number as usize % 9].to_vec()
}

fn record_geometry() -> records::Geometry {
    records::Geometry::new(100).expect("a small queue")
}

/// Makes a queue from which `popped` records of `pushed` have been popped.
fn record_queue(memory: Shared, pushed: u64, popped: u64) -> RecordHandles {
    let queue = records::Queue::create(memory, record_geometry(), 0).expect("there are as many words");
    let (mut producer, mut consumer) = (queue.producer().expect("free"), queue.consumer().expect("free"));
    for number in 0..pushed {
        producer.push(&record(number)).expect("there is room");
        if number + 1 - popped.min(number + 1) < pushed - popped || number < popped {
            assert_eq!(consumer.pop_vec(), Ok(record(number)));
        }
    }
    (producer, consumer)
}

/// Takes both dead places. Asserts that the records `from..` are in the queue, and that it works
/// for some laps. Returns the number behind the last record that was there.
fn go_on_with_records(memory: Shared, from: u64) -> u64 {
    let queue = records::Queue::attach(memory, &Expected::new()).expect("a queue");
    let (mut producer, mut consumer) =
        (queue.replace_producer(1).expect("sound"), queue.replace_consumer(1).expect("sound"));
    let mut expected = from;
    while let Ok(bytes) = consumer.pop_vec() {
        assert_eq!(bytes, record(expected));
        expected += 1;
    }
    for number in 0..20 {
        producer.push(&record(number)).expect("there is room");
        producer.push(&record(number + 1)).expect("there is room");
        assert_eq!(consumer.pop_vec(), Ok(record(number)));
        assert_eq!(consumer.pop_vec(), Ok(record(number + 1)));
    }
    assert!(consumer.is_empty());
    expected
}

/// A push of this number's record.
struct PushRecord(u64);

impl Scene for PushRecord {
    type Handles = RecordHandles;

    fn words(&self) -> usize {
        record_geometry().words()
    }

    fn prepare(&self, memory: Shared) -> RecordHandles {
        record_queue(memory, self.0, self.0.saturating_sub(1))
    }

    fn operate(&self, (producer, _): &mut RecordHandles) {
        producer.push(&record(self.0)).expect("there is room");
    }

    fn succeed(&self, memory: Shared) -> bool {
        let end = go_on_with_records(memory, self.0.saturating_sub(1));
        assert!(end == self.0 || end == self.0 + 1);
        end > self.0
    }
}

#[test]
fn a_push_of_a_record_takes_place_at_one_instruction() {
    (0..14).for_each(|number| check(&PushRecord(number)));
}

/// A pop of this number's record.
struct PopRecord(u64);

impl Scene for PopRecord {
    type Handles = RecordHandles;

    fn words(&self) -> usize {
        record_geometry().words()
    }

    fn prepare(&self, memory: Shared) -> RecordHandles {
        record_queue(memory, self.0 + 1, self.0)
    }

    fn operate(&self, (_, consumer): &mut RecordHandles) {
        let mut buffer = [0; 20];
        consumer.pop(&mut buffer).expect("a record");
    }

    fn succeed(&self, memory: Shared) -> bool {
        let queue = records::Queue::attach(memory, &Expected::new()).expect("a queue");
        let is_there = !queue.replace_consumer(1).expect("sound").is_empty();
        assert_eq!(go_on_with_records(memory, self.0 + u64::from(!is_there)), self.0 + 1);
        !is_there
    }
}

#[test]
fn a_pop_of_a_record_takes_place_at_one_instruction() {
    (0..14).for_each(|number| check(&PopRecord(number)));
}
