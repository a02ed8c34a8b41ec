//! L4: a relaxed load may read a value that many newer stores have followed.
//!
//! A worker counts its steps and publishes at the end that it is done. With relaxed orderings, the
//! thread that reads this may still see the count of before the first step, eight stores ago. (A
//! checker that keeps only the last few stores of a location cannot show that.) Release and acquire
//! repair it.

use std::sync::Arc;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

use super::super::{AtomicBool, AtomicUsize, spawn};

const STEPS: usize = 8;

/// A worker makes its steps. Another thread reads their number, once the worker is done.
fn client(publish: Ordering, observe: Ordering) {
    let worker = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
    let watcher = Arc::clone(&worker);
    let watcher = spawn(move || {
        if watcher.1.load(observe) {
            assert_ne!(watcher.0.load(Relaxed), 0, "the worker is done and has not begun");
        }
    });
    for step in 1..=STEPS {
        worker.0.store(step, Relaxed);
    }
    worker.1.store(true, publish);
    watcher.join().unwrap();
}

pub(crate) fn broken() {
    client(Relaxed, Relaxed);
}

pub(crate) fn repaired() {
    client(Release, Acquire);
}
