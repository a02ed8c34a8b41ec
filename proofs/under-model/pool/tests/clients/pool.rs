//! Whole pools: calls from outside, joins, panics, jobs that are left at the end.

pub(crate) mod waits;

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::common::{Client, Walk};
use super::library::task::{self, Task};
use super::library::{ThreadPool, ThreadPoolBuilder, join, spawn};
use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::{AtomicU32, Ordering};

pub(super) fn pool(threads: usize) -> ThreadPool {
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

fn a_task_from_outside() {
    let pool = pool(1);
    assert_eq!(pool.spawn_task(async { 7 }).join().unwrap(), 7);
    pool.close();
}

fn a_task_is_left() {
    let pool = pool(1);
    let task = pool.spawn_task(async { 7 });
    pool.close();
    match task.join() {
        Ok(result) => assert_eq!(result, 7),
        Err(error) => assert!(error.is_aborted()),
    }
}

/// A task waits forever, and its waker outlives the pool.
fn a_task_that_waits_is_left() {
    let pool = pool(1);
    let waker = Arc::new(Mutex::new(None));
    let theirs = Arc::clone(&waker);
    let task = pool.spawn_task(poll_fn(move |context| {
        *theirs.lock().unwrap() = Some(context.waker().clone());
        Poll::<()>::Pending
    }));
    pool.close();
    assert!(task.join().unwrap_err().is_aborted());
    let waker = waker.lock().unwrap().take();
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// A task makes another one while the pool ends: the new task is aborted like the others.
fn a_task_is_made_late() {
    struct Late {
        made: Arc<Mutex<Option<Task<()>>>>,
        kept: Arc<Mutex<Option<Waker>>>,
    }
    impl Drop for Late {
        fn drop(&mut self) {
            let kept = Arc::clone(&self.kept);
            *self.made.lock().unwrap() = Some(task::spawn(poll_fn(move |context| {
                *kept.lock().unwrap() = Some(context.waker().clone());
                Poll::Pending
            })));
        }
    }
    let pool = pool(1);
    let (made, kept) = (Arc::new(Mutex::new(None)), Arc::new(Mutex::new(None)));
    let late = Late { made: Arc::clone(&made), kept: Arc::clone(&kept) };
    pool.spawn_task(async move { drop(late) }).detach();
    pool.close();
    let task = made.lock().unwrap().take();
    assert!(task.unwrap().join().unwrap_err().is_aborted());
    drop(kept);
}

fn tasks_of_two_workers() {
    let pool = pool(2);
    let outer = pool.spawn_task(async {
        let inner = [1, 2].map(|number| task::spawn(async move { number }));
        let mut sum = 0;
        for task in inner {
            sum += task.await.unwrap();
        }
        sum
    });
    assert_eq!(outer.join().unwrap(), 3);
    pool.close();
}

fn a_worker_blocks_on_a_task() {
    let pool = pool(2);
    assert_eq!(pool.install(|| task::block_on(task::spawn(async { 7 }))).unwrap(), 7);
    pool.close();
}

pub(crate) const CLIENTS: &[Client] = &[
    ("a_pool_ends_at_once", a_pool_ends_at_once, 48),
    ("a_join_of_one_worker", a_join_of_one_worker, 12_448),
    ("a_spawned_job_is_left", a_spawned_job_is_left, 5_994),
];

/// Long clients: random executions, unless `AQUEDUCT_THOROUGH` is set.
pub(crate) const LONG: &[Client] = &[
    ("a_call_from_outside", a_call_from_outside, 12_448),
    ("a_broadcast", a_broadcast, 6468),
    ("the_first_closure_panics", the_first_closure_panics, 12_448),
    ("the_second_closure_panics", the_second_closure_panics, 12_448),
];

pub(crate) const WALKS: &[Walk] = &[
    ("a_join_of_two_workers", a_join_of_two_workers),
    ("a_job_spawns_another_one", a_job_spawns_another_one),
    ("a_panic_of_two_workers", a_panic_of_two_workers),
    ("a_task_is_left", a_task_is_left),
    ("a_task_that_waits_is_left", a_task_that_waits_is_left),
    ("a_task_is_made_late", a_task_is_made_late),
    ("a_task_from_outside", a_task_from_outside),
    ("tasks_of_two_workers", tasks_of_two_workers),
    ("a_worker_blocks_on_a_task", a_worker_blocks_on_a_task),
];
