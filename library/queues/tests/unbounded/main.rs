//! The unbounded queue: order over blocks of any size, drops, item types, threads, and its memory.

#[path = "../spsc/common/items.rs"]
#[allow(dead_code, reason = "one scenario does not need all of them")]
mod items;
mod memory;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use aqueduct::error::{CapacityError, PopError};
use aqueduct::unbounded::{self, Queue};

use items::Ledger;

/// Blocks of one slot, of few, and of the most. Miri has time for small ones.
const BLOCK_SIZES: &[usize] = if cfg!(miri) { &[1, 3] } else { &[1, 2, 3, 31, 1024] };

#[test]
fn the_order_is_kept_over_the_ends_of_blocks() {
    for &block_size in BLOCK_SIZES {
        let queue = Queue::with_block_size(block_size).expect("a possible size");
        let (mut pushed, mut popped) = (0, 0);
        let rounds = if cfg!(miri) { 20 } else { 200 };
        for round in 0..rounds {
            for _ in 0..round * 7 % 40 {
                queue.push(pushed).expect("there is memory");
                pushed += 1;
                assert_eq!((queue.len(), queue.is_empty()), (pushed - popped, false));
            }
            for _ in 0..round * 11 % 45 {
                let expected = if popped < pushed { Ok(popped) } else { Err(PopError::Empty) };
                assert_eq!(queue.pop(), expected);
                popped += usize::from(expected.is_ok());
                assert_eq!((queue.len(), queue.is_empty()), (pushed - popped, pushed == popped));
            }
        }
        assert!(queue.into_iter().eq(popped..pushed));
    }
}

#[test]
fn block_sizes_that_cannot_be_are_refused() {
    let error = |size| Queue::<u64>::with_block_size(size).map(drop);
    assert_eq!(error(0), Err(CapacityError::Zero));
    for asked in [1025, usize::MAX] {
        assert_eq!(error(asked), Err(CapacityError::TooLarge { asked, max: 1024 }));
    }
    assert_eq!(unbounded::with_block_size::<u64>(0).map(drop), Err(CapacityError::Zero));
    type Large = [u8; isize::MAX as usize / 5];
    let most = Err(CapacityError::TooLarge { asked: 5, max: 4 });
    assert_eq!(Queue::<Large>::with_block_size(5).map(drop), most);
    assert!(Queue::<Large>::with_block_size(4).is_ok());
}

/// Items in several blocks are dropped with the queue, also those behind one whose destructor
/// panics.
#[test]
fn what_is_left_is_dropped_also_when_a_destructor_panics() {
    for &block_size in BLOCK_SIZES {
        const ITEMS: usize = 50;
        let ledger = Ledger::new(ITEMS);
        let queue = Queue::with_block_size(block_size).expect("a possible size");
        for number in 0..ITEMS {
            let item = if number == 20 { ledger.bomb(number) } else { ledger.token(number) };
            queue.push(item).expect("there is memory");
        }
        (0..3).for_each(|_| drop(queue.pop()));
        assert!(catch_unwind(AssertUnwindSafe(|| drop(queue))).is_err());
        ledger.assert_all_dropped_once();
    }
}

#[test]
fn an_iterator_that_is_dropped_drops_the_rest() {
    let ledger = Ledger::new(10);
    let queue = Queue::with_block_size(3).expect("a possible size");
    (0..10).for_each(|number| queue.push(ledger.token(number)).expect("there is memory"));
    let mut iterator = queue.into_iter();
    assert_eq!(iterator.len(), 10);
    drop(iterator.next());
    assert_eq!(iterator.len(), 9);
    drop(iterator);
    ledger.assert_all_dropped_once();
}

#[test]
fn items_of_any_shape_pass() {
    fn passes<T: PartialEq + std::fmt::Debug>(make: impl Fn(u8) -> T) {
        let queue = Queue::new();
        let (rounds, items) = if cfg!(miri) { (2, 20) } else { (5, 200) };
        for _ in 0..rounds {
            (0..items).for_each(|number| queue.push(make(number)).expect("there is memory"));
            (0..items).for_each(|number| assert_eq!(queue.pop(), Ok(make(number))));
            assert_eq!(queue.pop(), Err(PopError::Empty));
        }
    }
    #[repr(align(16384))]
    #[derive(PartialEq, Debug)]
    struct Aligned(u8);
    #[repr(align(8192))]
    #[derive(PartialEq, Debug)]
    struct AlignedNothing;
    passes(|_| ());
    passes(|_| AlignedNothing);
    passes(|number| number);
    passes(|number| [number; 3]);
    passes(|number| [u64::from(number); 100]);
    passes(Aligned);
    passes(|number| vec![number; 2]);
}

#[test]
fn handles_know_when_the_other_side_has_gone() {
    let (mut producer, mut consumer) = unbounded::new().expect("a small queue");
    let (second, other) = (producer.clone(), consumer.clone());
    producer.push("item").expect("there is memory");
    drop((producer, other));
    assert!(!consumer.is_closed() && !second.is_closed());
    drop(second);
    assert!(consumer.is_closed() && !consumer.is_empty());
    assert_eq!((consumer.pop(), consumer.pop()), (Ok("item"), Err(PopError::Empty)));
    let (producer, consumer) = unbounded::with_block_size::<u8>(1).expect("a small queue");
    drop(consumer);
    assert!(producer.is_closed());
}

/// Slices and single items of several threads: each is popped once, those of a thread in its order.
#[test]
fn nothing_is_lost_and_nothing_comes_twice_among_threads() {
    const EACH: usize = if cfg!(miri) { 30 } else { 40_000 };
    for &block_size in BLOCK_SIZES {
        let queue = Queue::with_block_size(block_size).expect("a possible size");
        let (sum, count) = (AtomicU64::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for producer in 0..3 {
                let queue = &queue;
                scope.spawn(move || {
                    let items: Vec<_> = (1..=EACH).map(|number| producer * EACH + number - 1).collect();
                    for chunk in items.chunks(1 + producer * 3) {
                        match chunk {
                            [item] => queue.push(*item).expect("there is memory"),
                            chunk => assert_eq!(queue.push_slice(chunk), chunk.len()),
                        }
                    }
                });
            }
            for consumer in 0..3 {
                let (queue, sum, count) = (&queue, &sum, &count);
                scope.spawn(move || {
                    let mut next = [0; 3];
                    let mut items = [0; 9];
                    while count.load(Ordering::Relaxed) < 3 * EACH {
                        let came = match consumer {
                            0 => usize::from(queue.pop().map(|item| items[0] = item).is_ok()),
                            _ => queue.pop_slice(&mut items[..4 * consumer]),
                        };
                        for &item in &items[..came] {
                            let (producer, number) = (item / EACH, item % EACH);
                            assert!(number >= next[producer], "{number} of {producer} is not in order");
                            next[producer] = number + 1;
                            sum.fetch_add(item as u64, Ordering::Relaxed);
                        }
                        count.fetch_add(came, Ordering::Relaxed);
                        if came == 0 {
                            thread::yield_now();
                        }
                    }
                });
            }
        });
        let all = 3 * EACH as u64;
        assert_eq!(sum.into_inner(), all * (all - 1) / 2);
        assert_eq!((queue.is_empty(), queue.len()), (true, 0));
    }
}
