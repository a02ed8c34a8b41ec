//! Producers and readers that are killed or stopped at random moments, in a queue that overwrites
//! the oldest items. `AQUEDUCT_KILLS` is the number of kills of each test.

#![cfg(target_os = "linux")]

use aqueduct_shm::drop_old::{Geometry, Queue, Reader};
use aqueduct_shm::{PlaceError, PopError, Region};

mod common;
#[path = "common/process.rs"]
mod process;
use common::Random;
use process::{Child, Notes, TIMEOUT, alone, kills, pause, until};

const PRODUCERS: usize = 3;

fn geometry() -> Geometry {
    Geometry::new::<[u64; 3]>(PRODUCERS, 16).expect("a small queue")
}

fn region() -> Region {
    Region::anonymous("aqueduct test", geometry().bytes()).expect("a region")
}

fn open(region: &Region) -> Queue<[u64; 3], Region> {
    Queue::in_region(region.clone(), geometry(), 0).expect("a queue")
}

/// The region, opened as another process does.
fn open_again(region: &Region) -> Queue<[u64; 3], Region> {
    open(&Region::from_fd(region).expect("the region"))
}

/// Pushes numbers. Notes in word 0 how many pushes have returned, and in word 1 that the process
/// has started.
fn produce(region: &Region, process: u64, notes: &Notes) {
    let mut producer = open_again(region).take_producer().expect("the place of the dead");
    notes.set(1, 1);
    for number in 0.. {
        while producer.push([process, number, process ^ !number]).is_err() {}
        notes.set(0, number + 1);
    }
}

/// The last number of each process that a reader has read.
#[derive(Default)]
struct Last(Vec<Option<u64>>);

impl Last {
    /// Reads all items. Returns how many.
    fn read_all(&mut self, reader: &mut Reader<[u64; 3], Region>, most: u64) -> u64 {
        for count in 0..most {
            match reader.read() {
                Ok([process, number, check]) => {
                    assert_eq!(check, process ^ !number, "a part of an item");
                    self.0.resize(self.0.len().max(process as usize + 1), None);
                    let last = &mut self.0[process as usize];
                    assert!(*last < Some(number), "{number} after {last:?} of process {process}");
                    *last = Some(number);
                }
                Err(PopError::Contended) => {}
                Err(why) => {
                    assert_eq!(why, PopError::Empty);
                    return count;
                }
            }
        }
        most
    }
}

/// Kills producers and readers while another reader counts: it has read or lost all pushed items.
#[test]
fn killed_producers_and_readers_lose_nothing_and_hold_up_nobody() {
    let _alone = alone();
    let region = region();
    let queue = open(&region);
    let mut reader = queue.reader().expect("sound");
    let (mut random, mut alive, mut readers, mut started) = (Random(31), Vec::new(), Vec::new(), 0);
    let (mut last, mut read, mut returned, mut killed_readers) = (Last::default(), 0, 0, 0);
    for _ in 0..kills() {
        while alive.len() < PRODUCERS {
            let notes = Notes::new();
            let child = Child::new(|| produce(&region, started, &notes));
            until(|| notes.get(1) == 1);
            alive.push((child, notes));
            started += 1;
        }
        while readers.len() < 2 {
            let notes = Notes::new();
            let child = Child::new(|| {
                let (mut reader, mut last) = (open_again(&region).reader().expect("sound"), Last::default());
                notes.set(1, 1);
                loop {
                    last.read_all(&mut reader, 1000);
                }
            });
            until(|| notes.get(1) == 1);
            readers.push(child);
        }
        pause(&mut random);
        read += last.read_all(&mut reader, random.below(300));
        if random.below(4) == 0 {
            readers.swap_remove(random.below(2) as usize).kill();
            killed_readers += 1;
        } else {
            let (child, notes): (Child, Notes) = alive.swap_remove(random.below(PRODUCERS as u64) as usize);
            child.kill();
            returned += notes.get(0);
        }
    }
    readers.into_iter().for_each(Child::kill);
    for (child, notes) in alive {
        child.kill();
        returned += notes.get(0);
    }
    read += last.read_all(&mut reader, u64::MAX);
    let pushed = read + reader.lost();
    assert!((returned..=returned + started).contains(&pushed), "{pushed} of {returned} by {started} producers");
    println!("{pushed} items of {started} producers, {read} of them read, {killed_readers} readers killed");
    // No cell is lost: the queue keeps as many items as before.
    let mut producers: Vec<_> = (0..PRODUCERS).map(|_| queue.take_producer().expect("a place of the dead")).collect();
    for number in 0..64 {
        producers[number as usize % PRODUCERS].push([0, number, !number]).expect("there is always room");
    }
    let mut late = queue.reader().expect("sound");
    for number in 64 - 16..64 {
        assert_eq!(late.read(), Ok([0, number, !number]));
    }
    assert_eq!((late.read(), late.lost()), (Err(PopError::Empty), 0));
}

/// Stops a producer and a reader at random moments: others continue, the producer's place stays
/// taken, and both continue when they resume.
#[test]
fn stopped_processes_hold_up_nobody_and_keep_their_places() {
    let _alone = alone();
    let region = region();
    let queue = open(&region);
    let mut random = Random(32);
    for round in 0..kills() / 4 {
        // Each process has a number of its own.
        let (theirs, ours) = (2 * round, 2 * round + 1);
        let notes = [(); 2].map(|()| Notes::new());
        let children = [
            Child::new(|| produce(&region, theirs, &notes[0])),
            Child::new(|| {
                let (mut reader, mut last) = (open_again(&region).reader().expect("sound"), Last::default());
                for round in 1.. {
                    last.read_all(&mut reader, 1000);
                    notes[1].set(1, round);
                }
            }),
        ];
        notes.iter().for_each(|notes| until(|| notes.get(1) > 0));
        pause(&mut random);
        for child in &children {
            child.signal(libc::SIGSTOP);
            // SAFETY: a plain system call: the signal may come a moment later.
            unsafe { libc::waitpid(child.0, std::ptr::null_mut(), libc::WUNTRACED) };
        }
        let before = notes.each_ref().map(|notes| (notes.get(0), notes.get(1)));
        let (mut producer, rest) = (queue.take_producer().expect("a place"), queue.take_producer().expect("a place"));
        assert!(matches!(queue.take_producer(), Err(PlaceError::Held)));
        let mut reader = queue.reader().expect("sound");
        while reader.read().is_ok() {}
        for number in 0..200 {
            producer.push([ours, number, ours ^ !number]).expect("there is always room");
            assert_eq!(reader.read_wait(TIMEOUT), Ok([ours, number, ours ^ !number]));
        }
        drop((producer, rest));
        // They resume.
        children.iter().for_each(|child| child.signal(libc::SIGCONT));
        until(|| notes[0].get(0) > before[0].0 + 100 && notes[1].get(1) > before[1].1 + 1);
        children.into_iter().for_each(Child::kill);
    }
}
