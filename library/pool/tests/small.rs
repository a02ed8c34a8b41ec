//! Small programs of all parts, for Miri: `.ci/miri` runs them with many orders of threads.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use aqueduct_pool::task::{self, block_on, yield_now};
use aqueduct_pool::{ThreadPool, ThreadPoolBuilder, broadcast, join, scope, scope_fifo, spawn, time, undisturbed};

fn pool(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads).deque_capacity(4).max_nested_jobs(1);
    builder.panic_handler(drop).build().expect("threads can be made")
}

fn fib(n: u32) -> u32 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

#[test]
fn joins() {
    let pool = pool(2);
    assert_eq!(pool.install(|| fib(6)), 8);
    let panics = || join(|| join(|| resume_unwind(Box::new(1)), || "a".to_owned()), || resume_unwind(Box::new(2)));
    let panic = catch_unwind(AssertUnwindSafe(|| pool.install(panics).1)).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&1));
    pool.close();
}

/// A scope's frame goes as soon as its last job has ended, on whatever thread.
#[test]
fn scopes() {
    let pool = pool(2);
    for _ in 0..3 {
        let mut numbers = [0; 3];
        pool.install(|| {
            scope(|scope| {
                for number in &mut numbers {
                    scope.spawn(move |_| *number += 1);
                }
            });
        });
        assert_eq!(numbers, [1; 3]);
        pool.install(|| scope_fifo(|scope| numbers.iter_mut().for_each(|n| scope.spawn_fifo(move |_| *n += 1))));
        assert_eq!(numbers, [2; 3]);
    }
    pool.in_place_scope(|scope| {
        scope.spawn_broadcast(|_, context| assert!(context.index() < 2));
        scope.spawn(|scope| scope.cancel());
    });
    pool.close();
}

#[test]
fn broadcasts() {
    let pool = pool(2);
    assert_eq!(pool.broadcast(|context| context.index()), [0, 1]);
    assert_eq!(pool.install(|| broadcast(|context| context.num_threads())), [2, 2]);
    pool.spawn_broadcast(|_| ());
    pool.close();
}

#[test]
fn tasks() {
    let pool = pool(2);
    let task = pool.spawn_task(async {
        let texts = ["a", "b"].map(|text| {
            task::spawn(async move {
                yield_now().await;
                text.to_owned()
            })
        });
        let panics = task::spawn(async { resume_unwind(Box::new(1)) });
        let mut all = String::new();
        for text in texts {
            all += &text.await.expect("no panic");
        }
        drop(panics.await.expect_err("it panics"));
        all
    });
    assert_eq!(task.join().expect("no panic"), "ab");
    let aborted = pool.spawn_task(std::future::pending::<String>());
    aborted.abort();
    assert!(aborted.join().is_err());
    pool.spawn_task(std::future::pending::<()>()).detach();
    drop(pool.spawn_task(yield_now()));
    pool.close();
}

fn blocks(depth: usize) -> usize {
    if depth == 0 {
        return 1;
    }
    let tasks = [1, 2].map(|_| task::spawn(async move { blocks(depth - 1) }));
    tasks.into_iter().map(|task| block_on(task).expect("no panic")).sum()
}

#[test]
fn waits_within_waits() {
    let pool = pool(2);
    assert_eq!(pool.install(|| join(|| blocks(2), || undisturbed(|| blocks(2)))), (4, 4));
    assert_eq!(pool.install(|| undisturbed(|| join(|| blocks(1), || join(|| blocks(1), || fib(3))))), (2, (2, 2)));
    pool.close();
}

#[test]
fn parts_that_are_left() {
    let runs = Arc::new(AtomicUsize::new(0));
    let pool = pool(2);
    let task = pool.install(|| {
        (0..3).for_each(|_| add(&runs));
        undisturbed(|| {
            (0..3).for_each(|_| add(&runs));
            task::spawn(async { blocks(1) })
        })
    });
    assert_eq!(task.join().expect("no panic"), 2);
    pool.close();
    assert_eq!(runs.load(Ordering::SeqCst), 6);
}

fn add(runs: &Arc<AtomicUsize>) {
    let runs = Arc::clone(runs);
    spawn(move || {
        runs.fetch_add(1, Ordering::SeqCst);
    });
}

#[test]
fn ends() {
    let runs = Arc::new(AtomicUsize::new(0));
    let theirs = Arc::clone(&runs);
    let builder = ThreadPoolBuilder::new().num_threads(2).exit_handler(move |_| {
        add(&theirs);
        assert_eq!(fib(3), 2);
    });
    let pool = builder.build().expect("threads can be made");
    assert_eq!(pool.install(|| 7), 7);
    pool.broadcast(|_| ());
    // The workers' threads keep the handler until they have called it.
    drop(pool);
    while Arc::strong_count(&runs) > 1 {
        std::thread::yield_now();
    }
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[test]
fn timers() {
    let slept = time::timeout(Duration::from_secs(9), time::sleep(Duration::from_millis(1)));
    assert_eq!(block_on(slept), Ok(()));
}

/// Counts its drops in memory that a scope's caller has.
struct Borrows<'a>(&'a AtomicUsize);

impl Drop for Borrows<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A scope ends after what its jobs have borrowed was dropped.
#[test]
fn what_jobs_hold_is_dropped_before_the_scope_ends() {
    let pool = pool(2);
    for round in 0..if cfg!(miri) { 2 } else { 2000 } {
        let drops = Box::new(AtomicUsize::new(0));
        pool.in_place_scope(|scope| {
            let (one, other) = (Borrows(&drops), Borrows(&drops));
            scope.spawn_broadcast(move |_, _| {
                // The whole value, not its field alone.
                let one = &one;
                assert!(one.0.load(Ordering::SeqCst) < 2);
            });
            scope.spawn(move |_| drop(other));
        });
        assert_eq!(drops.into_inner(), 2, "in round {round}");
    }
    pool.close();
}
