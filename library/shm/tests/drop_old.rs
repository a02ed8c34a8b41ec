//! Queues that overwrite the oldest items, used by this process. `kill_drop_old.rs` uses several
//! processes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread;
use std::time::Duration;

use aqueduct_shm::drop_old::{Geometry, Queue, Reader};
use aqueduct_shm::{
    AttachError, CapacityError, ClaimError, Expected, Memory, Mismatch, PopError, PushError, WaitError, Word,
};

const LONG: Duration = Duration::from_secs(60);

type OnHeap = Queue<[u64; 2], Arc<[Word]>>;

fn queue(producers: usize, capacity: usize) -> OnHeap {
    Queue::on_heap(producers, capacity, 0).expect("a small queue")
}

/// Checks that the next item of a reader is this one.
fn reads(reader: &mut Reader<[u64; 2], Arc<[Word]>>, number: u64) {
    assert_eq!(reader.read(), Ok([number, !number]));
}

#[test]
fn a_reader_gets_the_last_items_and_counts_the_others() {
    for capacity in [1, 2, 3, 8, 13, 64] {
        let (queue, slots) = (queue(3, capacity), (capacity as u64).next_power_of_two());
        let mut producers = [(); 3].map(|()| queue.producer().unwrap());
        let (mut early, mut pushed, mut expected) = (queue.reader().unwrap(), 0, 0);
        assert!(early.capacity() == capacity && early.is_empty() && early.read() == Err(PopError::Empty));
        for round in 0..if cfg!(miri) { 6 } else { 40 } {
            // Fewer items than slots, as many, and more.
            for _ in 0..round * slots / 8 {
                producers[pushed as usize % 3].push([pushed, !pushed]).unwrap();
                pushed += 1;
            }
            let oldest = pushed.saturating_sub(slots);
            let mut late = queue.reader().unwrap();
            for number in oldest..pushed {
                reads(&mut late, number);
            }
            assert!(late.lost() == 0 && late.is_empty() && late.read() == Err(PopError::Empty));
            // The early reader leaves some items unread each time.
            expected = oldest.max(expected);
            let end = pushed - (pushed - expected) / 3;
            for number in expected..end {
                reads(&mut early, number);
            }
            expected = end;
        }
        for number in expected..pushed {
            reads(&mut early, number);
        }
        // Miri's few rounds do not fill a small ring.
        assert!(early.is_empty() && (early.lost() > 0 || cfg!(miri)));
    }
}

#[test]
fn slices_are_items_one_by_one() {
    let queue = queue(1, 4);
    let (mut producer, mut reader) = (queue.producer().unwrap(), queue.reader().unwrap());
    assert_eq!(producer.push_slice(&[[0, 0], [1, 1], [2, 2], [3, 3], [4, 4]]), 5);
    let mut found = [[9, 9]; 5];
    assert_eq!((reader.read_slice(&mut found[..2]), reader.lost()), (2, 1));
    assert_eq!(reader.read_slice(&mut found[2..]), 2);
    assert_eq!(found, [[1, 1], [2, 2], [3, 3], [4, 4], [9, 9]]);
}

#[test]
fn each_place_has_one_handle_and_readers_need_none() {
    let queue = queue(2, 4);
    let (first, second) = (queue.producer().unwrap(), queue.producer().unwrap());
    assert_eq!((first.place(), second.place()), (0, 1));
    assert_eq!(queue.producer().unwrap_err(), ClaimError::Taken { owner: 1 });
    let readers: Vec<_> = (0..100).map(|_| queue.reader().unwrap()).collect();
    std::mem::forget((first, readers));
    let producer = queue.replace_producer(0, 77).unwrap();
    assert_eq!((queue.producers_owner(0), queue.producers_owner(1)), (77, 1));
    drop(producer);
    assert_eq!(queue.producer().unwrap().place(), 0);
}

#[test]
fn a_static_buffer_keeps_a_queue() {
    static WORDS: [Word; 256] = [const { Word::new(0) }; 256];
    let geometry = Geometry::new::<u16>(1, 3).unwrap();
    assert!(geometry.words() <= WORDS.len());
    let queue = Queue::<u16, _>::create(&WORDS[..], geometry, 0).unwrap();
    let (mut producer, mut reader) = (queue.producer().unwrap(), queue.reader().unwrap());
    (0..6).for_each(|number| producer.push(number).unwrap());
    assert_eq!((reader.read(), reader.lost()), (Ok(2), 2));
}

#[test]
fn readers_beside_producers_get_whole_items_in_order() {
    let count = if cfg!(miri) { 50 } else { 100_000 };
    for (producers, readers, capacity) in [(1, 1, 1), (1, 2, 4), (2, 2, 1), (3, 2, 16)] {
        let (queue, is_over) = (queue(producers, capacity), AtomicBool::new(false));
        thread::scope(|scope| {
            let reading: Vec<_> = (0..readers)
                .map(|_| {
                    let (mut reader, is_over) = (queue.reader().unwrap(), &is_over);
                    scope.spawn(move || {
                        let (mut last, mut read) = (vec![None; producers], 0);
                        loop {
                            // The flag is loaded first, so that all items pushed before it was set
                            // are read.
                            let was_over = is_over.load(Acquire);
                            match reader.read() {
                                Ok([number, inverse]) => {
                                    assert_eq!(inverse, !number, "parts of two items");
                                    let (producer, number) = (number as usize % producers, number / producers as u64);
                                    assert!(last[producer] < Some(number), "{number} after {last:?}");
                                    last[producer] = Some(number);
                                    read += 1;
                                }
                                Err(PopError::Contended) => {}
                                Err(why) => assert_eq!(why, PopError::Empty),
                            }
                            if was_over && reader.is_empty() {
                                return read + reader.lost();
                            }
                        }
                    })
                })
                .collect();
            let producing: Vec<_> = (0..producers as u64)
                .map(|which| {
                    let mut producer = queue.producer().unwrap();
                    scope.spawn(move || {
                        for number in (0..count).map(|number| number * producers as u64 + which) {
                            while producer.push([number, !number]).is_err() {}
                        }
                    })
                })
                .collect();
            producing.into_iter().for_each(|thread| thread.join().unwrap());
            is_over.store(true, Release);
            for reader in reading {
                assert_eq!(reader.join().unwrap(), producers as u64 * count, "read, and lost");
            }
        });
    }
}

#[test]
fn a_reader_that_waits_is_woken() {
    let queue = queue(1, 64);
    let (mut producer, mut reader) = (queue.producer().unwrap(), queue.reader().unwrap());
    assert_eq!(reader.read_wait(Duration::from_millis(5)), Err(WaitError::TimedOut));
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..if cfg!(miri) { 3 } else { 50 } {
                assert_eq!(reader.read_wait(LONG), Ok([number, 0]));
            }
        });
        for number in 0..if cfg!(miri) { 3 } else { 50 } {
            thread::sleep(Duration::from_millis(1));
            producer.push([number, 0]).unwrap();
            producer.wake();
        }
    });
}

#[test]
fn another_queue_is_refused() {
    let memory = queue(2, 10).into_memory();
    let attach = |expected: &Expected| Queue::<[u64; 2], _>::attach(memory.clone(), expected).map(drop);
    let differ = |expected, found| Mismatch { expected, found };
    assert_eq!(attach(&Expected::new().places(2, 0).capacity(10).page(0)), Ok(()));
    assert_eq!(attach(&Expected::new().places(1, 0)), Err(AttachError::Producers(differ(1, 2))));
    assert_eq!(attach(&Expected::new().tag(1)), Err(AttachError::Tag(differ(1, 0))));
    let other = aqueduct_shm::mpmc::Queue::<[u64; 2], _>::attach(memory.clone(), &Expected::new()).unwrap_err();
    assert_eq!(other, AttachError::Kind(differ(4, 5)));
    let many = aqueduct_shm::mpmc::Queue::<[u64; 2], _>::on_heap(2, 1, 10, 0).unwrap().into_memory();
    let other = Queue::<[u64; 2], _>::attach(many, &Expected::new()).unwrap_err();
    assert_eq!(other, AttachError::Kind(differ(5, 4)));
    // A header that was overwritten is refused, or stays within the memory.
    let mut refused = 0;
    for word in 3..14 {
        for value in [0, 1, 2, u64::MAX, u64::MAX / 2, 1 << 40] {
            let old = memory[word].swap(value, Relaxed);
            match Queue::<[u64; 2], _>::attach(memory.clone(), &Expected::new()) {
                Ok(found) => assert!(found.geometry().words() <= memory.len(), "word {word}, {value}"),
                Err(_) => refused += 1,
            }
            memory[word].store(old, Relaxed);
        }
    }
    assert!(refused > 30, "{refused}");
    for (producers, capacity) in [(0, 1), (1, 0)] {
        assert_eq!(Geometry::new::<u64>(producers, capacity).unwrap_err(), CapacityError::Zero);
    }
    assert_eq!(Geometry::new::<u64>(1, usize::MAX).unwrap_err(), CapacityError::TooLarge);
}

#[test]
fn a_damaged_slot_is_told() {
    let queue = queue(1, 4);
    let words = queue.memory().words();
    let (mut producer, mut reader) = (queue.producer().unwrap(), queue.reader().unwrap());
    producer.push([1, 1]).unwrap();
    // The ring begins behind the header and the place.
    let slot = &words[96 + 16];
    let sound = slot.load(Relaxed);
    // An invalid cell number, and turns between two laps. A word has three bits for the cell's
    // number.
    for damage in [sound | 7, 1 << 3, 3 << 3] {
        slot.store(damage, Relaxed);
        assert_eq!(reader.read(), Err(PopError::Damaged), "{damage:#x}");
    }
    slot.store(sound, Relaxed);
    assert_eq!(reader.read_wait(LONG), Ok([1, 1]));
    // A turn that is far ahead counts as lost items, but no more than can exist.
    words[96 + 17].store(u64::MAX - 7, Relaxed);
    assert_eq!(reader.read(), Err(PopError::Damaged));
    let hint = words[16].swap(u64::MAX, Relaxed);
    assert_eq!(queue.reader().unwrap_err(), ClaimError::Damaged);
    words[16].store(hint, Relaxed);
    words[97].store(1000, Relaxed);
    drop(producer);
    assert_eq!(queue.producer().unwrap_err(), ClaimError::Damaged);
}

/// A memory in which another process overwrites the only slot at each access, while it is hostile.
struct Hostile {
    words: Vec<Word>,
    is_hostile: AtomicBool,
}

/// The ring begins behind the header and a place.
const ONLY_SLOT: usize = 96 + 16;

impl Memory for &Hostile {
    fn words(&self) -> &[Word] {
        if self.is_hostile.load(Relaxed) {
            // A word has one bit for the number of one of two cells, and then the turn.
            self.words[ONLY_SLOT].fetch_add(4 << 1, Relaxed);
        }
        &self.words
    }
}

#[test]
fn a_push_ends_however_fast_others_are() {
    let geometry = Geometry::new::<u64>(1, 1).unwrap();
    let words = (0..geometry.words()).map(|_| Word::new(0)).collect();
    let memory = Hostile { words, is_hostile: AtomicBool::new(false) };
    let queue = Queue::<u64, _>::create(&memory, geometry, 0).unwrap();
    let mut producer = queue.producer().unwrap();
    memory.is_hostile.store(true, Relaxed);
    assert_eq!(producer.push(7), Err(PushError::Contended(7)));
    memory.is_hostile.store(false, Relaxed);
    producer.push(7).unwrap();
}
