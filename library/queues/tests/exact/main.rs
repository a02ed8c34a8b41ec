//! The queue of an exact capacity: its limits, permits, order near the end of positions, drops,
//! item types, threads.

#[path = "../spsc/common/items.rs"]
#[allow(dead_code, reason = "one scenario does not need all of them")]
mod items;
mod permits;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use aqueduct::error::{CapacityError, PopError, PushError};
use aqueduct::exact::Queue;

use items::Ledger;

/// Powers of two, their neighbours, and others.
const CAPACITIES: &[usize] = if cfg!(miri) { &[1, 2, 3, 5] } else { &[1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100] };

fn queue<T>(capacity: usize) -> Queue<T> {
    Queue::new(capacity).expect("a small queue")
}

/// Makes queues whose positions wrap around after none to two laps.
fn near_the_end<T>(capacity: usize) -> impl Iterator<Item = (u64, Queue<T>)> {
    (0..3).map(move |left: u64| (left, Queue::starting_at(capacity, left.wrapping_neg()).expect("a small queue")))
}

#[test]
fn as_many_items_fit_as_were_asked_for() {
    for &capacity in CAPACITIES {
        let queue = queue(capacity);
        assert_eq!((queue.capacity(), queue.pop()), (capacity, Err(PopError::Empty)));
        for lap in 0..3 {
            for len in 0..capacity {
                assert_eq!((queue.len(), queue.is_empty(), queue.is_full()), (len, len == 0, false), "of {capacity}");
                let (free, len) = (capacity - len, len + lap);
                assert!(queue.has_room_for(free) && !queue.has_room_for(free + 1), "{free} of {capacity}");
                assert_eq!(queue.push(len), Ok(()), "{len} of {capacity}");
            }
            assert_eq!((queue.len(), queue.is_empty(), queue.is_full()), (capacity, false, true), "of {capacity}");
            assert!(!queue.has_room_for(1), "of {capacity}");
            assert_eq!(queue.push(0), Err(PushError::Full(0)), "{capacity}");
            assert!(queue.drain().eq(lap..capacity + lap), "of {capacity}");
        }
    }
}

#[test]
fn the_order_is_kept_where_positions_wrap_around() {
    for &capacity in CAPACITIES {
        for (left, queue) in near_the_end(capacity) {
            let (mut pushed, mut popped) = (0, 0);
            for round in 0..8 * capacity + 8 {
                for _ in 0..(7 * round + 2) % (capacity + 2) {
                    let is_full = pushed - popped == capacity;
                    assert_eq!(queue.push(pushed).is_err(), is_full, "{capacity} slots, {left} laps left");
                    pushed += usize::from(!is_full);
                    assert_eq!(queue.len(), pushed - popped, "{capacity} slots, {left} laps left");
                }
                for _ in 0..(5 * round + 1) % (capacity + 2) {
                    let expected = if popped < pushed { Ok(popped) } else { Err(PopError::Empty) };
                    assert_eq!(queue.pop(), expected, "{capacity} slots, {left} laps left");
                    popped += usize::from(expected.is_ok());
                    assert_eq!(queue.is_full(), pushed - popped == capacity, "{capacity} slots, {left} laps left");
                }
            }
            assert!(popped > 3 * capacity, "laps");
            assert!(queue.into_iter().eq(popped..pushed), "{capacity} slots, {left} laps left");
        }
    }
}

#[test]
fn capacities_that_cannot_be_are_refused() {
    assert_eq!(Queue::<u64>::new(0).map(drop), Err(CapacityError::Zero));
    for asked in [usize::MAX, usize::MAX / 2] {
        let Err(CapacityError::TooLarge { asked: told, max }) = Queue::<u64>::new(asked).map(drop) else {
            panic!("{asked} is not refused as too large")
        };
        assert!(told == asked && max < asked, "{told} of {max}");
    }
    type Large = [u8; isize::MAX as usize / 5];
    assert_eq!(Queue::<Large>::new(5).map(drop), Err(CapacityError::TooLarge { asked: 5, max: 4 }));
}

/// Items are dropped with the queue, wherever in the ring they are, also those behind one whose
/// destructor panics.
#[test]
fn what_is_left_is_dropped_also_when_a_destructor_panics() {
    for &capacity in CAPACITIES {
        for rotation in [0, 1, capacity - 1, capacity] {
            for (bomb, (left, queue)) in [0, capacity / 2, capacity - 1].into_iter().zip(near_the_end(capacity)) {
                let before = Ledger::new(rotation);
                for number in 0..rotation {
                    assert!(queue.push(before.token(number)).is_ok() && queue.pop().is_ok());
                }
                before.assert_all_dropped_once();
                let ledger = Ledger::new(capacity);
                for number in 0..capacity {
                    let item = if number == bomb { ledger.bomb(number) } else { ledger.token(number) };
                    assert!(queue.push(item).is_ok(), "there is room");
                }
                let outcome = catch_unwind(AssertUnwindSafe(|| drop(queue)));
                assert!(outcome.is_err(), "{capacity} slots, {left} laps left: the panic was swallowed");
                ledger.assert_all_dropped_once();
            }
        }
    }
}

#[test]
fn a_refused_item_comes_back_and_an_iterator_that_is_dropped_drops_the_rest() {
    let ledger = Ledger::new(4);
    let queue = queue(3);
    (0..3).for_each(|number| queue.push(ledger.token(number)).expect("there is room"));
    let back = queue.push(ledger.token(3)).expect_err("it is full").into_inner();
    assert_eq!((back.number, ledger.dropped()), (3, 0));
    let mut iterator = queue.into_iter();
    assert_eq!(iterator.len(), 3);
    drop(iterator.next());
    assert_eq!((iterator.len(), ledger.dropped()), (2, 1));
    drop((iterator, back));
    ledger.assert_all_dropped_once();
}

#[test]
fn items_of_any_shape_pass() {
    fn passes<T: PartialEq + std::fmt::Debug>(make: impl Fn(u8) -> T) {
        for capacity in [1, 3, 4] {
            let queue = queue(capacity);
            for lap in 0..3 {
                (0..capacity as u8).for_each(|number| queue.push(make(number + lap)).expect("there is room"));
                assert_eq!(queue.push(make(9)), Err(PushError::Full(make(9))));
                (0..capacity as u8).for_each(|number| assert_eq!(queue.pop(), Ok(make(number + lap))));
                assert_eq!(queue.pop(), Err(PopError::Empty));
            }
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
fn items_without_a_size_are_dropped_once() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    struct Nothing;
    impl Drop for Nothing {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::Relaxed);
        }
    }
    let queue = queue(3);
    (0..3).for_each(|_| assert!(queue.push(Nothing).is_ok()));
    drop(queue.pop());
    assert_eq!(DROPS.load(Ordering::Relaxed), 1);
    drop(queue);
    assert_eq!(DROPS.load(Ordering::Relaxed), 3);
}

/// Items pushed with and without permits by several threads: each is popped once, those of a thread
/// in its order.
#[test]
fn nothing_is_lost_and_nothing_comes_twice_among_threads() {
    const EACH: usize = if cfg!(miri) { 40 } else { 20_000 };
    for &capacity in &CAPACITIES[..4] {
        for (_, queue) in near_the_end(capacity) {
            let (sum, count) = (AtomicUsize::new(0), AtomicUsize::new(0));
            thread::scope(|scope| {
                let (queue, sum, count) = (&queue, &sum, &count);
                for producer in 0..2 {
                    scope.spawn(move || {
                        for number in 0..EACH {
                            let mut item = producer * EACH + number;
                            if number % 3 == producer {
                                loop {
                                    match queue.reserve() {
                                        Ok(permit) if number % 2 == 0 => drop(permit),
                                        Ok(permit) => break permit.push(item),
                                        Err(_) => thread::yield_now(),
                                    }
                                    if number % 2 == 0 && queue.push(item).is_ok() {
                                        break;
                                    }
                                }
                            } else {
                                while let Err(error) = queue.push(item) {
                                    item = error.into_inner();
                                    thread::yield_now();
                                }
                            }
                        }
                    });
                    scope.spawn(move || {
                        let mut next = [0; 2];
                        while count.load(Ordering::Relaxed) < 2 * EACH {
                            let Ok(item) = queue.pop() else {
                                thread::yield_now();
                                continue;
                            };
                            let (producer, number) = (item / EACH, item % EACH);
                            assert!(number >= next[producer], "{number} of {producer} is not in order");
                            next[producer] = number + 1;
                            sum.fetch_add(item, Ordering::Relaxed);
                            count.fetch_add(1, Ordering::Relaxed);
                            assert!(queue.len() <= capacity);
                        }
                    });
                }
            });
            let all = 2 * EACH;
            assert_eq!(sum.into_inner(), all * (all - 1) / 2, "{capacity} slots");
            assert_eq!((queue.is_empty(), queue.len(), queue.is_full()), (true, 0, false));
        }
    }
}
