//! Records of all lengths, in memory that the caller provides.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use aqueduct_shm::records::{Geometry, Queue};
use aqueduct_shm::{AttachError, CapacityError, ClaimError, Expected, PopError, RecordError, WaitError, Word};

mod common;
use common::Random;

fn heap(words: usize) -> Arc<[Word]> {
    (0..words).map(|_| Word::new(0)).collect()
}

/// A record's bytes look like heads: stale bytes must not be taken for a record.
fn record(number: u64, len: usize) -> Vec<u8> {
    (0..len).map(|at| if at % 8 == 0 { (number % 40) as u8 } else { 0 }).collect()
}

fn behaves_as_a_queue(bytes: usize) {
    let queue = Queue::on_heap(bytes, 0).expect("it is small");
    let (mut producer, mut consumer) = (queue.producer().unwrap(), queue.consumer().unwrap());
    let (mut model, mut random, mut next) = (VecDeque::new(), Random(bytes as u64), 0);
    let used =
        |model: &VecDeque<Vec<u8>>| model.iter().map(|record| 8 + record.len().next_multiple_of(8)).sum::<usize>();
    let mut buffer = vec![0; queue.max_len()];
    for _ in 0..if cfg!(miri) { 100 } else { 8000 } {
        match random.below(10) {
            0 => {
                drop(producer);
                producer = queue.producer().unwrap();
            }
            1 => {
                drop(consumer);
                consumer = queue.consumer().unwrap();
            }
            2 => {
                std::mem::forget((producer, consumer));
                assert!(matches!(queue.consumer().unwrap_err(), ClaimError::Taken { .. }));
                (producer, consumer) = (queue.replace_producer(5).unwrap(), queue.replace_consumer(6).unwrap());
                assert_eq!((queue.producers_owner(), queue.consumers_owner()), (5, 6));
            }
            3..6 => {
                let len = random.below(queue.max_len() as u64 + 1) as usize;
                let len = if random.below(2) == 0 { len } else { len % 20 };
                let record = record(next, len.min(queue.max_len()));
                let pushed = match random.below(3) {
                    0 => {
                        // A record in pieces, after a dropped grant.
                        let longest = (record.len() + random.below(9) as usize).min(queue.max_len());
                        if let Ok(mut grant) = producer.reserve(longest) {
                            grant.write(&[0xff; 9]);
                        }
                        producer.reserve(longest).map(|mut grant| {
                            for piece in record.chunks(1 + random.below(20) as usize) {
                                assert_eq!(grant.write(piece), piece.len());
                            }
                            assert!(grant.written() == record.len() && grant.capacity() == longest);
                            grant.commit();
                        })
                    }
                    _ => producer.push(&record),
                };
                match pushed {
                    Ok(()) => model.push_back(record),
                    Err(why) => {
                        assert_eq!(why, RecordError::Full);
                        assert!(used(&model) + 8 + (record.len() + 8).next_multiple_of(8) > bytes);
                    }
                }
                next += 1;
            }
            6 => {
                let found = consumer.pop(&mut buffer).map(|len| buffer[..len].to_vec());
                assert_eq!(found, model.pop_front().ok_or(PopError::Empty));
            }
            7 => {
                let small = (random.below(30) as usize).min(buffer.len());
                let found = consumer.pop(&mut buffer[..small]).map(|len| buffer[..len].to_vec());
                match model.front().map(Vec::len) {
                    None => assert_eq!(found, Err(PopError::Empty)),
                    Some(len) if len > small => assert_eq!(found, Err(PopError::TooLong { len })),
                    Some(_) => assert_eq!(found.ok(), model.pop_front()),
                }
            }
            8 => assert_eq!(consumer.pop_vec(), model.pop_front().ok_or(PopError::Empty)),
            _ => {
                let is_over = model.is_empty();
                match consumer.peek() {
                    Err(why) => assert!(is_over && why == PopError::Empty),
                    Ok(found) => {
                        assert_eq!((found.len(), found.is_empty()), (model[0].len(), model[0].is_empty()));
                        assert_eq!(found.to_vec(), model[0]);
                        let mut start = [0xff; 3];
                        let len = found.copy(&mut start);
                        assert_eq!(start[..len], model[0][..len]);
                        if random.below(2) == 0 {
                            found.release();
                            model.pop_front();
                        }
                    }
                }
            }
        }
        assert_eq!(consumer.is_empty(), model.is_empty());
    }
}

#[test]
fn records_of_all_lengths_come_out_as_they_went_in() {
    for &bytes in if cfg!(miri) { &[9, 200][..] } else { &[9, 16, 64, 200, 5000] } {
        behaves_as_a_queue(bytes);
    }
}

#[test]
fn lengths_without_a_queue_are_refused() {
    assert_eq!(Geometry::new(0).unwrap_err(), CapacityError::Zero);
    assert_eq!(Geometry::new(8).unwrap_err(), CapacityError::Zero);
    assert_eq!(Geometry::new(usize::MAX).unwrap_err(), CapacityError::TooLarge);
    let queue = Queue::on_heap(64, 0).unwrap();
    assert_eq!(queue.max_len(), 56);
    let mut producer = queue.producer().unwrap();
    assert_eq!(producer.push(&[0; 57]), Err(RecordError::TooLong { longest: 56 }));
    assert_eq!(producer.push(&[0; 56]), Ok(()));
    assert_eq!(producer.push(&[0; 1 << 20]), Err(RecordError::TooLong { longest: 56 }));
    let mut consumer = queue.consumer().unwrap();
    assert_eq!(consumer.pop_wait(&mut [0; 5], Duration::ZERO), Err(WaitError::TooLong { longest: 5 }));
    assert_eq!(consumer.pop_wait(&mut [0; 56], Duration::ZERO), Ok(56));
    let why = producer.push_wait(&[0; 57], Duration::ZERO).unwrap_err();
    assert_eq!(why, WaitError::TooLong { longest: 56 });
}

#[test]
fn a_ring_that_contradicts_itself_is_refused() {
    for (word, value) in [(5, 1 << 40), (5, 8), (6, 2), (7, 3), (7, 0), (8, 0), (8, u64::MAX)] {
        let geometry = Geometry::new(100).unwrap();
        let memory = Queue::create(heap(2 * geometry.words()), geometry, 0).unwrap().into_memory();
        assert!(Queue::attach(memory.clone(), &Expected::new().capacity(100)).is_ok());
        memory[word].store(value, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(Queue::attach(memory, &Expected::new()).unwrap_err(), AttachError::Geometry, "{word}");
    }
}

#[test]
fn threads_wait_for_each_other() {
    let count = if cfg!(miri) { 100 } else { 50_000 };
    for bytes in [64, 5000] {
        let queue = Queue::on_heap(bytes, 0).unwrap();
        let (mut producer, mut consumer) = (queue.producer().unwrap(), queue.consumer().unwrap());
        let longest = queue.max_len();
        let len = |number: u64| number as usize * 13 % (longest.min(100) + 1);
        let long = Duration::from_secs(60);
        thread::scope(|scope| {
            scope.spawn(move || {
                for number in 0..count {
                    producer.push_wait(&record(number, len(number)), long).expect("a consumer");
                }
            });
            let mut buffer = vec![0; longest];
            for number in 0..count {
                let found = consumer.pop_wait(&mut buffer, long).expect("a producer");
                assert_eq!(buffer[..found], record(number, len(number)));
            }
        });
    }
}
