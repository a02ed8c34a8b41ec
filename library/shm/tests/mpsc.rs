//! Many producers in this process. `kill.rs` uses several processes.

#![cfg(target_os = "linux")]

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use aqueduct_shm::mpsc::Queue;
use aqueduct_shm::{AttachError, CapacityError, OpenError, Peer, PlaceError, PopError, PushError, Region, WaitError};

const LONG: Duration = Duration::from_secs(60);

fn queue(lanes: usize, capacity: usize) -> (Region, Queue<[u64; 2]>) {
    let bytes = Queue::<[u64; 2]>::bytes(lanes, capacity).expect("a small queue");
    let region = Region::anonymous("aqueduct test", bytes).expect("a region");
    let queue = Queue::in_region(region.clone(), lanes, capacity, 0).expect("room");
    (region, queue)
}

/// Checks that each producer's numbers come in order.
#[derive(Default)]
struct Orders(HashMap<u64, u64>);

impl Orders {
    fn see(&mut self, [producer, number]: [u64; 2]) {
        let next = self.0.entry(producer).or_default();
        assert_eq!(number, *next, "of producer {producer}");
        *next += 1;
    }
}

#[test]
fn each_producer_has_its_order_and_none_starves() {
    let (_region, queue) = queue(3, 10);
    let mut producers = [(); 3].map(|()| queue.take_producer().unwrap());
    assert!(matches!(queue.take_producer(), Err(PlaceError::Held)));
    let mut consumer = queue.take_consumer().unwrap();
    assert!(matches!(queue.take_consumer(), Err(PlaceError::Held)));
    assert_eq!((consumer.pop(), consumer.is_empty()), (Err(PopError::Empty), true));
    assert!(consumer.lanes().iter().all(|lane| lane.peer() == Peer::Alive));
    let (mut orders, mut next) = (Orders::default(), [0; 3]);
    let mut fill = |which: usize| {
        while producers[which].push([which as u64, next[which]]).is_ok() {
            next[which] += 1;
        }
        assert!(matches!(producers[which].push([9, 9]), Err(PushError::Full([9, 9]))));
    };
    (0..3).for_each(&mut fill);
    // A lane that is always full does not starve the others.
    let mut pops = [0; 3];
    for _ in 0..90 {
        let item = consumer.pop().unwrap();
        pops[item[0] as usize] += 1;
        orders.see(item);
        fill(0);
    }
    assert!(pops.iter().all(|pops| *pops >= 10), "{pops:?}");
    let mut items = [[0; 2]; 7];
    loop {
        let count = consumer.pop_slice(&mut items);
        items[..count].iter().for_each(|item| orders.see(*item));
        if count == 0 {
            break;
        }
    }
    assert!((0..3).all(|which| orders.0[&which] == next[which as usize]));
    drop(producers);
    assert!(consumer.lanes().iter().all(|lane| lane.peer() == Peer::Left));
    assert_eq!(queue.lanes(), 3);
}

#[test]
fn what_was_peeked_at_comes_again_until_it_is_released() {
    let (_region, queue) = queue(2, 40);
    let mut producers = [(); 2].map(|()| queue.take_producer().unwrap());
    let mut consumer = queue.take_consumer().unwrap();
    assert_eq!((consumer.peek(), consumer.release()), (Err(PopError::Empty), false));
    for number in 0..40 {
        (0..2).for_each(|which: u64| producers[which as usize].push([which, number]).unwrap());
    }
    let (mut orders, mut pops) = (Orders::default(), [0; 2]);
    for number in 0..80 {
        let item = consumer.peek().unwrap();
        assert_eq!(consumer.peek(), Ok(item), "it stays");
        if number % 3 == 0 {
            // The next consumer starts with the item of the same lane, or of another one.
            drop(consumer);
            consumer = queue.take_consumer().unwrap();
        }
        let item = consumer.peek().unwrap();
        if number % 2 == 0 {
            assert!(consumer.release())
        } else {
            assert_eq!(consumer.pop(), Ok(item))
        }
        orders.see(item);
        pops[item[0] as usize] += 1;
    }
    assert_eq!((pops, consumer.pop()), ([40; 2], Err(PopError::Empty)));
    // Items of both lanes are popped, although neither lane is ever empty.
    for number in 40..80 {
        (0..2).for_each(|which: u64| producers[which as usize].push([which, number]).unwrap());
    }
    let come: Vec<u64> = (0..40).map(|_| (consumer.peek().unwrap()[0], consumer.release()).0).collect();
    assert!(come.contains(&0) && come.contains(&1));
    producers[0].push_wait([0, 80], LONG).unwrap();
    assert!(consumer.peek_wait(LONG).is_ok() && consumer.release());
}

#[test]
fn threads_wait_and_are_woken() {
    let (_region, queue) = queue(4, 5);
    let count = 20_000;
    let mut consumer = queue.take_consumer().unwrap();
    thread::scope(|scope| {
        for which in 0..4 {
            let mut producer = queue.take_producer().unwrap();
            scope.spawn(move || {
                for number in 0..count {
                    if number % 5000 == 0 {
                        thread::sleep(Duration::from_millis(5));
                    }
                    producer.push_wait([which, number], LONG).expect("a consumer");
                }
            });
        }
        let mut orders = Orders::default();
        (0..4 * count).for_each(|_| orders.see(consumer.pop_wait(LONG).expect("producers")));
        assert_eq!(consumer.pop_wait(LONG), Err(WaitError::Left));
    });
}

#[test]
fn another_queue_is_refused() {
    let (region, _queue) = queue(3, 10);
    assert!(Queue::<[u64; 2]>::in_region(region.clone(), 3, 10, 0).is_ok());
    let refused = Queue::<[u64; 2]>::in_region(region.clone(), 2, 10, 0).unwrap_err();
    assert!(matches!(refused, OpenError::Attach(AttachError::Capacity(_))), "{refused}");
    let refused = Queue::<[u64; 2]>::in_region(region.clone(), 3, 11, 0).unwrap_err();
    assert!(matches!(refused, OpenError::Attach(_)), "{refused}");
    let refused = Queue::<[u32; 4]>::in_region(region.clone(), 3, 10, 0).unwrap_err();
    assert!(matches!(refused, OpenError::Attach(AttachError::ItemAlign(_))), "{refused}");
    let refused = aqueduct_shm::items::Queue::<[u64; 2], _>::in_region(region, 10, 0).unwrap_err();
    assert!(refused.to_string().contains("kind 3, and 1"), "{refused}");
    assert_eq!(Queue::<u64>::bytes(0, 1).unwrap_err(), CapacityError::Zero);
    assert_eq!(Queue::<u64>::bytes(usize::MAX, 1).unwrap_err(), CapacityError::TooLarge);
}

/// A damaged lane does not prevent the use of the others.
#[test]
fn a_damaged_lane_is_passed_over() {
    use aqueduct_shm::Memory;
    use std::sync::atomic::Ordering::Relaxed;
    let (region, queue) = queue(2, 10);
    let (mut first, mut second) = (queue.take_producer().unwrap(), queue.take_producer().unwrap());
    let mut consumer = queue.take_consumer().unwrap();
    first.push([0, 0]).unwrap();
    second.push([1, 0]).unwrap();
    // The stamp of the first lane's first unit: behind two headers.
    let stamp = &region.words()[2 * 96];
    assert_eq!(stamp.load(Relaxed), 1);
    stamp.store(1000, Relaxed);
    assert_eq!(consumer.pop(), Ok([1, 0]));
    assert_eq!(consumer.pop(), Err(PopError::Damaged));
    drop((first, second));
    // No producer gets that lane.
    let mut again = queue.take_producer().unwrap();
    again.push([1, 1]).unwrap();
    assert_eq!(consumer.pop(), Ok([1, 1]));
    assert!(matches!(queue.take_producer(), Err(PlaceError::Held)));
}

/// A process that dies while it makes the queue leaves a part of it, which the next one completes.
#[test]
fn a_queue_that_is_half_made_is_completed() {
    use aqueduct_shm::Memory;
    use std::sync::atomic::Ordering::Relaxed;
    let (region, queue) = queue(3, 10);
    queue.take_producer().unwrap().push([0, 7]).unwrap();
    // The last lane has no header yet.
    let words = region.words();
    let last = words.len() - (words.len() - 96) / 3;
    assert_eq!(words[last].load(Relaxed), u64::from_ne_bytes(*b"AQUEDUCT"));
    words[last..].iter().for_each(|word| word.store(0, Relaxed));
    let queue = Queue::<[u64; 2]>::in_region(region.clone(), 3, 10, 0).unwrap();
    assert_eq!(words[last].load(Relaxed), u64::from_ne_bytes(*b"AQUEDUCT"));
    let mut producers = [(); 3].map(|()| queue.take_producer().unwrap());
    producers[2].push([2, 0]).unwrap();
    let mut consumer = queue.take_consumer().unwrap();
    assert_eq!((consumer.pop(), consumer.pop()), (Ok([0, 7]), Ok([2, 0])));
}
