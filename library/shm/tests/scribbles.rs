//! Memory that another thread overwrites: operations end, fail or return arbitrary bytes, and
//! access no other memory.
//!
//! The memory is part of a larger one, whose other words must stay as they are.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use aqueduct_shm::{Expected, Peer, PopError, PushError, RecordError, Word, drop_old, items, mpmc, nblfq, records};

mod common;
use common::{Random, amount};

/// Words around the memory.
const MARGIN: usize = 64;
const UNTOUCHED: u64 = 0x5a5a_5a5a_5a5a_5a5a;

/// Values that an attacker would write.
fn value(random: &mut Random, old: u64) -> u64 {
    match random.below(8) {
        0 => 0,
        1 => u64::MAX,
        2 => random.below(300),
        3 => old ^ 1 << random.below(64),
        4 => old.wrapping_add(random.below(40)).wrapping_sub(20),
        5 => u64::MAX / 2 - random.below(3),
        6 => random.below(64) | random.below(1 << 16) << 32,
        _ => random.next(),
    }
}

fn scribble(memory: &[Word], random: &mut Random) {
    // Half of the time in the header and the first words of the ring.
    let limit = if random.below(2) == 0 { 112.min(memory.len()) } else { memory.len() };
    let word = &memory[random.below(limit as u64) as usize];
    word.store(value(random, word.load(Relaxed)), Relaxed);
}

/// The outcomes seen, so that a test can assert that it has seen all.
#[derive(Default, Debug)]
struct Seen {
    attached: u64,
    refused: u64,
    damaged: u64,
    moved: u64,
}

/// Uses a queue of items for a while. The memory has a sound header, unless it is overwritten.
fn items<T: aqueduct_shm::Pod + Default>(memory: &[Word], random: &mut Random, seen: &mut Seen) {
    let Ok(queue) = items::Queue::<T, _>::attach(memory, &Expected::new()) else {
        seen.refused += 1;
        return;
    };
    let (Ok(mut producer), Ok(mut consumer)) = (queue.replace_producer(1), queue.replace_consumer(2)) else {
        seen.refused += 1;
        return;
    };
    seen.attached += 1;
    let mut slice = [T::default(); 20];
    for _ in 0..random.below(60) {
        match random.below(6) {
            0 => seen.moved += producer.push_slice(&slice[..random.below(20) as usize]) as u64,
            1 => seen.moved += consumer.pop_slice(&mut slice) as u64,
            2 => match producer.push(T::default()) {
                Err(PushError::Damaged(_)) => seen.damaged += 1,
                _ => seen.moved += 1,
            },
            3 => match consumer.pop() {
                Err(PopError::Damaged) => seen.damaged += 1,
                _ => seen.moved += 1,
            },
            4 => {
                let _ = (consumer.peek(), consumer.release(), producer.len(), consumer.is_empty());
                let _ = (producer.peer(), consumer.peer());
            }
            _ => scribble(memory, random),
        }
    }
}

fn records(memory: &[Word], random: &mut Random, seen: &mut Seen) {
    let Ok(queue) = records::Queue::attach(memory, &Expected::new()) else {
        seen.refused += 1;
        return;
    };
    let (Ok(mut producer), Ok(mut consumer)) = (queue.replace_producer(1), queue.replace_consumer(2)) else {
        seen.refused += 1;
        return;
    };
    seen.attached += 1;
    let mut buffer = [0; 200];
    for _ in 0..random.below(60) {
        match random.below(4) {
            0 => match producer.push(&buffer[..random.below(200) as usize]) {
                Err(RecordError::Damaged) => seen.damaged += 1,
                _ => seen.moved += 1,
            },
            1 => match consumer.pop(&mut buffer) {
                Err(PopError::Damaged) => seen.damaged += 1,
                _ => seen.moved += 1,
            },
            2 => match consumer.peek() {
                Ok(record) => {
                    assert!(record.to_vec().len() <= 8 * memory.len());
                    record.release();
                }
                Err(_) => assert!(!queue.memory().is_empty() && producer.peer() != Peer::Alive),
            },
            _ => scribble(memory, random),
        }
    }
}

/// Uses a queue of many producers and consumers, with two handles of each side, one of which is
/// sometimes replaced.
fn many<T: aqueduct_shm::Pod + Default>(memory: &[Word], random: &mut Random, seen: &mut Seen) {
    let Ok(queue) = mpmc::Queue::<T, _>::attach(memory, &Expected::new()) else {
        seen.refused += 1;
        return;
    };
    let geometry = queue.geometry();
    let pick = |random: &mut Random, places: usize| random.below(places.min(3) as u64) as usize;
    let handles = [(); 2].map(|()| {
        let places = [geometry.producers(), geometry.consumers()].map(|places| pick(random, places));
        Some((queue.replace_producer(places[0], 1).ok()?, queue.replace_consumer(places[1], 2).ok()?))
    });
    let [Some(first), Some(second)] = handles else {
        seen.refused += 1;
        return;
    };
    seen.attached += 1;
    let (mut producers, mut consumers) = ([first.0, second.0], [first.1, second.1]);
    for _ in 0..random.below(60) {
        let which = random.below(2) as usize;
        match random.below(6) {
            0 | 1 => match producers[which].push(T::default()) {
                Err(PushError::Damaged(_)) => seen.damaged += 1,
                _ => seen.moved += 1,
            },
            2 | 3 => match consumers[which].pop() {
                Err(PopError::Damaged) => seen.damaged += 1,
                _ => seen.moved += 1,
            },
            4 => {
                let _ = (consumers[which].peek(), consumers[which].is_empty(), producers[which].is_full());
                let _ = (consumers[which].release(), producers[which].len(), queue.may_hold(0));
                let _ = (consumers[which].peer(), producers[which].peer());
                producers[which].wake();
            }
            _ => scribble(memory, random),
        }
    }
}

/// Uses a queue that overwrites the oldest items, with two producers, one of which is sometimes
/// replaced.
fn overwritten<T: aqueduct_shm::Pod + Default>(memory: &[Word], random: &mut Random, seen: &mut Seen) {
    let Ok(queue) = drop_old::Queue::<T, _>::attach(memory, &Expected::new()) else {
        seen.refused += 1;
        return;
    };
    let producers = [(); 2].map(|()| {
        let place = random.below(queue.geometry().producers().min(3) as u64) as usize;
        queue.replace_producer(place, 1)
    });
    let ([Ok(first), Ok(second)], Ok(mut reader)) = (producers, queue.reader()) else {
        seen.refused += 1;
        return;
    };
    seen.attached += 1;
    let mut producers = [first, second];
    for _ in 0..random.below(60) {
        let which = random.below(2) as usize;
        match random.below(6) {
            0 | 1 => match producers[which].push(T::default()) {
                Err(PushError::Damaged(_)) => seen.damaged += 1,
                _ => seen.moved += 1,
            },
            2 | 3 => match reader.read() {
                Err(PopError::Damaged) => seen.damaged += 1,
                _ => seen.moved += 1,
            },
            4 => {
                assert!(reader.lost() < u64::MAX / 2 && reader.peer() != Peer::Alive);
                let _ = (reader.is_empty(), reader.arm(), queue.reader().is_ok());
                producers[which].wake();
            }
            _ => scribble(memory, random),
        }
    }
}

/// Uses a queue that overwrites the oldest records, with a producer that is sometimes replaced.
fn overwritten_records(memory: &[Word], random: &mut Random, seen: &mut Seen) {
    let Ok(queue) = drop_old::records::Queue::attach(memory, &Expected::new()) else {
        seen.refused += 1;
        return;
    };
    let (Ok(mut producer), Ok(mut reader)) = (queue.replace_producer(1), queue.reader()) else {
        seen.refused += 1;
        return;
    };
    seen.attached += 1;
    let mut buffer = [0; 200];
    for _ in 0..random.below(60) {
        let len = random.below(200) as usize;
        match random.below(7) {
            0 | 1 => match producer.push(&buffer[..len]) {
                Err(RecordError::Damaged) => seen.damaged += 1,
                _ => seen.moved += 1,
            },
            2 | 3 => match reader.read(&mut buffer[..len]) {
                Err(PopError::Damaged) => seen.damaged += 1,
                _ => seen.moved += 1,
            },
            4 => match reader.read_vec() {
                Ok(bytes) => assert!(bytes.len() <= queue.max_len()),
                Err(_) => assert!(reader.lost() <= u64::MAX / 2),
            },
            5 => {
                if let Ok(mut grant) = producer.reserve(len) {
                    grant.write(&buffer[..len / 3]);
                    scribble(memory, random);
                    grant.write(&buffer[..len / 2]);
                    grant.commit();
                }
                let _ = (reader.is_empty(), reader.arm(), queue.reader().is_ok(), reader.peer());
                producer.wake();
            }
            _ => scribble(memory, random),
        }
    }
}

/// Uses a lock-free queue.
fn lock_free<T: aqueduct_shm::Pod + Default>(memory: &[Word], random: &mut Random, seen: &mut Seen) {
    let Ok(queue) = nblfq::Queue::<T, _>::attach(memory, &Expected::new()) else {
        seen.refused += 1;
        return;
    };
    seen.attached += 1;
    let (producer, consumer) = (queue.producer(), queue.consumer());
    for _ in 0..random.below(60) {
        match random.below(6) {
            0 | 1 => match producer.push(T::default()) {
                Err(PushError::Damaged(_)) => seen.damaged += 1,
                _ => seen.moved += 1,
            },
            2 | 3 => match consumer.pop() {
                Err(PopError::Damaged) => seen.damaged += 1,
                _ => seen.moved += 1,
            },
            4 => {
                let _ = (producer.is_full(), consumer.is_empty(), producer.len(), consumer.arm());
                let _ = (producer.peer(), consumer.peer());
                producer.wake();
            }
            _ => scribble(memory, random),
        }
    }
}

/// Runs `work` on memories that this thread and another one overwrite.
fn fuzz(words: usize, create: impl Fn(&[Word]), work: impl Fn(&[Word], &mut Random, &mut Seen)) -> Seen {
    let rounds = amount("AQUEDUCT_FUZZ_ROUNDS", if cfg!(miri) { 30 } else { 20_000 }, 250_000);
    let all: Vec<Word> = (0..words + 2 * MARGIN).map(|_| Word::new(UNTOUCHED)).collect();
    let memory = &all[MARGIN..MARGIN + words];
    let (mut random, mut seen) = (Random(11), Seen::default());
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = Random(12);
            while !is_over.load(Relaxed) {
                (0..random.below(4)).for_each(|_| scribble(memory, &mut random));
                // In the pauses, the queue works.
                (0..random.below(2000)).for_each(|_| std::hint::spin_loop());
                thread::yield_now();
            }
        });
        // The other thread ends even if this one fails.
        let result = catch_unwind(AssertUnwindSafe(|| {
            for round in 0..rounds {
                if round % 8 == 0 {
                    create(memory);
                }
                work(memory, &mut random, &mut seen);
            }
        }));
        is_over.store(true, Relaxed);
        result.expect("nothing panics");
    });
    let around = all[..MARGIN].iter().chain(&all[MARGIN + words..]);
    assert!(around.into_iter().all(|word| word.load(Relaxed) == UNTOUCHED), "something else was overwritten");
    if !cfg!(miri) {
        assert!(seen.attached > 100 && seen.refused > 100 && seen.damaged > 10 && seen.moved > 1000, "{seen:?}");
    }
    seen
}

#[test]
fn items_in_memory_that_is_overwritten() {
    let geometry = items::Geometry::new::<u64>(20).unwrap();
    let create = |memory: &[Word]| assert!(items::Queue::<u64, _>::create(memory, geometry, 0).is_ok());
    fuzz(geometry.words(), create, items::<u64>);
    let geometry = items::Geometry::new::<[u8; 29]>(20).unwrap();
    let create = |memory: &[Word]| assert!(items::Queue::<[u8; 29], _>::create(memory, geometry, 0).is_ok());
    fuzz(geometry.words(), create, items::<[u8; 29]>);
}

#[test]
fn records_in_memory_that_is_overwritten() {
    let geometry = records::Geometry::new(400).unwrap();
    let create = |memory: &[Word]| assert!(records::Queue::create(memory, geometry, 0).is_ok());
    fuzz(geometry.words(), create, records);
}

#[test]
fn a_queue_of_many_in_memory_that_is_overwritten() {
    let geometry = mpmc::Geometry::new::<u64>(2, 2, 20).unwrap();
    let create = |memory: &[Word]| assert!(mpmc::Queue::<u64, _>::create(memory, geometry, 0).is_ok());
    fuzz(geometry.words(), create, many::<u64>);
    let geometry = mpmc::Geometry::new::<[u8; 29]>(1, 3, 1).unwrap();
    let create = |memory: &[Word]| assert!(mpmc::Queue::<[u8; 29], _>::create(memory, geometry, 0).is_ok());
    fuzz(geometry.words(), create, many::<[u8; 29]>);
}

#[test]
fn a_queue_whose_items_are_overwritten_in_memory_that_is_overwritten() {
    let geometry = drop_old::Geometry::new::<u64>(2, 20).unwrap();
    let create = |memory: &[Word]| assert!(drop_old::Queue::<u64, _>::create(memory, geometry, 0).is_ok());
    fuzz(geometry.words(), create, overwritten::<u64>);
    let geometry = drop_old::Geometry::new::<[u8; 29]>(1, 1).unwrap();
    let create = |memory: &[Word]| assert!(drop_old::Queue::<[u8; 29], _>::create(memory, geometry, 0).is_ok());
    fuzz(geometry.words(), create, overwritten::<[u8; 29]>);
}

#[test]
fn records_that_are_overwritten_in_memory_that_is_overwritten() {
    for bytes in [24, 400] {
        let geometry = drop_old::records::Geometry::new(bytes).unwrap();
        let create = |memory: &[Word]| assert!(drop_old::records::Queue::create(memory, geometry, 0).is_ok());
        fuzz(geometry.words(), create, overwritten_records);
    }
}

#[test]
fn a_lock_free_queue_in_memory_that_is_overwritten() {
    for slots in [2, 20] {
        let geometry = nblfq::Geometry::new(slots).unwrap();
        let create = |memory: &[Word]| assert!(nblfq::Queue::<u32, _>::create(memory, geometry, 0).is_ok());
        fuzz(geometry.words(), create, lock_free::<u32>);
        let create = |memory: &[Word]| assert!(nblfq::Queue::<[u8; 5], _>::create(memory, geometry, 0).is_ok());
        fuzz(geometry.words(), create, lock_free::<[u8; 5]>);
    }
}
