//! Producers and consumers of a lock-free queue that are killed at random moments. Handles have no
//! places, so there is nothing to recover: others continue.
//!
//! `AQUEDUCT_KILLS` is the number of kills of each test.

#![cfg(target_os = "linux")]

use std::thread;

use aqueduct_shm::Region;
use aqueduct_shm::nblfq::{Geometry, Queue};

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
use process::{Child, Notes, alone, kills, pause, until};

/// The queue's capacity.
const CAPACITY: usize = 16;

/// An item: the number of its process, twice, and its own number.
type Item = [u16; 3];

fn open(region: &Region) -> Queue<Item, Region> {
    Queue::in_region(region.clone(), geometry(), 0).expect("a queue")
}

fn geometry() -> Geometry {
    Geometry::new(CAPACITY).expect("a small queue")
}

fn item(process: u64, number: u64) -> Item {
    [process as u16, number as u16, process as u16 ^ !(number as u16)]
}

/// An item's process and number.
fn parts([process, number, check]: Item) -> (u64, u64) {
    assert_eq!(check, process ^ !number, "a part of an item");
    (process.into(), number.into())
}

/// Pushes numbers.
fn produce(region: &Region, process: u64, notes: &Notes) {
    let producer = open(&Region::from_fd(region).expect("the region")).producer();
    push_numbers(notes, |number| producer.push(item(process, number)).is_ok())
}

/// Pops until it is killed.
fn consume(region: &Region, counts: &Counts, notes: &Notes) {
    let consumer = open(&Region::from_fd(region).expect("the region")).consumer();
    notes.set(1, 1);
    loop {
        match consumer.pop() {
            Ok(item) => counts.add(parts(item)),
            Err(_) => thread::yield_now(),
        }
    }
}

/// Kills producers only, while this process pops: it gets exactly the numbers that each pushed, in
/// order.
#[test]
fn killed_producers_lose_nothing_and_hold_up_nobody() {
    let _alone = alone();
    let region = Region::anonymous("aqueduct test", geometry().bytes()).expect("a region");
    let queue = open(&region);
    let consumer = queue.consumer();
    let (mut random, mut alive, mut started, mut in_doubt, mut all) = (Random(31), Vec::new(), 0, 0, 0);
    // The next number of each process.
    let mut came = vec![0; 1 << 16];
    for _ in 0..kills() {
        while alive.len() < SIDE {
            let (notes, process) = (Notes::new(), started % (1 << 16));
            came[process as usize] = 0;
            let child = Child::new(|| produce(&region, process, &notes));
            until(|| notes.get(1) == 1);
            alive.push((process, child, notes));
            started += 1;
        }
        let mut pop_all = || {
            while let Ok(item) = consumer.pop() {
                let (process, number) = parts(item);
                assert_eq!(number, came[process as usize], "of process {process}");
                came[process as usize] += 1;
            }
        };
        // The queue is not full for long, so that kills hit pushes.
        (0..random.below(2000)).for_each(|_| pop_all());
        let (process, child, notes) = alive.swap_remove(random.below(SIDE as u64) as usize);
        child.kill();
        pop_all();
        let (came, returned) = (came[process as usize], notes.get(0));
        assert!(came == returned || came == returned + 1, "{came} came of {returned} of process {process}");
        (in_doubt, all) = (in_doubt + came - returned, all + came);
    }
    drop(alive);
    println!("{all} items of {started} processes, {in_doubt} kills came right behind a push");
    while consumer.pop().is_ok() {}
    // There is as much room as before.
    let producer = queue.producer();
    (0..CAPACITY as u64).for_each(|number| producer.push(item(0, number)).expect("no room is lost"));
    assert!(producer.is_full());
}

/// Kills producers and consumers: no item is popped twice, and each kill of a consumer loses at
/// most one.
#[test]
fn killed_consumers_get_nothing_twice_and_lose_what_they_had_popped() {
    let _alone = alone();
    let region = Region::anonymous("aqueduct test", geometry().bytes()).expect("a region");
    let queue = open(&region);
    let counts = Counts::new(kills() + SIDE as u64);
    let produce = |process, notes: &Notes| produce(&region, process, notes);
    let killed = kill_both_sides(&mut Random(32), produce, |notes| consume(&region, &counts, notes));
    while let Ok(item) = queue.consumer().pop() {
        counts.add(parts(item));
    }
    let Tally { came, lost, twice } = killed.tally(&counts);
    let killed_consumers = killed.consumers;
    println!("{came} items came, {lost} are lost, {killed_consumers} consumers were killed");
    assert!(twice == 0 && lost <= killed_consumers && came > kills());
}

/// Stops a producer and a consumer at random moments: others continue, and both continue when they
/// resume.
#[test]
fn stopped_processes_hold_up_nobody() {
    let _alone = alone();
    let region = Region::anonymous("aqueduct test", geometry().bytes()).expect("a region");
    let queue = open(&region);
    let (producer, consumer) = (queue.producer(), queue.consumer());
    let mut random = Random(33);
    for _ in 0..kills() / 4 {
        let (counts, notes) = (Counts::new(2), [(); 2].map(|()| Notes::new()));
        let children =
            [Child::new(|| produce(&region, 0, &notes[0])), Child::new(|| consume(&region, &counts, &notes[1]))];
        notes.iter().for_each(|notes| until(|| notes.get(1) == 1));
        pause(&mut random);
        for child in &children {
            child.stop();
        }
        while let Ok(item) = consumer.pop() {
            counts.add(parts(item));
        }
        for number in 0..200 {
            producer.push(item(1, number)).expect("room");
            counts.add(parts(consumer.pop().expect("an item")));
        }
        assert!(consumer.is_empty());
        children.iter().for_each(|child| child.signal(libc::SIGCONT));
        until(|| counts.of(0).all(|count| count > 0));
        children.into_iter().for_each(Child::kill);
        assert!(counts.of(0).all(|count| count == 1) && counts.of(1).take(200).all(|count| count == 1));
    }
}
