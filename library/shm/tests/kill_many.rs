//! Producers and consumers of one queue that are killed or stopped at random moments, and
//! successors that continue.
//!
//! Each producer pushes numbers of its own, and each consumer counts the popped ones in memory that
//! all processes share. `AQUEDUCT_KILLS` is the number of kills of each test.

#![cfg(target_os = "linux")]

use std::thread;
use std::time::Duration;

use aqueduct_shm::mpmc::{Geometry, Queue};
use aqueduct_shm::{Peer, PlaceError, Region, WaitError};

mod common;
#[path = "common/counts.rs"]
mod counts;
#[path = "common/crowd.rs"]
mod crowd;
#[path = "common/process.rs"]
mod process;
use common::Random;
use counts::Counts;
use crowd::{SIDE, Tally, kill_both_sides, push_numbers};
use process::{Child, Notes, TIMEOUT, alone, kills, pause, until};

fn geometry() -> Geometry {
    Geometry::new::<[u64; 3]>(SIDE, SIDE, 16).expect("a small queue")
}

fn open(region: &Region) -> Queue<[u64; 3], Region> {
    Queue::in_region(region.clone(), geometry(), 0).expect("a queue")
}

/// The region, opened as another process does.
fn open_again(region: &Region) -> Queue<[u64; 3], Region> {
    open(&Region::from_fd(region).expect("the region"))
}

/// An item's process and number.
fn parts([process, number, check]: [u64; 3]) -> (u64, u64) {
    assert_eq!(check, process ^ !number, "a part of an item");
    (process, number)
}

/// Pushes numbers.
fn produce(region: &Region, process: u64, notes: &Notes) {
    let mut producer = open_again(region).take_producer().expect("the place of the dead");
    push_numbers(notes, |number| producer.push([process, number, process ^ !number]).is_ok())
}

/// Way in which a consumer takes an item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    AtMostOnce,
    AtLeastOnce,
}

/// Pops until it is killed.
fn consume(region: &Region, takes: Takes, counts: &Counts, notes: &Notes) {
    let mut consumer = open_again(region).take_consumer().expect("the place of the dead");
    notes.set(1, 1);
    loop {
        match if takes == Takes::AtMostOnce { consumer.pop() } else { consumer.peek() } {
            Ok(item) => {
                // Work on the held item: most kills come here, and not into the queue's own steps.
                counts.add(parts(item));
                (0..100).for_each(|_| std::hint::spin_loop());
            }
            Err(_) => thread::yield_now(),
        }
        consumer.release();
    }
}

/// Kills producers only, while this process pops: it gets exactly the numbers that each pushed, in
/// order.
#[test]
fn killed_producers_lose_nothing_and_hold_up_nobody() {
    let _alone = alone();
    let region = Region::anonymous("aqueduct test", geometry().bytes()).expect("a region");
    let queue = open(&region);
    let mut consumer = queue.take_consumer().expect("a place");
    let (mut random, mut alive, mut started) = (Random(21), Vec::new(), 0);
    let (mut came, mut pushed): (Vec<u64>, Vec<(u64, u64)>) = (Vec::new(), Vec::new());
    let mut pop_all = |came: &mut Vec<u64>| {
        while let Ok([process, number, check]) = consumer.pop() {
            assert_eq!(check, process ^ !number, "a part of an item");
            came.resize(came.len().max(process as usize + 1), 0);
            assert_eq!(number, came[process as usize], "of process {process}");
            came[process as usize] += 1;
        }
    };
    for _ in 0..kills() {
        while alive.len() < SIDE {
            let notes = Notes::new();
            let child = Child::new(|| produce(&region, started, &notes));
            until(|| notes.get(1) == 1);
            alive.push((started, child, notes));
            started += 1;
        }
        // The queue is not full for long, so that kills hit pushes.
        (0..random.below(2000)).for_each(|_| pop_all(&mut came));
        let (process, child, notes) = alive.swap_remove(random.below(SIDE as u64) as usize);
        child.kill();
        pushed.push((process, notes.get(0)));
    }
    for (process, child, notes) in alive {
        child.kill();
        pushed.push((process, notes.get(0)));
    }
    pop_all(&mut came);
    came.resize(started as usize, 0);
    let mut in_doubt = 0;
    for (process, returned) in pushed {
        let came = came[process as usize];
        assert!(came == returned || came == returned + 1, "{came} came of {returned} of process {process}");
        in_doubt += came - returned;
    }
    println!("{} items of {started} processes, {in_doubt} kills came right behind a push", came.iter().sum::<u64>());
    // There is as much room as before.
    let mut producer = queue.take_producer().expect("a place of the dead");
    (0..16).for_each(|number| producer.push([0, number, 0]).expect("no room is lost"));
    assert!(producer.is_full());
}

/// Kills producers and consumers. At most one item per killed consumer is lost, or popped twice,
/// depending on `takes`.
fn both_sides_are_killed(takes: Takes) {
    let _alone = alone();
    let region = Region::anonymous("aqueduct test", geometry().bytes()).expect("a region");
    let queue = open(&region);
    let counts = Counts::new(kills() + SIDE as u64);
    let produce = |process, notes: &Notes| produce(&region, process, notes);
    let killed = kill_both_sides(&mut Random(22), produce, |notes| consume(&region, takes, &counts, notes));
    // The items that dead consumers held, and those left in the queue.
    let mut held = 0;
    while let Some(mut consumer) = queue.take_abandoned().expect("the system's consent") {
        counts.add(parts(consumer.pop().expect("the item that it held")));
        held += 1;
    }
    let mut consumer = queue.take_consumer().expect("a place of the dead");
    while let Ok(item) = consumer.pop() {
        counts.add(parts(item));
    }
    let Tally { came, lost, twice } = killed.tally(&counts);
    let killed_consumers = killed.consumers;
    println!(
        "{came} items came, {lost} are lost, {twice} came twice, {killed_consumers} consumers were killed, {held} held one"
    );
    let (most_lost, most_twice) =
        if takes == Takes::AtMostOnce { (killed_consumers, 0) } else { (0, killed_consumers) };
    assert!(lost <= most_lost && twice <= most_twice && came > kills());
}

#[test]
fn killed_consumers_that_pop_get_nothing_twice() {
    both_sides_are_killed(Takes::AtMostOnce);
}

#[test]
fn killed_consumers_that_release_lose_nothing() {
    both_sides_are_killed(Takes::AtLeastOnce);
}

/// Stops a producer and a consumer at random moments: others continue, the places stay taken, and
/// both continue when they resume.
#[test]
fn stopped_processes_hold_up_nobody_and_keep_their_places() {
    let _alone = alone();
    let region = Region::anonymous("aqueduct test", geometry().bytes()).expect("a region");
    let queue = open(&region);
    let mut random = Random(23);
    for _ in 0..kills() / 4 {
        let (counts, notes) = (Counts::new(2), [(); 2].map(|()| Notes::new()));
        let children = [
            Child::new(|| produce(&region, 0, &notes[0])),
            Child::new(|| consume(&region, Takes::AtLeastOnce, &counts, &notes[1])),
        ];
        notes.iter().for_each(|notes| until(|| notes.get(1) == 1));
        pause(&mut random);
        for child in &children {
            child.stop();
        }
        let (mut producer, mut consumer) =
            (queue.take_producer().expect("a place"), queue.take_consumer().expect("one"));
        let rest = (queue.take_producer().expect("a place"), queue.take_consumer().expect("a place"));
        assert!(matches!(queue.take_producer(), Err(PlaceError::Held)));
        assert!(matches!(queue.take_consumer(), Err(PlaceError::Held)));
        assert!(queue.take_abandoned().expect("the system's consent").is_none());
        assert_eq!((producer.peer(), consumer.peer()), (Peer::Alive, Peer::Alive));
        while let Ok(item) = consumer.pop() {
            counts.add(parts(item));
        }
        for number in 0..200 {
            producer.push_wait([1, number, 1 ^ !number], TIMEOUT).expect("room");
            counts.add(parts(consumer.pop_wait(TIMEOUT).expect("an item")));
        }
        assert_eq!(consumer.pop_wait(Duration::from_millis(1)), Err(WaitError::TimedOut));
        // They resume.
        children.iter().for_each(|child| child.signal(libc::SIGCONT));
        until(|| counts.of(0).all(|count| count > 0));
        children.into_iter().for_each(Child::kill);
        assert!(counts.of(0).all(|count| count == 1) && counts.of(1).take(200).all(|count| count == 1));
        drop((producer, consumer, rest));
        // Items that were counted and not released must not count in the next round.
        while let Some(mut dead) = queue.take_abandoned().expect("the system's consent") {
            assert!(dead.release());
        }
    }
}

#[test]
fn what_a_dead_consumer_held_is_there_for_any_process() {
    let _alone = alone();
    let region = Region::anonymous("aqueduct test", geometry().bytes()).expect("a region");
    let queue = open(&region);
    let (mut producer, mut own) = (queue.take_producer().expect("a place"), queue.take_consumer().expect("a place"));
    (0..3).for_each(|number| producer.push([number; 3]).expect("room"));
    let notes = Notes::new();
    let child = Child::new(|| {
        let mut consumer = open_again(&region).take_consumer().expect("a place");
        assert_eq!(consumer.peek(), Ok([0; 3]));
        notes.set(0, 1);
        loop {
            thread::park();
        }
    });
    until(|| notes.get(0) == 1);
    assert_eq!(own.pop(), Ok([1; 3]));
    assert!(queue.take_abandoned().expect("the system's consent").is_none(), "it lives");
    child.kill();
    let mut abandoned = queue.take_abandoned().expect("the system's consent").expect("what it held");
    assert!(abandoned.place() == 1 && abandoned.holds());
    assert_eq!(abandoned.peek(), Ok([0; 3]));
    // It dies, too, or drops the handle: the item stays.
    drop(abandoned);
    let mut abandoned = queue.take_abandoned().expect("the system's consent").expect("what it held");
    assert_eq!(abandoned.pop(), Ok([0; 3]));
    drop(abandoned);
    assert!(queue.take_abandoned().expect("the system's consent").is_none());
    assert_eq!(own.pop(), Ok([2; 3]));
}
