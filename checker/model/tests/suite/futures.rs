//! Futures: a poll that wakes itself is a round of a loop that spins.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll::{Pending, Ready};

use aqueduct_model::FailureKind::Liveness;
use aqueduct_model::future::block_on;
use aqueduct_model::sync::atomic::AtomicBool;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::{Config, hint, thread};

use crate::support::{SCHEDULERS, passed};

/// A future that wakes itself as long as a flag is not set, with a hint of its own or none.
#[test]
fn a_future_that_wakes_itself_spins() {
    let waits = |sets: bool, hints: bool| {
        move || {
            let flag = Arc::new(AtomicBool::new(false));
            let other = Arc::clone(&flag);
            thread::spawn(move || sets.then(|| other.store(true, Release)));
            block_on(poll_fn(|context| {
                if flag.load(Acquire) {
                    return Ready(());
                }
                context.waker().wake_by_ref();
                if hints {
                    hint::spin_loop();
                }
                Pending
            }));
        }
    };
    for scheduler in SCHEDULERS {
        let config = Config::new().scheduler(scheduler).yield_bound(4);
        for hints in [false, true] {
            let report = passed(config.check(waits(true, hints)));
            // Before its first own hint, the future has not checked for another wake-up.
            let rounds = 2 + u64::from(hints);
            assert_eq!((report.executions, report.cut, report.exhaustive), (rounds, 0, true), "{scheduler:?}, {hints}");
            let failure = config.check(waits(false, hints)).failure.expect("nobody sets it");
            assert_eq!(failure.kind, Liveness, "{scheduler:?}, {hints}");
        }
    }
}

/// A wake-up by another thread that comes before one by the thread itself is answered by the same
/// poll, and one that comes later by another.
#[test]
fn a_future_that_wakes_itself_misses_no_other_wake_up() {
    let polls = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&polls);
    let report = Config::new().check(move || {
        let flag = Arc::new(AtomicBool::new(false));
        let (mut polls, mut other) = (0, None);
        block_on(poll_fn(|context| {
            polls += 1;
            if polls == 1 {
                let (flag, waker) = (Arc::clone(&flag), context.waker().clone());
                other = Some(thread::spawn(move || {
                    flag.store(true, Relaxed);
                    waker.wake();
                }));
                context.waker().wake_by_ref();
            } else if flag.load(Relaxed) {
                return Ready(());
            }
            Pending
        }));
        other.map(|other| other.join());
        seen.lock().unwrap().insert(polls);
    });
    passed(report);
    assert_eq!(*polls.lock().unwrap(), BTreeSet::from([2, 3]));
}
