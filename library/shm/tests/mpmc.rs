//! Many producers and consumers in this process. `kill_many.rs` uses several processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use aqueduct_shm::mpmc::{Consumer, Geometry, Queue};
use aqueduct_shm::{
    AttachError, CapacityError, ClaimError, Expected, Memory, Mismatch, PopError, PushError, WaitError, Word,
};

const LONG: Duration = Duration::from_secs(60);

type OnHeap = Queue<[u64; 2], Arc<[Word]>>;

fn queue(producers: usize, consumers: usize, capacity: usize) -> OnHeap {
    Queue::on_heap(producers, consumers, capacity, 0).expect("a small queue")
}

#[test]
fn items_come_in_the_order_in_which_they_were_pushed() {
    for capacity in [1, 2, 3, 8, 13, 64] {
        let queue = queue(3, 2, capacity);
        let mut producers = [(); 3].map(|()| queue.producer().unwrap());
        let mut consumers = [(); 2].map(|()| queue.consumer().unwrap());
        let (mut pushed, mut popped) = (0, 0);
        for round in 0..if cfg!(miri) { 4 } else { 20 } {
            while let Ok(()) = producers[pushed as usize % 3].push([pushed, !pushed]) {
                pushed += 1;
            }
            assert!(producers[0].is_full() && producers[1].len() as u64 == pushed - popped);
            assert!(pushed - popped >= capacity as u64 && capacity == producers[0].capacity());
            assert_eq!(producers[2].push([9, 9]), Err(PushError::Full([9, 9])));
            for _ in 0..=round % (capacity as u64) {
                assert_eq!(consumers[popped as usize / 2 % 2].pop(), Ok([popped, !popped]));
                popped += 1;
            }
        }
        while popped < pushed {
            assert_eq!(consumers[0].pop(), Ok([popped, !popped]));
            popped += 1;
        }
        assert!(consumers.iter_mut().all(|consumer| consumer.is_empty() && consumer.pop() == Err(PopError::Empty)));
        assert!(producers[0].is_empty());
    }
}

#[test]
fn an_item_that_is_held_comes_again_and_to_nobody_else() {
    let queue = queue(1, 2, 4);
    let (mut producer, mut first, mut second) =
        (queue.producer().unwrap(), queue.consumer().unwrap(), queue.consumer().unwrap());
    (0..3).for_each(|number| producer.push([number, 0]).unwrap());
    assert_eq!((first.peek(), first.peek()), (Ok([0, 0]), Ok([0, 0])));
    assert!(first.holds() && !first.is_empty() && first.len() == 2);
    assert_eq!(second.pop(), Ok([1, 0]));
    assert!(first.release() && !first.release());
    assert_eq!(first.peek(), Ok([2, 0]));
    // A successor gets the item, whether the handle was dropped or not.
    let place = first.place();
    drop(first);
    assert!(queue.may_hold(place));
    let mut first = queue.consumer().unwrap();
    assert!(first.place() == place && first.holds());
    assert_eq!(first.pop(), Ok([2, 0]));
    assert_eq!(first.pop(), Err(PopError::Empty));
    drop((first, second));
    assert!(!queue.may_hold(0) && !queue.may_hold(1));
}

#[test]
fn slices_are_items_one_by_one() {
    let queue = queue(1, 2, 4);
    let (mut producer, mut first) = (queue.producer().unwrap(), queue.consumer().unwrap());
    let mut second = queue.consumer().unwrap();
    let items: Vec<_> = (0..6).map(|number| [number, number]).collect();
    assert_eq!(producer.push_slice(&items), 4);
    assert_eq!(first.peek(), Ok([0, 0]));
    let mut found = [[9, 9]; 5];
    assert_eq!((second.pop_slice(&mut found[..1]), found[0]), (1, [1, 1]));
    // The held item comes first.
    assert_eq!(first.pop_slice(&mut found), 3);
    assert_eq!(found, [[0, 0], [2, 2], [3, 3], [9, 9], [9, 9]]);
}

#[test]
fn each_place_has_one_handle() {
    let queue = queue(2, 1, 4);
    let (first, second) = (queue.producer().unwrap(), queue.producer().unwrap());
    assert_eq!((first.place(), second.place()), (0, 1));
    assert_eq!(queue.producer().unwrap_err(), ClaimError::Taken { owner: 1 });
    let consumer = queue.consumer().unwrap();
    assert_eq!(queue.consumer().unwrap_err(), ClaimError::Taken { owner: 1 });
    drop(first);
    assert_eq!(queue.producer().unwrap().place(), 0);
    std::mem::forget(consumer);
    let consumer = queue.replace_consumer(0, 77).unwrap();
    assert_eq!((queue.consumers_owner(0), queue.producers_owner(0), queue.producers_owner(1)), (77, 0, 1));
    drop(consumer);
    assert_eq!(queue.consumers_owner(0), 0);
}

/// Checks that a consumer gets the items of each producer in order, and counts them.
fn drain(mut consumer: Consumer<[u64; 2], Arc<[Word]>>, sum: &AtomicU64, producers: usize) {
    let mut last = vec![None; producers];
    loop {
        let [producer, number] = match consumer.pop_wait(LONG) {
            Err(WaitError::Left) => return,
            item => item.expect("producers"),
        };
        assert!(last[producer as usize] < Some(number), "{number} after {last:?} of producer {producer}");
        last[producer as usize] = Some(number);
        sum.fetch_add(number + 1, Relaxed);
    }
}

#[test]
fn threads_wait_and_are_woken() {
    let count = if cfg!(miri) { 5 } else { 20_000 };
    for (producers, consumers, capacity) in [(1, 1, 1), (3, 2, 1), (2, 3, 5), (4, 4, 64)] {
        let (queue, sum) = (queue(producers, consumers, capacity), AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..consumers {
                let (consumer, sum) = (queue.consumer().unwrap(), &sum);
                scope.spawn(move || drain(consumer, sum, producers));
            }
            // All are taken before the first one leaves.
            let producers: Vec<_> = (0..producers).map(|_| queue.producer().unwrap()).collect();
            for (which, mut producer) in (0..).zip(producers) {
                scope.spawn(move || {
                    for number in 0..count {
                        if number % 5000 == 4999 {
                            thread::sleep(Duration::from_millis(5));
                        }
                        producer.push_wait([which, number], LONG).expect("consumers");
                    }
                });
            }
        });
        assert_eq!(sum.into_inner(), producers as u64 * count * (count + 1) / 2);
        let mut consumer = queue.consumer().unwrap();
        assert_eq!(consumer.pop_wait(LONG), Err(WaitError::Left));
        assert_eq!(consumer.peek_wait(LONG), Err(WaitError::Left));
    }
}

#[test]
fn another_queue_is_refused() {
    let memory = queue(2, 3, 10).into_memory();
    let attach = |expected: &Expected| Queue::<[u64; 2], _>::attach(memory.clone(), expected).map(drop);
    let differ = |expected, found| Mismatch { expected, found };
    assert_eq!(attach(&Expected::new().places(2, 3).capacity(10).page(0)), Ok(()));
    assert_eq!(attach(&Expected::new().places(1, 3)), Err(AttachError::Producers(differ(1, 2))));
    assert_eq!(attach(&Expected::new().places(2, 4)), Err(AttachError::Consumers(differ(4, 3))));
    assert_eq!(attach(&Expected::new().capacity(11)), Err(AttachError::Capacity(differ(11, 10))));
    assert_eq!(attach(&Expected::new().tag(1)), Err(AttachError::Tag(differ(1, 0))));
    assert_eq!(attach(&Expected::new().page(4096)), Err(AttachError::PageSize(differ(4096, 0))));
    let other = Queue::<[u32; 4], _>::attach(memory.clone(), &Expected::new()).unwrap_err();
    assert_eq!(other, AttachError::ItemAlign(differ(4, 8)));
    let other = Queue::<u64, _>::attach(memory.clone(), &Expected::new()).unwrap_err();
    assert_eq!(other, AttachError::ItemSize(differ(8, 16)));
    let other = aqueduct_shm::items::Queue::<[u64; 2], _>::attach(memory.clone(), &Expected::new()).unwrap_err();
    assert_eq!(other, AttachError::Kind(differ(1, 4)));
    let short = Queue::<[u64; 2], _>::attach(&memory[..memory.len() - 1], &Expected::new()).map(drop).unwrap_err();
    assert_eq!(short, AttachError::Geometry);
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
}

#[test]
fn a_queue_has_room_and_places() {
    for (producers, consumers, capacity) in [(0, 1, 1), (1, 0, 1), (1, 1, 0)] {
        assert_eq!(Geometry::new::<u64>(producers, consumers, capacity).unwrap_err(), CapacityError::Zero);
    }
    assert_eq!(Geometry::new::<[u64; 0]>(1, 1, 1).unwrap_err(), CapacityError::Zero);
    for (producers, consumers, capacity) in
        [(usize::MAX, 1, 1), (1, usize::MAX, 1), (1, 1, usize::MAX), (1, 1, 1 << 60)]
    {
        assert_eq!(Geometry::new::<u64>(producers, consumers, capacity).unwrap_err(), CapacityError::TooLarge);
    }
    let geometry = Geometry::new::<u8>(2, 3, 100).unwrap();
    assert_eq!((geometry.producers(), geometry.consumers(), geometry.capacity()), (2, 3, 100));
    let memory: Vec<Word> = (0..geometry.words() - 1).map(|_| Word::new(0)).collect();
    assert_eq!(Queue::<u8, _>::create(&memory[..], geometry, 0).map(drop).unwrap_err(), CapacityError::TooLarge);
}

#[test]
fn a_damaged_place_is_passed_over_and_a_damaged_slot_is_told() {
    let queue = queue(2, 1, 4);
    let words = queue.memory().words();
    // The first place begins behind the header; its second word is its cell.
    words[97].store(1000, Relaxed);
    let mut producer = queue.producer().unwrap();
    assert_eq!(producer.place(), 1);
    producer.push([1, 1]).unwrap();
    // The ring begins behind three places.
    let slot = 96 + 3 * 16;
    assert_eq!(words[slot].load(Relaxed) >> 3, 1);
    let sound = words[slot].swap(u64::MAX / 2, Relaxed);
    let mut consumer = queue.consumer().unwrap();
    assert_eq!(consumer.pop(), Err(PopError::Damaged));
    assert_eq!(consumer.pop_wait(LONG), Err(WaitError::Damaged));
    words[slot].store(sound, Relaxed);
    // A hint that is ahead is damage, too; an old hint is not.
    let hint = words[32].swap(u64::MAX, Relaxed);
    assert_eq!(consumer.pop(), Err(PopError::Damaged));
    words[32].store(hint, Relaxed);
    words[16].store(0, Relaxed);
    producer.push([2, 2]).unwrap();
    assert_eq!((consumer.pop(), consumer.pop()), (Ok([1, 1]), Ok([2, 2])));
}

/// A memory in which another process exchanges the only slot's cell at each access, while it is
/// hostile.
struct Hostile {
    words: Vec<Word>,
    is_hostile: AtomicBool,
}

/// The ring begins behind the header and two places.
const ONLY_SLOT: usize = 96 + 2 * 16;

impl Memory for &Hostile {
    fn words(&self) -> &[Word] {
        if self.is_hostile.load(Relaxed) {
            // A word has two bits for the number of one of three cells, and then the turn.
            self.words[ONLY_SLOT].fetch_add(2 << 2, Relaxed);
        }
        &self.words
    }
}

#[test]
fn an_operation_ends_however_fast_others_are() {
    let geometry = Geometry::new::<u64>(1, 1, 1).unwrap();
    let words = (0..geometry.words()).map(|_| Word::new(0)).collect();
    let memory = Hostile { words, is_hostile: AtomicBool::new(false) };
    let queue = Queue::<u64, _>::create(&memory, geometry, 0).unwrap();
    let (mut producer, mut consumer) = (queue.producer().unwrap(), queue.consumer().unwrap());
    memory.is_hostile.store(true, Relaxed);
    assert_eq!(producer.push(7), Err(PushError::Contended(7)));
    assert_eq!(producer.push_wait(7, Duration::from_millis(1)), Err((WaitError::TimedOut, 7)));
    memory.is_hostile.store(false, Relaxed);
    producer.push(7).unwrap();
    memory.is_hostile.store(true, Relaxed);
    assert_eq!(consumer.pop(), Err(PopError::Contended));
    // The producer has left, and whether the queue is empty is not known yet.
    drop(producer);
    assert_eq!(consumer.pop_wait(Duration::from_millis(1)), Err(WaitError::TimedOut));
    memory.is_hostile.store(false, Relaxed);
    assert_eq!((consumer.pop_wait(LONG), consumer.pop_wait(LONG)), (Ok(7), Err(WaitError::Left)));
}
