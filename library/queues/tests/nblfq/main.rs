//! NBLFQ natively.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod signals;
mod wide;

use std::num::{NonZeroU16, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aqueduct::error::CapacityError;
use aqueduct::nblfq::{DynamicQueue, Queue, Rejected};

static SHARED: Queue<NonZeroU16, 3> = Queue::new();

#[test]
fn a_static_queue_keeps_the_order_and_says_full_and_empty() {
    let item = |number| NonZeroU16::new(number).expect("not 0");
    for round in 0..1000 {
        for number in 1..=3 {
            assert_eq!(SHARED.push(item(number + round)), Ok(()));
        }
        assert_eq!(SHARED.push(item(9)), Err(Rejected::Full(item(9))));
        assert_eq!((SHARED.len(), SHARED.capacity()), (3, 3));
        for number in 1..=3 {
            assert_eq!(SHARED.pop().map(NonZeroU16::get), Ok(number + round));
        }
        assert!(SHARED.pop().is_err() && SHARED.is_empty());
    }
}

/// Any number of slots, and counters down to one bit, over many passes.
#[test]
fn every_width_of_the_counter_works_alone() {
    fn check<const N: usize, const BITS: u32>() {
        let queue = Queue::<NonZeroUsize, N, BITS>::new();
        let (mut pushed, mut popped) = (0, 0);
        let mut random = 1_u64;
        for _ in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if random >> 63 == 0 {
                let item = NonZeroUsize::new(pushed + 1).expect("not 0");
                assert_eq!(queue.push(item).is_ok(), pushed - popped < N, "{N} {BITS}");
                pushed += usize::from(queue.len() > pushed - popped);
            } else if popped < pushed {
                popped += 1;
                assert_eq!(queue.pop().map(NonZeroUsize::get), Ok(popped), "{N} {BITS}");
            } else {
                assert!(queue.pop().is_err(), "{N} {BITS}");
            }
        }
        assert!(popped > 1000, "{popped}");
    }
    check::<2, 1>();
    check::<2, 2>();
    check::<3, 1>();
    check::<5, 16>();
    check::<8, { usize::BITS / 2 }>();
}

#[test]
fn upper_bits_in_use_are_refused() {
    let queue = Queue::<NonZeroUsize, 2, 16>::new();
    let limit = 1_usize << (usize::BITS - 16);
    let item = |number| NonZeroUsize::new(number).expect("not 0");
    assert_eq!(queue.push(item(limit - 1)), Ok(()));
    for wide in [limit, limit + 1, usize::MAX] {
        let error = queue.push(item(wide)).expect_err("too wide");
        assert_eq!(error, Rejected::TooWide(item(wide)));
        assert!(error.to_string().contains("upper bits"), "{error}");
        assert_eq!(error.into_inner().get(), wide);
    }
    assert_eq!(queue.pop(), Ok(item(limit - 1)));
    assert!(queue.pop().is_err());
}

#[test]
fn what_the_wrap_around_means_is_computed() {
    assert_eq!(Queue::<NonZeroUsize, 4, 2>::pushes_until_wrap(), 10);
    assert_eq!(Queue::<NonZeroUsize, 1024>::pushes_until_wrap(), 65_534 * 1024 + 2);
    assert_eq!(Queue::<NonZeroUsize, 1024>::wraps_within(65_534 * 512 + 1), Duration::from_secs(2));
}

#[test]
fn what_is_left_is_dropped() {
    let item = Arc::new(());
    let queue = Queue::<Box<Arc<()>>, 4>::new();
    let refused = (0..6).filter_map(|_| queue.push(Box::new(Arc::clone(&item))).err()).collect::<Vec<_>>();
    if usize::BITS < 64 {
        // Words of 32 bits have no room for a counter beside an address.
        assert!(refused.iter().all(|error| matches!(error, Rejected::TooWide(_))) && refused.len() == 6);
    } else {
        assert!(refused.iter().all(|error| matches!(error, Rejected::Full(_))) && refused.len() == 2, "{refused:?}");
        drop(queue.pop());
        assert_eq!(Arc::strong_count(&item), 4 + refused.len());
    }
    drop(refused);
    drop(queue);
    assert_eq!(Arc::strong_count(&item), 1);
}

#[test]
fn nothing_is_lost_and_nothing_comes_twice_among_threads() {
    // Items of 16 bits, which words of 32 bits have room for.
    const EACH: usize = 30_000;
    let queue = Queue::<NonZeroUsize, 7>::new();
    let (sum, count) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (queue, sum, count) = (&queue, &sum, &count);
            scope.spawn(move || {
                for number in 1..=EACH {
                    let item = NonZeroUsize::new(thread << 15 | number).expect("not 0");
                    while queue.push(item).is_err() {
                        std::thread::yield_now();
                    }
                }
            });
            scope.spawn(move || {
                let mut last = [0; 2];
                while count.load(Ordering::Relaxed) < 2 * EACH {
                    let Ok(item) = queue.pop() else {
                        std::thread::yield_now();
                        continue;
                    };
                    let (from, number) = (item.get() >> 15, item.get() & 0x7fff);
                    assert!(number > last[from], "{number} after {} of {from}", last[from]);
                    last[from] = number;
                    sum.fetch_add(number, Ordering::Relaxed);
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(sum.into_inner(), EACH * (EACH + 1));
}

#[test]
fn a_capacity_chosen_at_run_time_is_kept() {
    assert_eq!(DynamicQueue::<Box<u8>>::new(0).map(drop), Err(CapacityError::Zero));
    let item = |number| NonZeroUsize::new(number).expect("not 0");
    for (asked, slots) in [(1, 2), (2, 2), (3, 3), (100, 100)] {
        let queue = DynamicQueue::<NonZeroUsize, 2>::new(asked).expect("a small queue");
        assert_eq!((queue.capacity(), queue.pushes_until_wrap()), (slots, 2 * slots as u128 + 2));
        assert_eq!(queue.wraps_within(2 * slots as u64 + 2).as_secs(), 1);
        assert_eq!(format!("{queue:?}"), format!("Queue {{ capacity: {slots}, .. }}"));
        for lap in 1..4 {
            assert!((0..slots).all(|number| queue.push(item(lap + number)).is_ok()));
            assert_eq!(queue.push(item(9)), Err(Rejected::Full(item(9))));
            assert!(queue.is_full());
            assert!((0..slots).all(|number| queue.pop() == Ok(item(lap + number))));
            assert!(queue.pop().is_err() && queue.is_empty());
        }
    }
}

/// The items of a queue whose slots are elsewhere are dropped with it.
#[test]
fn items_left_in_a_queue_are_dropped() {
    let item = Arc::new(7);
    let queue = DynamicQueue::<Box<Arc<u8>>>::new(3).expect("a small queue");
    assert!((0..3).all(|_| queue.push(Box::new(Arc::clone(&item))).is_ok()));
    drop(queue);
    assert_eq!(Arc::strong_count(&item), 1);
}
