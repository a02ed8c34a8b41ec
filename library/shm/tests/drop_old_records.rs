//! Queues that overwrite the oldest records, used by this process. `kill_drop_old_records.rs` uses
//! several processes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use aqueduct_shm::drop_old::records::{Geometry, Queue, Reader};
use aqueduct_shm::{
    AttachError, CapacityError, ClaimError, Expected, Memory, Mismatch, PopError, RecordError, WaitError, Word, records,
};

mod common;
use common::Random;

const LONG: Duration = Duration::from_secs(60);

type OnHeap = Queue<Arc<[Word]>>;

/// A record of this number. Each byte depends on the number and on the byte's index.
fn record(number: u64, len: usize) -> Vec<u8> {
    (0..len).map(|at| (number as u8).wrapping_mul(31).wrapping_add(at as u8)).collect()
}

/// The words that a record of `len` bytes takes.
fn words(len: usize) -> usize {
    2 + len.div_ceil(8)
}

/// Checks a reader against the lengths of all records. `next` is the number of its next record.
/// Reads at most `most` records.
fn check(reader: &mut Reader<Arc<[Word]>>, lens: &[usize], next: &mut usize, bytes: usize, most: usize) {
    let mut buffer = vec![0; reader.max_len()];
    for _ in 0..most {
        let before = reader.lost();
        match reader.read(&mut buffer) {
            Ok(len) => {
                *next += (reader.lost() - before) as usize;
                assert!(buffer[..len] == record(*next as u64, lens[*next]), "{next}");
                // The queue keeps as many bytes as it promises: the lost record was before them.
                let kept: usize = lens[*next..].iter().map(|len| 8 * words(*len)).sum();
                let lost = if reader.lost() > before { 8 * words(lens[*next - 1]) } else { bytes };
                assert!(kept + lost > bytes.next_multiple_of(8), "{kept} and {lost} of {bytes}");
                *next += 1;
            }
            Err(why) => {
                assert_eq!((why, *next), (PopError::Empty, lens.len()));
                break;
            }
        }
    }
    assert_eq!(reader.is_empty(), *next == lens.len());
}

fn behaves_as_a_queue(bytes: usize) {
    let queue = Queue::on_heap(bytes, 0).expect("it is small");
    let (mut producer, mut early) = (queue.producer().unwrap(), queue.reader().unwrap());
    let (mut random, mut lens, mut next) = (Random(bytes as u64), Vec::new(), 0);
    for _ in 0..if cfg!(miri) { 60 } else { 4000 } {
        match random.below(8) {
            0 => {
                drop(producer);
                producer = queue.producer().unwrap();
            }
            1 => {
                std::mem::forget(producer);
                assert!(matches!(queue.producer().unwrap_err(), ClaimError::Taken { .. }));
                producer = queue.replace_producer(5).unwrap();
                assert_eq!(queue.producers_owner(), 5);
            }
            2 => {
                // A late reader starts with the oldest record: earlier ones do not count as lost.
                let mut late = queue.reader().unwrap();
                let mut buffer = vec![0; late.max_len()];
                let mut found = VecDeque::new();
                while let Ok(len) = late.read(&mut buffer) {
                    found.push_back(buffer[..len].to_vec());
                }
                let first = lens.len() - found.len();
                assert!(found.iter().zip(first..).all(|(found, number)| *found == record(number as u64, lens[number])));
                assert!(late.lost() == 0 && (lens.is_empty() || !found.is_empty()));
            }
            3 => check(&mut early, &lens, &mut next, bytes, random.below(20) as usize),
            4 => {
                // A record in pieces, after a dropped grant.
                let len = random.below(queue.max_len() as u64 + 1) as usize;
                let record = record(lens.len() as u64, len);
                producer.reserve(queue.max_len()).unwrap().write(&[0xff; 9]);
                let mut grant =
                    producer.reserve(len + random.below((queue.max_len() - len) as u64 + 1) as usize).unwrap();
                let mut rest = &record[..];
                while !rest.is_empty() {
                    let (piece, behind) = rest.split_at((1 + random.below(20) as usize).min(rest.len()));
                    assert_eq!(grant.write(piece), piece.len());
                    if random.below(4) == 0 {
                        let draft = grant.suspend();
                        grant = producer.resume(draft).expect("nothing came in between");
                    }
                    rest = behind;
                }
                assert!(grant.written() == len && grant.capacity() >= len);
                grant.commit();
                lens.push(len);
            }
            _ => {
                let len = random.below(queue.max_len() as u64 + 1) as usize;
                let len = if random.below(2) == 0 { len } else { len % 20 };
                producer.push(&record(lens.len() as u64, len)).unwrap();
                lens.push(len);
            }
        }
        assert_eq!(producer.pushed(), lens.len() as u64);
    }
    check(&mut early, &lens, &mut next, bytes, usize::MAX);
    assert!(early.lost() > 0 && early.read_vec() == Err(PopError::Empty));
}

#[test]
fn a_reader_gets_the_last_records_and_counts_the_others() {
    for &bytes in if cfg!(miri) { &[24, 200][..] } else { &[17, 24, 64, 200, 5000] } {
        behaves_as_a_queue(bytes);
    }
}

#[test]
fn lengths_without_a_queue_are_refused() {
    for bytes in [0, 8, 16] {
        assert_eq!(Geometry::new(bytes).unwrap_err(), CapacityError::Zero);
    }
    assert_eq!(Geometry::new(usize::MAX).unwrap_err(), CapacityError::TooLarge);
    let queue = Queue::on_heap(64, 0).unwrap();
    assert_eq!(queue.max_len(), 48);
    let (mut producer, mut reader) = (queue.producer().unwrap(), queue.reader().unwrap());
    assert_eq!(producer.push(&[0; 49]), Err(RecordError::TooLong { longest: 48 }));
    assert_eq!(producer.reserve(49).unwrap_err(), RecordError::TooLong { longest: 48 });
    let mut grant = producer.reserve(3).unwrap();
    assert_eq!((grant.write(b"four"), grant.write(b"more")), (3, 0), "as much as there is room for");
    grant.commit();
    producer.push(&[7; 48]).unwrap();
    assert_eq!(reader.read_vec().unwrap(), b"fou");
    assert_eq!(reader.read(&mut [0; 5]), Err(PopError::TooLong { len: 48 }));
    assert_eq!(reader.read_wait(&mut [0; 5], Duration::ZERO), Err(WaitError::TooLong { longest: 5 }));
    assert_eq!((reader.read_vec(), reader.lost()), (Ok(vec![7; 48]), 0));
    assert_eq!(reader.read_wait(&mut [], Duration::ZERO), Err(WaitError::TimedOut));
}

#[test]
fn a_draft_whose_room_was_taken_is_refused() {
    let queue = Queue::on_heap(64, 0).unwrap();
    let (mut producer, mut reader) = (queue.producer().unwrap(), queue.reader().unwrap());
    let first = producer.reserve(8).unwrap().suspend();
    let second = producer.reserve(8).unwrap().suspend();
    assert!(producer.resume(first).is_none(), "another grant has its room");
    producer.resume(second).unwrap().commit();
    let third = producer.reserve(8).unwrap().suspend();
    producer.push(b"pushed").unwrap();
    assert!(producer.resume(third).is_none(), "another record has its room");
    assert_eq!([reader.read_vec(), reader.read_vec()], [Ok(vec![]), Ok(b"pushed".to_vec())]);
    assert_eq!(reader.read_vec(), Err(PopError::Empty));
}

#[test]
fn other_queues_are_refused() {
    let geometry = Geometry::new(100).unwrap();
    let memory = Queue::create(heap(2 * geometry.words()), geometry, 0).unwrap().into_memory();
    assert!(Queue::attach(memory.clone(), &Expected::new().capacity(100)).is_ok());
    let found = records::Queue::attach(memory, &Expected::new()).unwrap_err();
    assert_eq!(found, AttachError::Kind(Mismatch { expected: 2, found: 7 }));
    // The capacity, the unit, the words of the ring, and the slack.
    for (word, value) in [(5, 1 << 40), (5, 16), (6, 2), (7, 3), (7, 0), (7, 16), (8, 1 << 20), (8, u64::MAX)] {
        let memory = Queue::create(heap(2 * geometry.words()), geometry, 0).unwrap().into_memory();
        memory[word].store(value, Relaxed);
        assert_eq!(Queue::attach(memory, &Expected::new()).unwrap_err(), AttachError::Geometry, "{word}");
    }
}

fn heap(words: usize) -> Arc<[Word]> {
    (0..words).map(|_| Word::new(0)).collect()
}

/// Indices of the words with the positions, and of the first word of the ring.
const END: usize = 17;
const OLDEST: usize = 48;
const RING: usize = 96;

#[test]
fn what_is_overwritten_is_damage() {
    let queue = Queue::on_heap(64, 0).unwrap();
    let words = queue.memory().clone();
    let (mut producer, mut reader) = (queue.producer().unwrap(), queue.reader().unwrap());
    (0..6).for_each(|number| producer.push(&[number; 40]).unwrap());
    let damage = |word: usize, value: u64, check: &mut dyn FnMut()| {
        let sound = words[word].swap(value, Relaxed);
        check();
        words[word].store(sound, Relaxed);
    };
    let oldest = words[OLDEST].load(Relaxed);
    assert_eq!(oldest, 14, "four records of seven words fit into the ring of 32 words with the slack");
    (2..5).for_each(|number| assert_eq!(reader.read_vec(), Ok(vec![number; 40])));
    let last = RING + 35 % 32;
    // A length above the longest, no length, one beyond the end, and another position.
    for value in [35 << 32 | 50, 35 << 32, 35 << 32 | 49, 36 << 32 | 41] {
        damage(last, value, &mut || assert_eq!(reader.read_vec(), Err(PopError::Damaged), "{value:#x}"));
    }
    // A number below that of the record before, and an impossible one.
    for value in [1, u64::MAX] {
        damage(last + 1, value, &mut || assert_eq!(reader.read_vec(), Err(PopError::Damaged), "{value:#x}"));
    }
    // Positions: an end before the reader, a zero end, an impossible end, and an oldest record
    // behind the end.
    for (word, value) in [(END, 20), (END, 0), (END, u64::MAX), (OLDEST, 1000), (OLDEST, u64::MAX)] {
        damage(word, value, &mut || {
            let mut fresh = queue.reader();
            if let Ok(fresh) = &mut fresh {
                assert_eq!((word, value), (END, 20));
                let _ = fresh.read_vec();
            }
            assert_eq!(queue.replace_producer(9).map(drop), Err(ClaimError::Damaged), "{word} {value:#x}");
        });
    }
    damage(OLDEST, 1000, &mut || assert_eq!(reader.read_vec(), Err(PopError::Damaged)));
    assert_eq!((reader.read_vec(), reader.lost()), (Ok(vec![5; 40]), 2));
    damage(END, 20, &mut || assert_eq!(reader.read_vec(), Err(PopError::Damaged)));
    // The producer reads the lengths of the records that it overwrites.
    let before = producer.pushed();
    damage(RING + 14, u64::MAX, &mut || {
        let refused = (0..4).map(|_| producer.push(&[9; 40])).find(Result::is_err);
        assert_eq!(refused, Some(Err(RecordError::Damaged)));
    });
    assert!(producer.pushed() - before < 4);
    producer.push(b"it goes on").unwrap();
    while reader.read_vec().unwrap() != b"it goes on" {}
}

/// A memory in which another process overwrites the oldest record at each access, while it is
/// hostile.
struct Hostile {
    words: Vec<Word>,
    is_hostile: AtomicBool,
}

impl Memory for &Hostile {
    fn words(&self) -> &[Word] {
        if self.is_hostile.load(Relaxed) {
            let oldest = self.words[OLDEST].load(Relaxed) + 3;
            self.words[END].store(oldest + 9, Relaxed);
            for at in [0, 3, 6] {
                // Records of one byte.
                let index = |word: u64| RING + (oldest + at + word) as usize % 32;
                self.words[index(0)].store((oldest + at) << 32 | 2, Relaxed);
                self.words[index(1)].store((oldest + at) / 3, Relaxed);
            }
            self.words[OLDEST].store(oldest, Relaxed);
        }
        &self.words
    }
}

#[test]
fn a_read_ends_however_fast_the_producer_is() {
    let geometry = Geometry::new(64).unwrap();
    let words = (0..geometry.words()).map(|_| Word::new(0)).collect();
    let memory = Hostile { words, is_hostile: AtomicBool::new(false) };
    let queue = Queue::create(&memory, geometry, 0).unwrap();
    let mut reader = queue.reader().unwrap();
    queue.producer().unwrap().push(&[1]).unwrap();
    memory.is_hostile.store(true, Relaxed);
    assert_eq!(reader.read_vec(), Err(PopError::Contended));
    assert_eq!(queue.reader().unwrap_err(), ClaimError::Contended);
    memory.is_hostile.store(false, Relaxed);
    assert!(reader.read_vec().is_ok() && queue.reader().is_ok());
}

#[test]
fn a_static_buffer_keeps_a_queue() {
    static WORDS: [Word; 128] = [const { Word::new(0) }; 128];
    let geometry = Geometry::new(64).unwrap();
    assert!(geometry.words() <= WORDS.len());
    let queue = Queue::create(&WORDS[..], geometry, 0).unwrap();
    let (mut producer, mut reader) = (queue.producer().unwrap(), queue.reader().unwrap());
    (0..9).for_each(|number| producer.push(&[number; 40]).unwrap());
    assert_eq!((reader.read_vec(), reader.lost()), (Ok(vec![5; 40]), 5));
}

#[test]
fn readers_beside_the_producer_get_whole_records_in_order() {
    let count = if cfg!(miri) { 60 } else { 100_000 };
    for bytes in [64, 400, 5000] {
        let queue: OnHeap = Queue::on_heap(bytes, 0).unwrap();
        let mut producer = queue.producer().unwrap();
        let len = |number: u64| number as usize * 13 % (queue.max_len().min(300) + 1);
        thread::scope(|scope| {
            for _ in 0..2 {
                let mut reader = queue.reader().unwrap();
                scope.spawn(move || {
                    let (mut read, mut next, mut buffer) = (0, 0, vec![0; reader.max_len()]);
                    while next < count {
                        let found = reader.read_wait(&mut buffer, LONG).expect("a producer");
                        read += 1;
                        next = read + reader.lost();
                        assert!(buffer[..found] == record(next - 1, len(next - 1)), "{next}");
                    }
                    assert_eq!((next, reader.read(&mut buffer)), (count, Err(PopError::Empty)));
                });
            }
            for number in 0..count {
                producer.push(&record(number, len(number))).unwrap();
                producer.wake();
            }
        });
    }
}
