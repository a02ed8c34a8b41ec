//! State of a queue that overwrites the oldest records, after a kill of the producer at each
//! instruction of a push, as readers and its successor see it.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use aqueduct_shm::Expected;
use aqueduct_shm::drop_old::records::{Geometry, Producer, Queue, Reader};

#[path = "common/stepping.rs"]
mod stepping;
use stepping::{Scene, Shared, check};

/// A ring for two records of the greatest length, in which the producer overwrites two words more
/// than it needs.
fn geometry() -> Geometry {
    Geometry::with_ring(48, 16, 2).expect("a small queue")
}

/// The number of a record, repeated up to four times.
fn record(number: u64) -> Vec<u8> {
    number.to_ne_bytes().repeat(1 + number as usize % 4)
}

fn push(producer: &mut Producer<Shared>, number: u64) {
    producer.push(&record(number)).expect("there is always room");
}

/// Reads all records, which have consecutive numbers. Returns them.
fn read_all(reader: &mut Reader<Shared>) -> Vec<u64> {
    let mut numbers = Vec::new();
    while let Ok(bytes) = reader.read_vec() {
        let number = u64::from_ne_bytes(bytes[..8].try_into().expect("eight bytes"));
        assert!(bytes == record(number), "a part of a record");
        assert!(numbers.last().is_none_or(|last| last + 1 == number), "{number} behind {numbers:?}");
        numbers.push(number);
    }
    numbers
}

/// Way in which a record is pushed.
#[derive(Clone, Copy, Debug)]
enum How {
    Whole,
    InPieces,
}

/// A push behind this many records.
struct Push {
    number: u64,
    how: How,
}

impl Scene for Push {
    type Handles = Producer<Shared>;

    fn words(&self) -> usize {
        geometry().words()
    }

    fn prepare(&self, memory: Shared) -> Self::Handles {
        let queue = Queue::create(memory, geometry(), 0).expect("there are as many words");
        let mut producer = queue.producer().expect("free");
        (0..self.number).for_each(|number| push(&mut producer, number));
        producer
    }

    fn operate(&self, producer: &mut Self::Handles) {
        match self.how {
            How::Whole => push(producer, self.number),
            How::InPieces => {
                let record = record(self.number);
                let mut grant = producer.reserve(record.len()).expect("there is always room");
                grant.write(&record[..3]);
                grant.write(&record[3..]);
                grant.commit();
            }
        }
    }

    fn succeed(&self, memory: Shared) -> bool {
        let queue = Queue::attach(memory, &Expected::new()).expect("a queue");
        // A reader finds the newest record, before a successor takes the place.
        let mut reader = queue.reader().expect("sound");
        let next = read_all(&mut reader).last().map_or(0, |last| last + 1);
        assert!(next == self.number || next == self.number + 1, "{next} of {}", self.number);
        assert_eq!(reader.lost(), 0);
        let mut successor = queue.replace_producer(1).expect("sound");
        assert_eq!(successor.pushed(), next);
        // It continues for some laps, with the reader from before, and one that reads nothing until
        // the end.
        let mut late = queue.reader().expect("sound");
        let first = read_all(&mut queue.reader().expect("sound")).first().copied().unwrap_or(0);
        for number in next..next + 12 {
            push(&mut successor, number);
            assert_eq!(read_all(&mut reader), [number]);
        }
        let left = read_all(&mut late);
        assert_eq!(left.last(), Some(&(next + 11)));
        assert_eq!(left.len() as u64 + late.lost(), next + 12 - first);
        next > self.number
    }
}

#[test]
fn a_push_takes_place_at_one_instruction() {
    for number in 0..12 {
        check(&Push { number, how: How::Whole });
    }
}

#[test]
fn a_record_in_pieces_is_pushed_by_one_instruction() {
    for number in 0..12 {
        check(&Push { number, how: How::InPieces });
    }
}
