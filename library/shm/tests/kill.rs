//! Processes that are killed at random moments, and successors that continue where they stopped.
//!
//! The test forks children that push or pop without end, kills them, and checks each item: no
//! committed item is lost, and none is popped twice. `AQUEDUCT_KILLS` is the number of kills of
//! each test.

#![cfg(target_os = "linux")]

use std::collections::HashMap;
use std::thread;
use std::time::{Duration, Instant};

use aqueduct_shm::{Peer, PlaceError, PopError, Region, WaitError, items, mpsc, records};

mod common;
#[path = "common/process.rs"]
mod process;
use common::Random;
use process::{Child, Notes, TIMEOUT, alone, kills, pause, until};

/// A record's bytes: its number, repeated. The number of repetitions depends on the number.
fn record(number: u64) -> Vec<u8> {
    number.to_ne_bytes().repeat(1 + number as usize % 9)
}

/// A queue of either kind, as the tests use it.
trait Numbers {
    type Queue;
    fn make(region: &Region) -> Self::Queue;
    /// Takes the producer's place, and pushes numbers, from the one that follows those in the
    /// queue. Notes in word 0 that a push has returned, and in word 1 that one is about to start.
    fn produce(queue: &Self::Queue, notes: &Notes);
    /// Takes the consumer's place and pops all items.
    fn consume(queue: &Self::Queue, each: &mut dyn FnMut(u64));
}

struct Single;
struct Slices;
struct Records;

impl Numbers for Single {
    type Queue = items::Queue<u64, Region>;

    fn make(region: &Region) -> Self::Queue {
        items::Queue::in_region(region.clone(), 40, 0).expect("a queue")
    }

    fn produce(queue: &Self::Queue, notes: &Notes) {
        let mut producer = queue.take_producer().expect("the place of the dead");
        let mut number = producer.pushed();
        loop {
            notes.set(1, number + 1);
            if producer.push(number).is_ok() {
                number += 1;
            }
            notes.set(0, number);
        }
    }

    fn consume(queue: &Self::Queue, each: &mut dyn FnMut(u64)) {
        let mut consumer = queue.take_consumer().expect("the place is free");
        while let Ok(number) = consumer.pop() {
            each(number);
        }
    }
}

impl Numbers for Slices {
    type Queue = items::Queue<[u64; 3], Region>;

    fn make(region: &Region) -> Self::Queue {
        items::Queue::in_region(region.clone(), 40, 0).expect("a queue")
    }

    fn produce(queue: &Self::Queue, notes: &Notes) {
        let mut producer = queue.take_producer().expect("the place of the dead");
        let mut number = producer.pushed();
        loop {
            let items: Vec<_> = (number..number + 7).map(|number| [number, !number, number]).collect();
            notes.set(1, number + 7);
            number += producer.push_slice(&items) as u64;
            notes.set(0, number);
        }
    }

    fn consume(queue: &Self::Queue, each: &mut dyn FnMut(u64)) {
        let mut consumer = queue.take_consumer().expect("the place is free");
        let mut items = [[0; 3]; 10];
        loop {
            let count = consumer.pop_slice(&mut items);
            if count == 0 {
                break;
            }
            for [number, inverse, again] in &items[..count] {
                assert_eq!((!inverse, again), (*number, number), "a part of an item");
                each(*number);
            }
        }
    }
}

impl Numbers for Records {
    type Queue = records::Queue<Region>;

    fn make(region: &Region) -> Self::Queue {
        records::Queue::in_region(region.clone(), 1000, 0).expect("a queue")
    }

    fn produce(queue: &Self::Queue, notes: &Notes) {
        let mut producer = queue.take_producer().expect("the place of the dead");
        // The test notes the next number: positions count words.
        let mut number = notes.get(2);
        loop {
            let record = record(number);
            notes.set(1, number + 1);
            if producer.push(&record).is_ok() {
                number += 1;
            }
            notes.set(0, number);
        }
    }

    fn consume(queue: &Self::Queue, each: &mut dyn FnMut(u64)) {
        let mut consumer = queue.take_consumer().expect("the place is free");
        let mut buffer = [0; 100];
        while let Ok(len) = consumer.pop(&mut buffer) {
            let number = u64::from_ne_bytes(buffer[..8].try_into().expect("8 bytes"));
            assert_eq!(buffer[..len], record(number), "a part of a record");
            each(number);
        }
    }
}

/// Kills producers. A consumer of this process finds all that each has committed, in order.
fn producers_are_killed<N: Numbers>() {
    let _alone = alone();
    let (mut random, mut expected, mut in_doubt) = (Random(3), 0, 0);
    let region = Region::anonymous("aqueduct test", 1 << 14).expect("a region");
    let queue = N::make(&region);
    for kill in 0..kills() {
        let notes = Notes::new();
        notes.set(0, expected);
        notes.set(2, expected);
        let child = Child::new(|| N::produce(&N::make(&Region::from_fd(&region).expect("the region")), &notes));
        until(|| notes.get(1) > 0);
        if random.below(2) == 0 {
            // With a consumer at work, the queue is neither full nor empty for long.
            for _ in 0..random.below(40) {
                N::consume(&queue, &mut |number| {
                    assert_eq!(number, expected, "kill {kill}");
                    expected += 1;
                });
            }
        }
        pause(&mut random);
        child.kill();
        let before = expected;
        N::consume(&queue, &mut |number| {
            assert_eq!(number, expected, "kill {kill}");
            expected += 1;
        });
        let (returned, begun) = (notes.get(0), notes.get(1));
        assert!(expected >= returned, "kill {kill}: {expected} came of {returned} that were committed");
        assert!(expected <= begun.max(before), "kill {kill}: {expected} came, and {begun} were begun");
        in_doubt += u64::from(expected > returned);
    }
    // Some kills came between a commit and its note.
    println!("{expected} items, {in_doubt} of the kills came right behind a commit");
    assert!(expected > kills());
}

#[test]
fn a_killed_producer_loses_no_item_that_it_has_pushed() {
    producers_are_killed::<Single>();
}

#[test]
fn a_killed_producer_of_slices_loses_no_item_that_it_has_pushed() {
    producers_are_killed::<Slices>();
}

#[test]
fn a_killed_producer_loses_no_record_that_it_has_pushed() {
    producers_are_killed::<Records>();
}

/// Kills consumers of items. Those that pop lose at most the item whose pop had not returned, and
/// get none twice; those that peek and release get at most one twice, and lose none.
fn consumers_are_killed(at_most_once: bool) {
    let _alone = alone();
    let (mut random, mut next) = (Random(5), 0_u64);
    let region = Region::anonymous("aqueduct test", 1 << 14).expect("a region");
    let queue = items::Queue::<u64, _>::in_region(region.clone(), 40, 0).expect("a queue");
    let mut producer = queue.take_producer().expect("the place is free");
    let mut fill = || {
        while producer.push(next).is_ok() {
            next += 1;
        }
    };
    let mut in_doubt = 0;
    for kill in 0..kills() {
        let notes = Notes::new();
        fill();
        let child = Child::new(|| {
            let region = Region::from_fd(&region).expect("the region");
            let queue = items::Queue::<u64, _>::in_region(region, 40, 0).expect("a queue");
            let mut consumer = queue.take_consumer().expect("the place of the dead");
            let mut expected = consumer.popped();
            notes.set(0, expected);
            notes.set(1, 1);
            loop {
                let Ok(item) = (if at_most_once { consumer.pop() } else { consumer.peek() }) else { continue };
                assert_eq!(item, expected, "an item is missing, or comes twice");
                expected += 1;
                notes.set(0, expected);
                if !at_most_once {
                    consumer.release();
                }
            }
        });
        until(|| notes.get(1) > 0);
        if random.below(2) == 0 {
            (0..random.below(300)).for_each(|_| fill());
        }
        pause(&mut random);
        child.kill();
        let noted = notes.get(0);
        // The successor's first number: the kill may have come between a pop and its note, or a
        // note and the release.
        let begins = queue.take_consumer().expect("the place of the dead").popped();
        if at_most_once {
            assert!(begins == noted || begins == noted + 1, "kill {kill}: {begins} after {noted}");
        } else {
            assert!(begins == noted || begins + 1 == noted, "kill {kill}: {begins} after {noted}");
        }
        in_doubt += u64::from(begins != noted);
    }
    let popped = queue.take_consumer().expect("the place of the dead").popped();
    println!("{popped} items; {in_doubt} kills came between a pop and its note");
    assert!(popped > kills());
}

#[test]
fn consumers_that_pop_and_are_killed_get_no_item_twice() {
    consumers_are_killed(true);
}

#[test]
fn consumers_that_release_and_are_killed_lose_no_item() {
    consumers_are_killed(false);
}

#[test]
fn a_stopped_process_keeps_its_place_and_a_dead_one_does_not() {
    let _alone = alone();
    let notes = Notes::new();
    let region = Region::anonymous("aqueduct test", 1 << 14).expect("a region");
    let queue = Single::make(&region);
    let child = Child::new(|| Single::produce(&Single::make(&Region::from_fd(&region).expect("the region")), &notes));
    until(|| notes.get(0) > 0);
    let mut consumer = queue.take_consumer().expect("the place is free");
    child.signal(libc::SIGSTOP);
    // The signal may come a moment later.
    // SAFETY: plain system call.
    unsafe { libc::waitpid(child.0, std::ptr::null_mut(), libc::WUNTRACED) };
    while consumer.pop().is_ok() {}
    assert_eq!(consumer.peer(), Peer::Alive);
    assert!(matches!(queue.take_producer(), Err(PlaceError::Held)));
    assert_eq!(consumer.pop_wait(Duration::from_millis(30)), Err(WaitError::TimedOut));
    let before = consumer.popped();
    // It resumes, and continues.
    child.signal(libc::SIGCONT);
    until(|| notes.get(0) > before);
    assert_eq!(consumer.pop_wait(Duration::from_secs(20)), Ok(before));
    child.kill();
    while consumer.pop().is_ok() {}
    assert_eq!(consumer.peer(), Peer::Died);
    assert_eq!(consumer.pop_wait(Duration::from_secs(20)), Err(WaitError::Died));
    let mut successor = queue.take_producer().expect("the kernel says that it is dead");
    assert_eq!(consumer.peer(), Peer::Alive);
    assert_eq!(successor.pushed(), consumer.popped());
    successor.push(77).expect("room");
    assert_eq!((consumer.pop(), consumer.pop()), (Ok(77), Err(PopError::Empty)));
}

#[test]
fn what_dead_processes_left_is_removed() {
    let _alone = alone();
    let name = format!("/aqueduct-shm-test-{}-dead", std::process::id());
    let notes = Notes::new();
    let child = Child::new(|| {
        let region = Region::named(&name, 1 << 14, 0o600).expect("a region");
        Single::produce(&Single::make(&region), &notes);
    });
    until(|| notes.get(0) > 0);
    assert_eq!(Region::sweep(&name).expect("a folder"), [""; 0]);
    child.kill();
    assert_eq!(Region::sweep(&name).expect("a folder"), [name]);
}

/// Processes push until they are killed, each in the lane of a dead one. No item is lost or popped
/// twice.
#[test]
fn lanes_of_killed_processes_are_taken_again() {
    let _alone = alone();
    let (lanes, capacity) = (3, 20);
    let bytes = mpsc::Queue::<[u64; 2]>::bytes(lanes, capacity).expect("a small queue");
    let region = Region::anonymous("aqueduct test", bytes).expect("a region");
    let open = |region| mpsc::Queue::<[u64; 2]>::in_region(region, lanes, capacity, 0).expect("a queue");
    let start = |process: u64| {
        let notes = Notes::new();
        let child = Child::new(|| {
            let queue = open(Region::from_fd(&region).expect("the region"));
            let mut producer = queue.take_producer().expect("a lane of the dead");
            let mut number = 0;
            loop {
                if producer.push([process, number]).is_ok() {
                    number += 1;
                    notes.set(0, number);
                }
            }
        });
        (process, child, notes)
    };
    // Number of items popped of each process, whose items come in the order of its pushes.
    let mut came: HashMap<u64, u64> = HashMap::new();
    let mut see = |[process, number]: [u64; 2]| {
        let next = came.entry(process).or_default();
        assert_eq!(number, *next, "of process {process}");
        *next += 1;
    };
    let queue = open(region.clone());
    let mut consumer = queue.take_consumer().expect("the place is free");
    let (mut random, mut alive, mut dead) = (Random(9), Vec::new(), Vec::new());
    for kill in 0..kills() {
        while alive.len() < lanes {
            alive.push(start(dead.len() as u64 + alive.len() as u64 + 1000 * kill));
        }
        let start = Instant::now();
        while alive.iter().any(|(_, _, notes)| notes.get(0) == 0) {
            if start.elapsed() > TIMEOUT {
                panic!("a child hangs or has failed");
            }
            while let Ok(item) = consumer.pop() {
                see(item);
            }
            thread::yield_now();
        }
        for _ in 0..random.below(300) {
            if let Ok(item) = consumer.pop() {
                see(item);
            }
        }
        let (process, child, notes) = alive.swap_remove(random.below(lanes as u64) as usize);
        child.kill();
        dead.push((process, notes.get(0)));
    }
    for (process, child, notes) in alive {
        child.kill();
        dead.push((process, notes.get(0)));
    }
    while let Ok(item) = consumer.pop() {
        see(item);
    }
    for (process, returned) in dead {
        let came = came[&process];
        assert!(came == returned || came == returned + 1, "{came} came of {returned} of process {process}");
    }
    assert!(came.len() as u64 > kills());
}
