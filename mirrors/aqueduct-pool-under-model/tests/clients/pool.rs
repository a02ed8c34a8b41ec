//! Whole pools: calls from outside, joins, panics, jobs that are left at the end.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::common::{Client, Walk};
use super::library::{ThreadPool, ThreadPoolBuilder, join, spawn};
use aqueduct_model::sync::atomic::{AtomicU32, Ordering};

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).deque_capacity(2).build().unwrap()
}

fn a_call_from_outside() {
    let pool = pool(1);
    assert_eq!(pool.install(|| 7), 7);
    pool.close();
}

fn a_pool_ends_at_once() {
    pool(1).close();
}

fn a_join_of_one_worker() {
    let pool = pool(1);
    assert_eq!(pool.join(|| 1, || 2), (1, 2));
    pool.close();
}

fn a_spawned_job_is_left() {
    let pool = pool(1);
    let runs = Arc::new(AtomicU32::new(0));
    let theirs = Arc::clone(&runs);
    pool.spawn(move || {
        theirs.fetch_add(1, Ordering::Relaxed);
    });
    pool.close();
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

fn a_broadcast() {
    let pool = pool(1);
    assert_eq!(pool.broadcast(|context| context.index() + 1), [1]);
    pool.close();
}

fn a_panic(first: bool) {
    let pool = pool(1);
    let ended = AtomicU32::new(0);
    let body = |panics: bool| {
        if panics {
            resume_unwind(Box::new(7));
        }
        ended.fetch_add(1, Ordering::Relaxed);
    };
    let result = catch_unwind(AssertUnwindSafe(|| pool.join(|| body(first), || body(!first))));
    assert_eq!(result.unwrap_err().downcast_ref::<i32>(), Some(&7));
    assert_eq!(ended.load(Ordering::Relaxed), 1);
    pool.close();
}

fn the_first_closure_panics() {
    a_panic(true);
}

fn the_second_closure_panics() {
    a_panic(false);
}

fn a_join_of_two_workers() {
    let pool = pool(2);
    let (a, b) = pool.install(|| join(|| 1, || 2));
    assert_eq!((a, b), (1, 2));
    pool.close();
}

fn a_job_spawns_another_one() {
    let pool = pool(2);
    let runs = Arc::new(AtomicU32::new(0));
    let theirs = Arc::clone(&runs);
    pool.spawn(move || {
        spawn(move || {
            theirs.fetch_add(1, Ordering::Relaxed);
        });
    });
    pool.close();
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

fn a_panic_of_two_workers() {
    let pool = pool(2);
    let ended = AtomicU32::new(0);
    let first = || -> () { resume_unwind(Box::new(7)) };
    let result = catch_unwind(AssertUnwindSafe(|| pool.join(first, || ended.fetch_add(1, Ordering::Relaxed))));
    assert_eq!(result.unwrap_err().downcast_ref::<i32>(), Some(&7));
    assert_eq!(ended.load(Ordering::Relaxed), 1);
    pool.close();
}

pub(crate) const CLIENTS: &[Client] = &[
    ("a_pool_ends_at_once", a_pool_ends_at_once, 56),
    ("a_call_from_outside", a_call_from_outside, 14_680),
    ("a_join_of_one_worker", a_join_of_one_worker, 14_680),
    ("a_spawned_job_is_left", a_spawned_job_is_left, 11_965),
    ("a_broadcast", a_broadcast, 7238),
    ("the_first_closure_panics", the_first_closure_panics, 14_680),
    ("the_second_closure_panics", the_second_closure_panics, 14_680),
];

pub(crate) const WALKS: &[Walk] = &[
    ("a_join_of_two_workers", a_join_of_two_workers),
    ("a_job_spawns_another_one", a_job_spawns_another_one),
    ("a_panic_of_two_workers", a_panic_of_two_workers),
];
