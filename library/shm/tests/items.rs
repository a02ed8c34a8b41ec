//! Items of all sizes, in memory that the caller provides.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use aqueduct_shm::items::{Consumer, Geometry, Producer, Queue};
use aqueduct_shm::{
    AttachError, CapacityError, ClaimError, Expected, Memory, Mismatch, Peer, Pod, PopError, PushError, WaitError, Word,
};

mod common;
use common::Random;

type Heap = Arc<[Word]>;

fn heap(words: usize) -> Heap {
    (0..words).map(|_| Word::new(0)).collect()
}

fn item<const N: usize>(number: u64) -> [u8; N] {
    std::array::from_fn(|at| (number.wrapping_mul(31) + at as u64 * 7) as u8)
}

/// Compares a queue with a model: pushes and pops, one by one and in slices, by handles that are
/// sometimes replaced.
fn behaves_as_a_queue<const N: usize>(capacity: usize) {
    let queue = Queue::<[u8; N], _>::on_heap(capacity, 0).expect("it is small");
    let (mut producer, mut consumer) = (queue.producer().unwrap(), queue.consumer().unwrap());
    let (mut model, mut random, mut next) = (VecDeque::new(), Random(7 + N as u64), 0);
    let most = queue.geometry().words();
    for _ in 0..if cfg!(miri) { 40 } else { 4000 } {
        let count = random.below(2 * capacity as u64 + 2) as usize;
        match random.below(8) {
            0 => {
                drop(producer);
                producer = queue.producer().unwrap();
            }
            1 => {
                drop(consumer);
                consumer = queue.consumer().unwrap();
            }
            // A forgotten handle leaves its number in the memory, as that of a dead process does.
            2 => {
                std::mem::forget(producer);
                assert_eq!(queue.producer().unwrap_err(), ClaimError::Taken { owner: queue.producers_owner() });
                producer = queue.replace_producer(5).unwrap();
                std::mem::forget(consumer);
                consumer = queue.replace_consumer(6).unwrap();
                assert_eq!((queue.producers_owner(), queue.consumers_owner()), (5, 6));
            }
            3 => {
                let items: Vec<_> = (next..).take(count).map(item::<N>).collect();
                let pushed = producer.push_slice(&items);
                assert!(pushed == count || model.len() + pushed >= capacity);
                model.extend(&items[..pushed]);
                next += pushed as u64;
            }
            4 => {
                let mut items = vec![[0; N]; count];
                let popped = consumer.pop_slice(&mut items);
                assert_eq!(popped, count.min(model.len()));
                assert!(items[..popped].iter().eq(model.drain(..popped).collect::<Vec<_>>().iter()));
            }
            5 => {
                let found = consumer.peek();
                assert_eq!(found, model.front().copied().ok_or(PopError::Empty));
                if random.below(2) == 0 {
                    assert_eq!(consumer.release(), model.pop_front().is_some());
                }
            }
            6 => match producer.push(item(next)) {
                Ok(()) => {
                    model.push_back(item(next));
                    next += 1;
                }
                Err(why) => {
                    assert!(why == PushError::Full(item(next)) && model.len() >= capacity);
                }
            },
            _ => assert_eq!(consumer.pop(), model.pop_front().ok_or(PopError::Empty)),
        }
        assert_eq!((producer.len(), consumer.is_empty()), (model.len(), model.is_empty()));
        assert_eq!((producer.pushed(), consumer.popped()), (next, next - model.len() as u64));
        assert!(model.len() * N <= most * 8);
    }
    assert!(next > 0);
}

#[test]
fn items_of_all_sizes_come_out_as_they_went_in() {
    // Miri takes a thousand times as long.
    for &capacity in if cfg!(miri) { &[2][..] } else { &[1, 2, 5, 100] } {
        behaves_as_a_queue::<1>(capacity);
        behaves_as_a_queue::<4>(capacity);
        behaves_as_a_queue::<8>(capacity);
        behaves_as_a_queue::<13>(capacity);
        behaves_as_a_queue::<64>(capacity);
        behaves_as_a_queue::<250>(capacity);
        behaves_as_a_queue::<1000>(capacity);
    }
}

#[test]
fn capacities_without_a_queue_are_refused() {
    assert_eq!(Geometry::new::<u64>(0).unwrap_err(), CapacityError::Zero);
    assert_eq!(Geometry::new::<[u64; 0]>(1).unwrap_err(), CapacityError::Zero);
    assert_eq!(Geometry::new::<u64>(usize::MAX).unwrap_err(), CapacityError::TooLarge);
    assert_eq!(Geometry::new::<[u64; 9]>(usize::MAX / 64).unwrap_err(), CapacityError::TooLarge);
    let geometry = Geometry::new::<u64>(10).unwrap();
    let created = Queue::<u64, _>::create(heap(geometry.words() - 1), geometry, 0);
    assert_eq!(created.unwrap_err(), CapacityError::TooLarge);
}

#[test]
fn a_static_buffer_has_a_queue() {
    static MEMORY: [Word; 256] = [const { Word::new(0) }; 256];
    let geometry = Geometry::new::<u64>(50).unwrap();
    let queue = Queue::<u64, _>::create(&MEMORY[..], geometry, 3).unwrap();
    let other = Queue::<u64, _>::attach(&MEMORY[..], &Expected::new().tag(3).capacity(50)).unwrap();
    let (mut producer, mut consumer) = (queue.producer().unwrap(), other.consumer().unwrap());
    producer.push(9).unwrap();
    assert_eq!(consumer.pop(), Ok(9));
    assert_eq!((producer.peer(), consumer.peer()), (Peer::Unknown, Peer::Unknown));
    drop(producer);
    assert_eq!(consumer.peer(), Peer::Left);
}

/// Makes a queue of `T`, changes a word of its memory, and returns the error of attaching.
fn refused<T: Pod>(word: usize, value: u64, expected: &Expected) -> (AttachError, String) {
    let geometry = Geometry::new::<u32>(10).unwrap();
    let memory = Queue::<u32, _>::create(heap(geometry.words()), geometry, 7).unwrap().into_memory();
    memory[word].store(value, std::sync::atomic::Ordering::Relaxed);
    let error = Queue::<T, _>::attach(memory, expected).unwrap_err();
    (error, error.to_string())
}

#[test]
fn each_mismatch_has_its_error_and_its_sentence() {
    let expected = Expected::new().tag(7);
    let magic = u64::from_ne_bytes(*b"AQUEDUCT");
    let of = |expected, found| Mismatch { expected, found };
    let table = [
        (refused::<u32>(0, 0, &expected), AttachError::Unfinished, "try again"),
        (refused::<u32>(0, magic.swap_bytes(), &expected), AttachError::ByteOrder, "byte order"),
        (refused::<u32>(0, 1, &expected), AttachError::NotAQueue(of(magic, 1)), "begins with 0x1"),
        (refused::<u32>(1, 9, &expected), AttachError::Version(of(3, 9)), "version 9, and 3"),
        (refused::<u32>(2, 2, &expected), AttachError::Kind(of(1, 2)), "kind 2, and 1"),
        (refused::<u16>(3, 4, &expected), AttachError::ItemSize(of(2, 4)), "size of an item is 4, and 2"),
        (refused::<[u8; 4]>(3, 4, &expected), AttachError::ItemAlign(of(1, 4)), "alignment of an item is 4"),
        (refused::<u32>(9, 128, &expected), AttachError::LineSize(of(64, 128)), "cache line is 128, and 64"),
        (refused::<u32>(10, 0, &expected.page(4096)), AttachError::PageSize(of(4096, 0)), "page is 0, and 4096"),
        (refused::<u32>(11, 7, &Expected::new()), AttachError::Tag(of(0, 7)), "tag is 7, and 0"),
        (refused::<u32>(11, 7, &expected.capacity(5)), AttachError::Capacity(of(5, 10)), "capacity is 10, and 5"),
        // Sizes of the ring.
        (refused::<u32>(5, 1 << 40, &expected), AttachError::Geometry, "contradict"),
        (refused::<u32>(5, 0, &expected), AttachError::Geometry, "contradict"),
        (refused::<u32>(6, 0, &expected), AttachError::Geometry, "contradict"),
        (refused::<u32>(6, 1, &expected), AttachError::Geometry, "contradict"),
        (refused::<u32>(7, u64::MAX, &expected), AttachError::Geometry, "contradict"),
        (refused::<u32>(8, 0, &expected), AttachError::Geometry, "contradict"),
        (refused::<u32>(8, u64::MAX, &expected), AttachError::Geometry, "contradict"),
    ];
    for ((found, sentence), expected, part) in table {
        assert_eq!(found, expected);
        assert!(sentence.contains(part), "{sentence}");
    }
    assert!(matches!(refused::<u32>(7, 100, &expected).0, AttachError::TooSmall(_)));
    let attached = Queue::<u32, _>::attach(heap(50), &expected);
    assert_eq!(attached.unwrap_err(), AttachError::TooSmall(of(96, 50)));
}

fn threads(capacity: usize, count: u64) {
    let queue = Queue::<u64, _>::on_heap(capacity, 0).unwrap();
    let (mut producer, mut consumer) = (queue.producer().unwrap(), queue.consumer().unwrap());
    let long = Duration::from_secs(60);
    thread::scope(|scope| {
        scope.spawn(move || (0..count).for_each(|number| producer.push_wait(number, long).expect("a consumer")));
        (0..count).for_each(|number| assert_eq!(consumer.pop_wait(long), Ok(number)));
        assert_eq!(consumer.pop_wait(long), Err(WaitError::Left));
    });
}

#[test]
fn threads_wait_for_each_other() {
    let count = if cfg!(miri) { 200 } else { 100_000 };
    threads(1, count / 20);
    threads(100, count);
}

#[test]
fn handles_go_to_other_threads() {
    fn is_send<T: Send>() {}
    is_send::<Producer<u64, Heap>>();
    is_send::<Consumer<u64, Heap>>();
    fn is_sync<T: Sync>() {}
    is_sync::<Queue<u64, Heap>>();
    let memory: &dyn Memory = &heap(1);
    assert_eq!(memory.words().len(), 1);
}
