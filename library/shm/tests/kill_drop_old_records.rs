//! A producer and readers that are killed or stopped at random moments, in a queue that overwrites
//! the oldest records. `AQUEDUCT_KILLS` is the number of kills of each test.

#![cfg(target_os = "linux")]

use aqueduct_shm::drop_old::records::{Producer, Queue, Reader};
use aqueduct_shm::{Memory, Peer, Place, PlaceError, PopError, Region, WaitError};

mod common;
#[path = "common/process.rs"]
mod process;
use common::Random;
use process::{Child, Notes, TIMEOUT, alone, kills, pause, until};

const BYTES: usize = 600;

fn region() -> Region {
    Region::anonymous("aqueduct test", 1 << 14).expect("a region")
}

fn open(region: &Region) -> Queue<Region> {
    Queue::in_region(region.clone(), BYTES, 0).expect("a queue")
}

/// The region, opened as another process does.
fn open_again(region: &Region) -> Queue<Region> {
    open(&Region::from_fd(region).expect("the region"))
}

/// The number of a record, repeated.
fn record(number: u64) -> Vec<u8> {
    number.to_ne_bytes().repeat(1 + number as usize % 9)
}

/// Pushes a record, in one piece or in two.
fn push(producer: &mut Producer<Place>, number: u64) {
    let record = record(number);
    if number.is_multiple_of(2) {
        producer.push(&record).expect("there is always room");
    } else {
        let mut grant = producer.reserve(record.len()).expect("there is always room");
        grant.write(&record[..5]);
        grant.write(&record[5..]);
        grant.commit();
    }
}

/// Pushes numbers, from that of the records ever pushed. Notes in word 0 how many pushes have
/// returned, in word 1 that the process has started, and in word 2 its first number.
fn produce(region: &Region, notes: &Notes) {
    let mut producer = open_again(region).take_producer().expect("the place of the dead");
    notes.set(2, producer.pushed());
    notes.set(0, producer.pushed());
    notes.set(1, 1);
    for number in producer.pushed().. {
        push(&mut producer, number);
        notes.set(0, number + 1);
    }
}

/// A reader that checks its numbers: from the first one on, each is read, or counted as lost.
struct Checked<M: Memory> {
    reader: Reader<M>,
    /// The number behind the last one that was read.
    next: Option<u64>,
}

impl<M: Memory> Checked<M> {
    /// Reads all records, but no more than `most`.
    fn read_all(&mut self, most: u64) {
        let mut buffer = [0; 72];
        for _ in 0..most {
            let lost = self.reader.lost();
            match self.reader.read(&mut buffer) {
                Ok(len) => {
                    let number = u64::from_ne_bytes(buffer[..8].try_into().expect("eight bytes"));
                    assert_eq!(buffer[..len], record(number), "a part of a record");
                    let passed_over = self.reader.lost() - lost;
                    assert!(
                        self.next.is_none_or(|next| next + passed_over == number),
                        "{number} after {:?}",
                        self.next
                    );
                    self.next = Some(number + 1);
                }
                Err(PopError::Contended) => {}
                Err(why) => {
                    assert_eq!(why, PopError::Empty);
                    return;
                }
            }
        }
    }
}

fn reader(queue: &Queue<Region>) -> Checked<Place> {
    loop {
        match queue.take_reader() {
            Err(PlaceError::Contended) => {}
            reader => return Checked { reader: reader.expect("sound"), next: None },
        }
    }
}

/// Kills the producer and readers while another reader counts: it has read or lost all pushed
/// records, and each successor continues behind them.
#[test]
fn a_killed_producer_loses_nothing_and_killed_readers_leave_nothing() {
    let _alone = alone();
    let region = region();
    let queue = open(&region);
    let mut reading = reader(&queue);
    reading.next = Some(0);
    let (mut random, mut readers, mut producer) = (Random(41), Vec::new(), None);
    let (mut returned, mut in_doubt, mut killed_readers) = (0, 0, 0);
    for _ in 0..kills() {
        let (child, notes): (Child, Notes) = producer.take().unwrap_or_else(|| {
            let notes = Notes::new();
            let child = Child::new(|| produce(&region, &notes));
            until(|| notes.get(1) == 1);
            let begins = notes.get(2);
            assert!(begins == returned || begins == returned + 1, "{begins} behind {returned}");
            in_doubt += begins - returned;
            (child, notes)
        });
        while readers.len() < 2 {
            let notes = Notes::new();
            let child = Child::new(|| {
                let mut reading = reader(&open_again(&region));
                notes.set(1, 1);
                loop {
                    reading.read_all(1000);
                }
            });
            until(|| notes.get(1) == 1);
            readers.push(child);
        }
        pause(&mut random);
        reading.read_all(random.below(300));
        if random.below(4) == 0 {
            readers.swap_remove(random.below(2) as usize).kill();
            killed_readers += 1;
            producer = Some((child, notes));
        } else {
            assert_eq!(reading.reader.peer(), Peer::Alive);
            child.kill();
            returned = notes.get(0);
            assert_eq!(reading.reader.peer(), Peer::Died);
        }
    }
    readers.into_iter().for_each(Child::kill);
    if let Some((child, notes)) = producer {
        child.kill();
        returned = notes.get(0);
    }
    // A new reader finds the newest record, as the old one does.
    let mut late = reader(&queue);
    [&mut reading, &mut late].into_iter().for_each(|reading| reading.read_all(u64::MAX));
    let pushed = reading.next.expect("a number");
    assert!(pushed == returned || pushed == returned + 1, "{pushed} of {returned}");
    assert_eq!(late.next, Some(pushed));
    let (mut buffer, lost) = ([0; 72], reading.reader.lost());
    assert_eq!(reading.reader.read_wait(&mut buffer, TIMEOUT), Err(WaitError::Died));
    println!(
        "{pushed} records, {lost} of them lost, {in_doubt} kills behind a record, {killed_readers} readers killed"
    );
    // The queue keeps as much as before.
    let mut producer = queue.take_producer().expect("the place of the dead");
    (pushed..pushed + 64).for_each(|number| push(&mut producer, number));
    let mut late = queue.reader().expect("sound");
    let numbers = std::iter::from_fn(|| late.read(&mut buffer).ok()).count();
    let kept = (pushed + 64 - numbers as u64..pushed + 64).map(|number| 16 + record(number).len()).sum::<usize>();
    assert!(kept + 88 > BYTES, "{kept} bytes are kept");
}

/// Stops the producer and a reader at random moments: another reader finds the newest record, the
/// producer's place stays taken, and both continue when they resume.
#[test]
fn stopped_processes_hold_up_nobody_and_the_producer_keeps_its_place() {
    let _alone = alone();
    let region = region();
    let queue = open(&region);
    let mut random = Random(42);
    for _ in 0..kills() / 4 {
        let notes = [(); 2].map(|()| Notes::new());
        let children = [
            Child::new(|| produce(&region, &notes[0])),
            Child::new(|| {
                let mut reading = reader(&open_again(&region));
                for round in 1.. {
                    reading.read_all(1000);
                    notes[1].set(1, round);
                }
            }),
        ];
        notes.iter().for_each(|notes| until(|| notes.get(1) > 0));
        until(|| notes[0].get(0) > notes[0].get(2));
        pause(&mut random);
        children.iter().for_each(Child::stop);
        let (pushed, rounds) = (notes[0].get(0), notes[1].get(1));
        assert!(matches!(queue.take_producer(), Err(PlaceError::Held)));
        let mut late = reader(&queue);
        late.read_all(u64::MAX);
        let next = late.next.expect("the newest record is there");
        assert!(next == pushed || next == pushed + 1, "{next} of {pushed}");
        assert_eq!(late.reader.peer(), Peer::Alive);
        // They resume.
        children.iter().for_each(|child| child.signal(libc::SIGCONT));
        until(|| notes[0].get(0) > pushed + 100 && notes[1].get(1) > rounds + 1);
        late.read_all(1000);
        children.into_iter().for_each(Child::kill);
    }
}
