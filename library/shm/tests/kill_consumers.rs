//! Consumers of records, and of lanes, that are killed at random moments. `kill.rs` has those of
//! items.
//!
//! `AQUEDUCT_KILLS` is the number of kills of each test.

#![cfg(target_os = "linux")]

use aqueduct_shm::{Place, Region, mpsc, records};

mod common;
#[path = "common/process.rs"]
mod process;
use common::Random;
use process::{Child, Notes, alone, kills, pause, until};

const LANES: usize = 2;

/// A queue of numbers in lanes. A queue without lanes counts as one lane.
trait Numbers {
    type Producers;
    type Consumer;
    /// Makes the queue, and takes its producers.
    fn producers(region: &Region) -> Self::Producers;
    /// Pushes the lane's next number, if there is room.
    fn push(producers: &mut Self::Producers, lane: usize, number: u64) -> bool;
    fn consumer(region: &Region) -> Self::Consumer;
    /// Returns the next number of each lane. The queue is not empty.
    fn next(consumer: &mut Self::Consumer) -> [u64; LANES];
    /// Returns the next item's lane and number. The item stays in the queue.
    fn peek(consumer: &mut Self::Consumer) -> Option<(usize, u64)>;
    fn pop(consumer: &mut Self::Consumer) -> Option<(usize, u64)>;
    fn release(consumer: &mut Self::Consumer);
}

struct Records;
struct Lanes;

/// A record's bytes: its number, repeated. The number of repetitions depends on the number.
fn record(number: u64) -> Vec<u8> {
    number.to_ne_bytes().repeat(1 + number as usize % 9)
}

impl Records {
    fn queue(region: &Region) -> records::Queue<Region> {
        records::Queue::in_region(region.clone(), 1000, 0).expect("a queue")
    }

    fn number(bytes: &[u8]) -> (usize, u64) {
        let number = u64::from_ne_bytes(bytes[..8].try_into().expect("eight bytes"));
        assert_eq!(bytes, record(number), "a part of a record");
        (0, number)
    }
}

impl Numbers for Records {
    type Producers = records::Producer<Place>;
    type Consumer = records::Consumer<Place>;

    fn producers(region: &Region) -> Self::Producers {
        Self::queue(region).take_producer().expect("the place is free")
    }

    fn push(producer: &mut Self::Producers, lane: usize, number: u64) -> bool {
        lane == 0 && producer.push(&record(number)).is_ok()
    }

    fn consumer(region: &Region) -> Self::Consumer {
        Self::queue(region).take_consumer().expect("the place of the dead")
    }

    fn next(consumer: &mut Self::Consumer) -> [u64; LANES] {
        [Self::peek(consumer).expect("it was filled").1, 0]
    }

    fn peek(consumer: &mut Self::Consumer) -> Option<(usize, u64)> {
        let mut buffer = [0; 80];
        let len = consumer.peek().ok()?.copy(&mut buffer);
        Some(Self::number(&buffer[..len]))
    }

    fn pop(consumer: &mut Self::Consumer) -> Option<(usize, u64)> {
        let mut buffer = [0; 80];
        let len = consumer.pop(&mut buffer).ok()?;
        Some(Self::number(&buffer[..len]))
    }

    fn release(consumer: &mut Self::Consumer) {
        consumer.peek().expect("it was there").release();
    }
}

impl Lanes {
    fn queue(region: &Region) -> mpsc::Queue<[u64; 2]> {
        mpsc::Queue::in_region(region.clone(), LANES, 20, 0).expect("a queue")
    }
}

impl Numbers for Lanes {
    type Producers = [mpsc::Producer<[u64; 2], Place, Region>; LANES];
    type Consumer = mpsc::Consumer<[u64; 2], Place, Region>;

    fn producers(region: &Region) -> Self::Producers {
        [(); LANES].map(|()| Self::queue(region).take_producer().expect("a lane is free"))
    }

    fn push(producers: &mut Self::Producers, lane: usize, number: u64) -> bool {
        producers[lane].push([lane as u64, number]).is_ok()
    }

    fn consumer(region: &Region) -> Self::Consumer {
        Self::queue(region).take_consumer().expect("the place of the dead")
    }

    fn next(consumer: &mut Self::Consumer) -> [u64; LANES] {
        [0, 1].map(|lane| consumer.lanes()[lane].popped())
    }

    fn peek(consumer: &mut Self::Consumer) -> Option<(usize, u64)> {
        consumer.peek().ok().map(|[lane, number]| (lane as usize, number))
    }

    fn pop(consumer: &mut Self::Consumer) -> Option<(usize, u64)> {
        consumer.pop().ok().map(|[lane, number]| (lane as usize, number))
    }

    fn release(consumer: &mut Self::Consumer) {
        assert!(consumer.release());
    }
}

/// Kills consumers. Those that pop lose at most the item whose pop had not returned, and get none
/// twice; those that peek and release get at most one twice, and lose none.
fn consumers_are_killed<N: Numbers>(at_most_once: bool) {
    let _alone = alone();
    let region = Region::anonymous("aqueduct test", 1 << 14).expect("a region");
    let (mut producers, mut pushed) = (N::producers(&region), [0; LANES]);
    let mut fill = || {
        for (lane, next) in pushed.iter_mut().enumerate() {
            while N::push(&mut producers, lane, *next) {
                *next += 1;
            }
        }
    };
    let (mut random, mut in_doubt, mut popped) = (Random(51), 0, 0);
    for kill in 0..kills() {
        let notes = Notes::new();
        fill();
        let child = Child::new(|| {
            let mut consumer = N::consumer(&Region::from_fd(&region).expect("the region"));
            let mut expected = N::next(&mut consumer);
            notes.set(0, expected.iter().sum());
            notes.set(1, 1);
            loop {
                let found = if at_most_once { N::pop(&mut consumer) } else { N::peek(&mut consumer) };
                let Some((lane, number)) = found else { continue };
                assert_eq!(number, expected[lane], "a number is missing, or comes twice");
                expected[lane] += 1;
                notes.set(0, expected.iter().sum());
                if !at_most_once {
                    N::release(&mut consumer);
                }
            }
        });
        until(|| notes.get(1) > 0);
        if random.below(2) == 0 {
            (0..random.below(300)).for_each(|_| fill());
        }
        pause(&mut random);
        child.kill();
        fill();
        let noted = notes.get(0);
        // The successor's first number: the kill may have come between a pop and its note, or a
        // note and the release.
        popped = N::next(&mut N::consumer(&region)).iter().sum();
        let in_between = if at_most_once { popped.checked_sub(noted) } else { noted.checked_sub(popped) };
        assert!(in_between.is_some_and(|count| count <= 1), "kill {kill}: {popped} after {noted}");
        in_doubt += u64::from(popped != noted);
    }
    println!("{popped} numbers; {in_doubt} kills came between a pop and its note");
    assert!(popped > kills());
}

#[test]
fn consumers_that_pop_records_and_are_killed_get_none_twice() {
    consumers_are_killed::<Records>(true);
}

#[test]
fn consumers_that_release_records_and_are_killed_lose_none() {
    consumers_are_killed::<Records>(false);
}

#[test]
fn consumers_of_lanes_that_pop_and_are_killed_get_no_item_twice() {
    consumers_are_killed::<Lanes>(true);
}

#[test]
fn consumers_of_lanes_that_release_and_are_killed_lose_no_item() {
    consumers_are_killed::<Lanes>(false);
}
