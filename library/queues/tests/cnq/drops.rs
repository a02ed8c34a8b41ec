//! Items are dropped once, wherever they are when the last handle goes, also if a destructor
//! panics; and of any kind.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use aqueduct::tube::Tube;

use crate::{geometry, handles};

/// Counts drops; the one with that number panics.
struct Counted<'a> {
    drops: &'a AtomicUsize,
    panics: bool,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::Relaxed);
        assert!(!self.panics, "a destructor panics, as the test wants");
    }
}

fn what_is_left_is_dropped_once<U: Tube>() {
    for consumed in 0..12 {
        for gone in [false, true] {
            let drops = AtomicUsize::new(0);
            let (queue, mut producers, mut consumers) = handles::<Counted<'_>, U>(geometry(8, 3, 2, 2));
            for number in 0..14 {
                let item = Counted { drops: &drops, panics: false };
                assert!(producers[number / 4 % 2].push(item).is_ok(), "there is room");
            }
            let came = (0..consumed).filter(|number| consumers[number % 2].pop().is_ok()).count();
            if gone {
                // Fragments, of which one is taken by a consumer.
                consumers.clear();
                let mut consumer = queue.consumer().expect("all have gone");
                drop(consumer.pop());
                consumers.push(consumer);
            }
            let before = drops.load(Ordering::Relaxed);
            assert_eq!(before, came + usize::from(gone));
            drop((queue, producers));
            assert_eq!(drops.load(Ordering::Relaxed), before, "a consumer is still there");
            drop(consumers);
            assert_eq!(drops.into_inner(), 14, "{consumed} {gone}");
        }
    }
}

fn a_destructor_that_panics_takes_nothing_along<U: Tube>() {
    for which in 0..9 {
        let drops = AtomicUsize::new(0);
        let (queue, mut producers, consumers) = handles::<Counted<'_>, U>(geometry(8, 3, 1, 1));
        for number in 0..9 {
            assert!(producers[0].push(Counted { drops: &drops, panics: number == which }).is_ok(), "there is room");
        }
        drop((producers, consumers));
        assert!(catch_unwind(AssertUnwindSafe(|| drop(queue))).is_err());
        assert_eq!(drops.into_inner(), 9, "{which}");
    }
}

fn items_of_any_kind<U: Tube>() {
    #[repr(align(1024))]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Aligned(u8);
    fn check<T: Copy + PartialEq + std::fmt::Debug, U: Tube>(item: T) {
        let (_queue, mut producers, mut consumers) = handles::<T, U>(geometry(4, 3, 1, 1));
        for _ in 0..50 {
            assert_eq!(producers[0].push(item).map_err(|_| ()), Ok(()));
            assert_eq!(producers[0].push_slice(&[item; 5]), 5);
            let mut into = [item; 4];
            assert_eq!(consumers[0].pop_slice(&mut into), 4);
            assert_eq!((consumers[0].pop(), consumers[0].pop()), (Ok(item), Ok(item)));
            assert!(consumers[0].pop().is_err());
        }
    }
    check::<(), U>(());
    check::<_, U>(Aligned(7));
    check::<_, U>([3_u64; 9]);
    check::<_, U>(5_u8);
    let (_queue, mut producers, mut consumers) = handles::<String, U>(geometry(4, 3, 1, 1));
    assert!(producers[0].push("hello".to_owned()).is_ok());
    assert_eq!(consumers[0].pop().as_deref(), Ok("hello"));
}

crate::tubes! {
    what_is_left_is_dropped_once
    a_destructor_that_panics_takes_nothing_along
    items_of_any_kind
}
