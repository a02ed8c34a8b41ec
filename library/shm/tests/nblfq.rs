//! A lock-free queue of small items, used by this process. `kill_nblfq.rs` uses several processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use aqueduct_shm::nblfq::{Geometry, Queue};
use aqueduct_shm::{AttachError, CapacityError, Expected, Memory, Mismatch, Pod, PopError, PushError, WaitError, Word};

const LONG: Duration = Duration::from_secs(60);

fn queue<T: Pod>(capacity: usize) -> Queue<T, Arc<[Word]>> {
    Queue::on_heap(capacity, 0).expect("a small queue")
}

#[test]
fn items_come_in_the_order_in_which_they_were_pushed() {
    for capacity in [1, 2, 3, 8, 13, 64] {
        let queue = queue::<u32>(capacity);
        let (producers, consumers) = ([queue.producer(), queue.producer()], [queue.consumer(), queue.consumer()]);
        let (mut pushed, mut popped) = (0, 0);
        for round in 0..20 {
            while producers[pushed as usize % 2].push(!pushed).is_ok() {
                pushed += 1;
            }
            assert!(producers[0].is_full() && producers[1].len() as u32 == pushed - popped);
            assert!(pushed - popped >= capacity as u32 && capacity == producers[0].capacity());
            assert_eq!(producers[0].push(9), Err(PushError::Full(9)));
            for _ in 0..=round % (capacity as u32) {
                assert_eq!(consumers[popped as usize % 2].pop(), Ok(!popped));
                popped += 1;
            }
        }
        while popped < pushed {
            assert_eq!(consumers[0].pop(), Ok(!popped));
            popped += 1;
        }
        assert!(consumers.iter().all(|consumer| consumer.is_empty() && consumer.pop() == Err(PopError::Empty)));
    }
}

/// All bits of an item are kept, whatever its size, also when the counter wraps.
fn all_bits<T: Pod + PartialEq + std::fmt::Debug>(items: [T; 4], rounds: usize) {
    let queue = queue::<T>(2);
    let (producer, consumer) = (queue.producer(), queue.consumer());
    for _ in 0..rounds {
        for item in items {
            producer.push(item).expect("there is room");
            assert_eq!(consumer.pop(), Ok(item));
        }
    }
    assert_eq!(producer.push_slice(&items), 2);
    let mut found = items;
    assert_eq!((consumer.pop_slice(&mut found[2..]), found[2], found[3]), (2, items[0], items[1]));
}

#[test]
fn items_have_all_of_their_bits() {
    all_bits([0_u8, 255, 128, 1], 1);
    all_bits([0_i16, -1, i16::MIN, i16::MAX], 1);
    all_bits([[0_u8; 3], [255; 3], [0, 0, 255], [1, 2, 3]], 1);
    all_bits([0.0_f32, -1.5, f32::MIN, f32::INFINITY], 1);
    all_bits([[0_u8; 5], [255; 5], [0, 0, 0, 0, 255], [1, 2, 3, 4, 5]], 1);
    // A turn of sixteen bits wraps after 32,768 laps of two slots.
    let rounds = if cfg!(miri) { 1 } else { 20_000 };
    all_bits([[0_u16; 3], [u16::MAX; 3], [0, 0, u16::MAX], [1, 2, 3]], rounds);
}

#[test]
fn threads_wait_and_are_woken() {
    let count = if cfg!(miri) { 5 } else { 20_000 };
    for (threads, capacity) in [(1, 2), (3, 2), (4, 64)] {
        let (queue, sum) = (queue::<u32>(capacity), AtomicU64::new(0));
        thread::scope(|scope| {
            for which in 0..threads {
                let (mut producer, mut consumer, sum) = (queue.producer(), queue.consumer(), &sum);
                scope.spawn(move || {
                    for number in 0..count {
                        if number % 5000 == 4999 {
                            thread::sleep(Duration::from_millis(5));
                        }
                        producer.push_wait(which << 16 | number, LONG).expect("consumers");
                    }
                });
                scope.spawn(move || {
                    for _ in 0..count {
                        let number = consumer.pop_wait(LONG).expect("producers");
                        sum.fetch_add(u64::from(number), Relaxed);
                    }
                });
            }
        });
        let of_one: u64 = (0..u64::from(count)).sum();
        let of_all: u64 = (0..u64::from(threads)).map(|which| (which << 16) * u64::from(count) + of_one).sum();
        assert_eq!(sum.into_inner(), of_all);
        assert_eq!(queue.consumer().pop_wait(LONG), Err(WaitError::Left));
    }
}

#[test]
fn another_queue_is_refused() {
    let memory = queue::<u32>(10).into_memory();
    let attach = |expected: &Expected| Queue::<u32, _>::attach(memory.clone(), expected).map(drop);
    let differ = |expected, found| Mismatch { expected, found };
    assert_eq!(attach(&Expected::new().places(0, 0).capacity(10).page(0)), Ok(()));
    assert_eq!(attach(&Expected::new().capacity(11)), Err(AttachError::Capacity(differ(11, 10))));
    assert_eq!(attach(&Expected::new().tag(1)), Err(AttachError::Tag(differ(1, 0))));
    let other = Queue::<f32, _>::attach(memory.clone(), &Expected::new()).map(drop);
    assert_eq!(other, Ok(()), "types of one size and alignment are told apart by the tag");
    let other = Queue::<u16, _>::attach(memory.clone(), &Expected::new()).unwrap_err();
    assert_eq!(other, AttachError::ItemSize(differ(2, 4)));
    let other = aqueduct_shm::items::Queue::<u32, _>::attach(memory.clone(), &Expected::new()).unwrap_err();
    assert_eq!(other, AttachError::Kind(differ(1, 6)));
    let short = Queue::<u32, _>::attach(&memory[..memory.len() - 1], &Expected::new()).map(drop).unwrap_err();
    assert_eq!(short, AttachError::TooSmall(differ(memory.len() as u64, memory.len() as u64 - 1)));
    // A header that was overwritten is refused, or stays within the memory.
    let mut refused = 0;
    for word in 3..14 {
        for value in [0, 1, 2, u64::MAX, u64::MAX / 2, 1 << 40] {
            let old = memory[word].swap(value, Relaxed);
            match Queue::<u32, _>::attach(memory.clone(), &Expected::new()) {
                Ok(found) => assert!(found.geometry().words() <= memory.len(), "word {word}, {value}"),
                Err(_) => refused += 1,
            }
            memory[word].store(old, Relaxed);
        }
    }
    assert!(refused > 30, "{refused}");
}

#[test]
fn a_queue_has_room() {
    assert_eq!(Geometry::new(0).unwrap_err(), CapacityError::Zero);
    assert_eq!(Geometry::new(usize::MAX).unwrap_err(), CapacityError::TooLarge);
    let geometry = Geometry::new(100).unwrap();
    assert_eq!((geometry.capacity(), geometry.bytes()), (100, 8 * (96 + 100)));
    let memory: Vec<Word> = (0..geometry.words() - 1).map(|_| Word::new(0)).collect();
    assert_eq!(Queue::<u8, _>::create(&memory[..], geometry, 0).map(drop).unwrap_err(), CapacityError::TooLarge);
    assert_eq!(queue::<[u16; 3]>(1024).operations_until_wrap(), 33_552_386);
    assert_eq!(queue::<u32>(1024).operations_until_wrap(), 2_199_023_253_506);
}

#[test]
fn a_ring_that_no_queue_can_have_is_told() {
    let queue = queue::<u32>(4);
    let words = queue.memory().words();
    let (producer, consumer) = (queue.producer(), queue.consumer());
    producer.push(7).unwrap();
    // The ring begins behind the header. Its turns are far apart, and no slot's turn is due.
    let ring: Vec<u64> = words[96..].iter().map(|word| word.load(Relaxed)).collect();
    for (word, turn) in words[96..].iter().zip([10, 40, 80, 120]) {
        word.store(turn << 32, Relaxed);
    }
    assert_eq!(producer.push(8), Err(PushError::Damaged(8)));
    assert_eq!(consumer.pop(), Err(PopError::Damaged));
    assert_eq!(queue.consumer().pop_wait(LONG), Err(WaitError::Damaged));
    words[96..].iter().zip(ring).for_each(|(word, sound)| word.store(sound, Relaxed));
    // Any hint is right.
    for hint in [0, 1, 2, 3, 4, u64::MAX] {
        words[16].store(hint, Relaxed);
        words[32].store(hint, Relaxed);
        producer.push(8).unwrap();
        assert_eq!((consumer.pop(), consumer.pop()), (Ok(7), Ok(8)));
        producer.push(7).unwrap();
    }
}
