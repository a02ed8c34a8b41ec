//! What crates on loom 0.5 rely on: the allocator of this package, and checks that a `Builder`
//! starts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicPtr};
use loom::thread;

// Where the package sets none, the program has to.
#[cfg(not(feature = "distinct-addresses"))]
#[global_allocator]
static ADDRESSES: loom::allocator::DistinctAddresses = loom::allocator::DistinctAddresses;

/// A thread that has seen the first box takes the second for it, under an allocator that gives its
/// address out again.
#[loom::model(exhaustive, crate = loom)]
fn a_freed_box_does_not_come_back_within_an_execution() {
    let top = Arc::new(AtomicPtr::new(Box::into_raw(Box::new(1))));
    let other = Arc::clone(&top);
    let seen = top.load(Relaxed);
    let thread = thread::spawn(move || {
        // SAFETY: the other thread only compares the address.
        drop(unsafe { Box::from_raw(other.load(Relaxed)) });
        other.store(Box::into_raw(Box::new(2)), Release);
    });
    let now = top.load(Acquire);
    // SAFETY: what is not the first box is the second, and it is freed after the join.
    assert!(now == seen || unsafe { *now } == 2);
    thread.join().unwrap();
    let last = top.load(Relaxed);
    assert_ne!(last, seen, "the address of a box that is gone");
    // SAFETY: the thread that made it is done.
    drop(unsafe { Box::from_raw(last) });
}

#[test]
fn a_builder_finds_the_race_that_a_relaxed_flag_leaves() {
    let program = |flag| {
        move || {
            let shared = Arc::new((AtomicBool::new(false), UnsafeCell::new(0)));
            let other = Arc::clone(&shared);
            let thread = thread::spawn(move || {
                // SAFETY: the flag is not set yet.
                other.1.with_mut(|value| unsafe { *value = 1 });
                other.0.store(true, flag);
            });
            if shared.0.load(Acquire) {
                // SAFETY: the flag is set, and the model says if that is not enough.
                shared.1.with(|value| assert_eq!(unsafe { *value }, 1));
            }
            thread.join().unwrap();
        }
    };
    let mut builder = Builder::new();
    builder.max_branches = 2_000;
    builder.preemption_bound = None;
    builder.check(program(Release));
    let race = catch_unwind(AssertUnwindSafe(|| builder.check(program(Relaxed))));
    let race = race.expect_err("nothing orders the write before the read");
    let message = race.downcast_ref::<String>().expect("failures have texts");
    assert!(message.contains("race") && message.contains("crates_on_loom_0_5.rs"), "{message}");
}
