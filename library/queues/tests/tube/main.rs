//! Tubes as plain queues, natively.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use aqueduct::error::{CapacityError, PopError, PushError};
use aqueduct::tube::{Blocks, FetchAddBlocks, Fifo, IndexQueues, SequencedRing, Tube};

/// Returns queues for `asked` items: one in which nothing wraps soon, and ones shortly before each
/// wrap (of the blocks' laps, of the positions, and of the lap itself).
fn near_each_wrap<T, U: Tube>(asked: usize) -> impl Iterator<Item = Fifo<T, U>> {
    let last_version = usize::MAX >> (usize::BITS / 4);
    [0, last_version - 3, usize::MAX / (2 * asked) - 2, usize::MAX / asked - 2, usize::MAX - 2]
        .into_iter()
        .map(move |lap| Fifo::starting_at(asked, lap).expect("a small queue"))
}

/// Tests one thread: the order, `Full` at the capacity, `Empty`, over many rounds.
fn alone<U: Tube>() {
    for (asked, queue) in [1, 2, 3, 8, 9].into_iter().flat_map(|asked| near_each_wrap(asked).map(move |q| (asked, q))) {
        let queue: Fifo<usize, U> = queue;
        let capacity = queue.capacity();
        assert!(capacity >= asked, "{capacity} for {asked}");
        for round in 0..100 {
            for number in 0..capacity {
                assert_eq!(queue.push(round + number), Ok(()));
            }
            assert_eq!(queue.push(0), Err(PushError::Full(0)));
            for number in 0..capacity {
                assert_eq!(queue.pop(), Ok(round + number));
            }
            assert_eq!(queue.pop(), Err(PopError::Empty));
        }
    }
}

/// Tests many threads: each item comes once, and one producer's items come to one consumer in their
/// order.
fn many<U: Tube>() {
    for queue in near_each_wrap::<(usize, usize), U>(16).chain(near_each_wrap(3)) {
        among_threads(&queue);
    }
}

fn among_threads<U: Tube>(queue: &Fifo<(usize, usize), U>) {
    const EACH: usize = 1000;
    let left = AtomicUsize::new(2 * EACH);
    let sum = AtomicUsize::new(0);
    thread::scope(|scope| {
        for producer in 0..2 {
            scope.spawn(move || {
                for number in 0..EACH {
                    while queue.push((producer, number)).is_err() {
                        thread::yield_now();
                    }
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                let mut last = [None; 2];
                while left.load(Ordering::Relaxed) > 0 {
                    let Ok((producer, number)) = queue.pop() else {
                        thread::yield_now();
                        continue;
                    };
                    assert!(last[producer] < Some(number), "{number} after {:?} of {producer}", last[producer]);
                    last[producer] = Some(number);
                    sum.fetch_add(number, Ordering::Relaxed);
                    left.fetch_sub(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(sum.into_inner(), EACH * (EACH - 1));
}

/// Tests the drop: items that are left in the queue are dropped with it, once.
fn dropped<U: Tube>() {
    struct Counted<'a>(&'a AtomicUsize);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let drops = AtomicUsize::new(0);
    let queue = Fifo::<Counted<'_>, U>::new(8).expect("a small queue");
    for _ in 0..6 {
        assert!(queue.push(Counted(&drops)).is_ok(), "there is room");
    }
    drop(queue.pop());
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    drop(queue);
    assert_eq!(drops.into_inner(), 6);
}

/// The error's greatest capacity is right: one more is refused with that figure, and the figure
/// itself is not refused.
///
/// Memory may be missing. Only queues larger than any memory are tried, because a smaller one would
/// be made.
fn the_greatest_capacity_is_told<T, U: Tube>() {
    let refused = |asked| Fifo::<T, U>::new(asked).map(drop).expect_err("too large");
    let CapacityError::TooLarge { asked: usize::MAX, max } = refused(usize::MAX) else { panic!("not too large") };
    // A little more can be divided differently, and take less.
    for asked in [max + 1, max + 2, 2 * max + 1] {
        assert_eq!(refused(asked), CapacityError::TooLarge { asked, max });
    }
    assert!(max > 0, "one fits");
    if max as u128 * size_of::<T>() as u128 > 1 << 50 {
        assert!(matches!(refused(max), CapacityError::OutOfMemory { .. }), "{max}");
    }
}

macro_rules! tubes {
    ($($name:ident: $tube:ty;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn keeps_the_order_alone() {
                alone::<$tube>();
            }

            #[test]
            fn loses_nothing_among_many() {
                many::<$tube>();
            }

            #[test]
            fn drops_the_items_that_are_left() {
                dropped::<$tube>();
            }

            #[test]
            fn refuses_impossible_sizes() {
                assert_eq!(Fifo::<u8, $tube>::new(0).map(drop), Err(CapacityError::Zero));
                the_greatest_capacity_is_told::<u8, $tube>();
                the_greatest_capacity_is_told::<[u64; 3], $tube>();
                the_greatest_capacity_is_told::<[u8; 1 << 20], $tube>();
                the_greatest_capacity_is_told::<[u8; 1 << (usize::BITS * 5 / 8)], $tube>();
                the_greatest_capacity_is_told::<[u8; (1 << (usize::BITS - 1)) / 700], $tube>();
                the_greatest_capacity_is_told::<[u8; 1 << (usize::BITS - 4)], $tube>();
            }

            #[test]
            fn carries_items_without_a_size_and_aligned_ones() {
                #[repr(align(512))]
                #[derive(Clone, Copy, PartialEq, Debug)]
                struct Aligned(u8);
                let queue = Fifo::<(), $tube>::new(4).expect("a small queue");
                assert_eq!((queue.push(()), queue.pop(), queue.pop()), (Ok(()), Ok(()), Err(PopError::Empty)));
                let queue = Fifo::<Aligned, $tube>::new(4).expect("a small queue");
                assert_eq!((queue.push(Aligned(3)), queue.pop()), (Ok(()), Ok(Aligned(3))));
            }
        }
    )*};
}

tubes! {
    bbq: Blocks;
    sequenced_ring: SequencedRing;
    faaq: FetchAddBlocks;
    scqd: IndexQueues;
}
