//! Waits within waits: workers that wait beyond the bound, and in bodies of `undisturbed`.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::super::common::Walk;
use super::super::library::task;
use super::super::library::{ThreadPool, ThreadPoolBuilder, join, spawn, undisturbed};
use super::pool;
use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::{AtomicU32, Ordering};
use aqueduct_model::thread::{Thread, current, park};

/// Makes a pool whose workers run no foreign job within a `block_on`.
fn bounded_pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).deque_capacity(2).max_nested_jobs(0).build().unwrap()
}

/// Blocks on a task that blocks on a task.
fn blocks_twice() -> u32 {
    task::block_on(task::spawn(async { task::spawn(async { 7 }).join().unwrap() })).unwrap()
}

/// Blocks on two tasks, of which only one is the worker's next task.
fn blocks_on_two() -> u32 {
    let tasks = [1, 2].map(|number| task::spawn(async move { number }));
    tasks.map(|task| task.join().unwrap()).iter().sum()
}

fn a_bounded_worker_blocks_within_a_task() {
    let pool = bounded_pool(1);
    assert_eq!(pool.install(blocks_twice), 7);
    pool.close();
}

fn a_bounded_worker_blocks_on_two_tasks() {
    let pool = bounded_pool(1);
    assert_eq!(pool.install(blocks_on_two), 3);
    pool.close();
}

fn bounded_workers_block_on_tasks_from_outside() {
    let pool = bounded_pool(2);
    let tasks = [1, 2].map(|number| pool.spawn_task(async move { number }));
    let [first, second] = tasks.map(|task| move || task.join().unwrap());
    assert_eq!(pool.join(first, second), (1, 2));
    pool.close();
}

fn an_undisturbed_worker_blocks_within_a_task() {
    let pool = pool(1);
    assert_eq!(pool.install(|| undisturbed(blocks_twice)), 7);
    pool.close();
}

fn two_undisturbed_workers_block() {
    let pool = pool(2);
    assert_eq!(pool.install(|| join(|| undisturbed(blocks_on_two), || undisturbed(blocks_on_two))), (3, 3));
    pool.close();
}

/// Both closures of an undisturbed join block: the thief is a member of the body.
fn members_of_a_body_block() {
    let pool = pool(2);
    assert_eq!(pool.install(|| undisturbed(|| join(blocks_on_two, blocks_twice))), (3, 7));
    pool.close();
}

/// A task and a job of a body are left when it is over.
fn parts_of_a_body_are_left() {
    let pool = pool(1);
    let runs = Arc::new(AtomicU32::new(0));
    let theirs = Arc::clone(&runs);
    let task = pool.install(|| {
        undisturbed(|| {
            spawn(move || {
                theirs.fetch_add(1, Ordering::Relaxed);
            });
            task::spawn(async { 7 })
        })
    });
    assert_eq!(task.join().unwrap(), 7);
    pool.close();
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

/// A gate for one future.
struct Gate {
    is_open: AtomicU32,
    waker: Mutex<Option<Waker>>,
    /// The thread that made the gate.
    thread: Thread,
}

// SAFETY: all threads of an execution run on one thread.
unsafe impl Send for Gate {}
// SAFETY: all threads of an execution run on one thread.
unsafe impl Sync for Gate {}

impl Gate {
    fn new() -> Arc<Self> {
        Arc::new(Self { is_open: AtomicU32::new(0), waker: Mutex::new(None), thread: current() })
    }

    /// Gives a worker the time to fall asleep, in executions that are picked at random.
    fn hesitate(&self) {
        (0..60).for_each(|_| self.is_open.store(0, Ordering::Relaxed));
    }

    fn open(&self) {
        self.is_open.store(1, Ordering::SeqCst);
        let waker = self.waker.lock().unwrap().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Waits until the gate is open. Unparks the thread that made it at each poll.
    fn pass(self: Arc<Self>) -> impl Future<Output = ()> + Send {
        poll_fn(move |context| {
            *self.waker.lock().unwrap() = Some(context.waker().clone());
            self.thread.unpark();
            if self.is_open.load(Ordering::SeqCst) == 1 { Poll::Ready(()) } else { Poll::Pending }
        })
    }
}

/// A task of a body waits for a thread that is not a worker, and the worker sleeps, or is about to.
fn a_body_is_woken_from_outside() {
    let pool = pool(1);
    let gate = Gate::new();
    let theirs = Arc::clone(&gate);
    // The end of the pool may abort the task.
    pool.spawn(move || undisturbed(|| drop(task::spawn(theirs.pass()).join())));
    park();
    gate.hesitate();
    gate.open();
    pool.close();
}

/// A task of a body blocks on one that is not a part of it when the body ends. Its worker has to
/// take that task then, because the other worker is in another body.
fn a_body_ends_around_a_wait() {
    let pool = pool(2);
    let gate = Gate::new();
    let outer = pool.spawn_task(Arc::clone(&gate).pass());
    let result = pool.install(|| {
        let has_begun = Gate::new();
        let task = undisturbed(|| {
            let task = task::spawn(async move {
                has_begun.thread.unpark();
                outer.join().unwrap();
                7
            });
            park();
            gate.hesitate();
            task
        });
        gate.open();
        undisturbed(|| task.join().unwrap())
    });
    assert_eq!(result, 7);
    pool.close();
}

/// The jobs from before do not run while the body waits.
fn jobs_from_before<const JOBS: usize>() {
    let pool = pool(1);
    let (is_within, met, runs) =
        (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    pool.install(|| {
        for _ in 0..JOBS {
            let (is_within, met, runs) = (Arc::clone(&is_within), Arc::clone(&met), Arc::clone(&runs));
            spawn(move || {
                met.fetch_add(is_within.load(Ordering::Relaxed), Ordering::Relaxed);
                runs.fetch_add(1, Ordering::Relaxed);
            });
        }
        undisturbed(|| {
            is_within.store(1, Ordering::Relaxed);
            assert_eq!(task::spawn(async { 7 }).join().unwrap(), 7);
            is_within.store(0, Ordering::Relaxed);
        });
    });
    pool.close();
    assert_eq!((met.load(Ordering::Relaxed), runs.load(Ordering::Relaxed) as usize), (0, JOBS));
}

fn a_job_from_before_waits() {
    jobs_from_before::<1>();
}

/// More jobs than the deque has room for, so there is no mark below the body's.
fn a_full_deque_waits() {
    jobs_from_before::<6>();
}

pub(crate) const WALKS: &[Walk] = &[
    ("a_bounded_worker_blocks_within_a_task", a_bounded_worker_blocks_within_a_task),
    ("a_bounded_worker_blocks_on_two_tasks", a_bounded_worker_blocks_on_two_tasks),
    ("bounded_workers_block_on_tasks_from_outside", bounded_workers_block_on_tasks_from_outside),
    ("an_undisturbed_worker_blocks_within_a_task", an_undisturbed_worker_blocks_within_a_task),
    ("two_undisturbed_workers_block", two_undisturbed_workers_block),
    ("members_of_a_body_block", members_of_a_body_block),
    ("parts_of_a_body_are_left", parts_of_a_body_are_left),
    ("a_body_ends_around_a_wait", a_body_ends_around_a_wait),
    ("a_body_is_woken_from_outside", a_body_is_woken_from_outside),
    ("a_job_from_before_waits", a_job_from_before_waits),
    ("a_full_deque_waits", a_full_deque_waits),
];
