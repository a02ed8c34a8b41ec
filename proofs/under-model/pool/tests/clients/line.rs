//! Hosts for the clients' tasks: a worker's queue, and a slot for one job. Futures for the clients.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::super::library::internal::{Host, Place, Runnable, new_task};
use super::super::library::task::Task;
use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::{AtomicU32, Ordering};
use aqueduct_model::thread::{self, Thread, park};

/// The worker's queue.
pub(super) struct Line {
    jobs: Mutex<VecDeque<Runnable>>,
    pub(super) finished: AtomicU32,
    pub(super) lost_panics: AtomicU32,
    worker: Thread,
}

pub(super) struct Home(pub(super) Arc<Line>);

// SAFETY: all threads of an execution run on one thread.
unsafe impl Send for Home {}
// SAFETY: all threads of an execution run on one thread.
unsafe impl Sync for Home {}

impl Host for Home {
    unsafe fn schedule(this: *const Self, job: Runnable, _: Place) {
        // SAFETY: the task exists until the job can be found.
        let line = Arc::clone(unsafe { &(*this).0 });
        line.jobs.lock().unwrap().push_back(job);
        line.worker.unpark();
    }

    fn finished(&self) {
        self.0.finished.fetch_add(1, Ordering::Relaxed);
        self.0.worker.unpark();
    }

    fn lost_panic(&self, _: Box<dyn std::any::Any + Send>) {
        self.0.lost_panics.fetch_add(1, Ordering::Relaxed);
    }
}

/// A value that the threads of a client share.
pub(super) struct Shared<T>(pub(super) Arc<T>);

// SAFETY: all threads of an execution run on one thread.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: all threads of an execution run on one thread.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> std::ops::Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

pub(super) fn shared<T>(value: T) -> Shared<T> {
    Shared(Arc::new(value))
}

impl Line {
    pub(super) fn new() -> Shared<Self> {
        shared(Self {
            jobs: Mutex::new(VecDeque::new()),
            finished: AtomicU32::new(0),
            lost_panics: AtomicU32::new(0),
            worker: thread::current(),
        })
    }

    pub(super) fn run_one(&self) -> bool {
        let job = self.jobs.lock().unwrap().pop_front();
        job.map(Runnable::run).is_some()
    }

    /// Runs jobs until a task has finished and the queue is empty.
    pub(super) fn run(&self) {
        while self.run_one() || self.finished.load(Ordering::Relaxed) == 0 {
            if self.jobs.lock().unwrap().is_empty() && self.finished.load(Ordering::Relaxed) == 0 {
                park();
            }
        }
    }
}

/// Makes a task, and puts its job into the queue.
pub(super) fn task<T: Send + 'static>(
    line: &Shared<Line>,
    future: impl Future<Output = T> + Send + 'static,
) -> Task<T> {
    let (job, task) = new_task(future, Home(Arc::clone(&line.0)));
    line.jobs.lock().unwrap().push_back(job);
    task
}

/// Counts how often it is dropped.
pub(super) struct Counted(pub(super) Shared<AtomicU32>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Returns a place in which a poll leaves its waker for the client.
pub(super) fn pocket() -> Shared<RefCell<Option<Waker>>> {
    shared(RefCell::new(None))
}

/// Returns a future that leaves its waker at its first poll, and is ready afterwards if `is_ready`
/// returns true.
pub(super) fn waits(
    pocket: &Shared<RefCell<Option<Waker>>>,
    is_ready: impl Fn() -> bool + Send + 'static,
) -> impl Future<Output = ()> + Send + 'static {
    let pocket = pocket.clone();
    let mut is_first = true;
    poll_fn(move |context| {
        if std::mem::take(&mut is_first) {
            *pocket.borrow_mut() = Some(context.waker().clone());
            return Poll::Pending;
        }
        if is_ready() { Poll::Ready(()) } else { Poll::Pending }
    })
}

/// Makes a task that has been polled once. Returns its waker, too.
pub(super) fn polled_once(line: &Shared<Line>, is_ready: impl Fn() -> bool + Send + 'static) -> (Task<()>, Waker) {
    let pocket = pocket();
    let task = task(line, waits(&pocket, is_ready));
    assert!(line.run_one());
    let waker = pocket.borrow_mut().take().unwrap();
    (task, waker)
}

/// A slot for one job. Unless it is `ORDERED`, as the queues of a pool are, a job in the slot
/// orders no earlier accesses.
pub(super) struct Spot<const ORDERED: bool> {
    is_full: AtomicU32,
    job: RefCell<Option<Runnable>>,
}

impl<const ORDERED: bool> Spot<ORDERED> {
    pub(super) fn new() -> Shared<Self> {
        shared(Self { is_full: AtomicU32::new(0), job: RefCell::new(None) })
    }

    /// Runs the job, if there is one.
    pub(super) fn run_one(&self) -> bool {
        let order = if ORDERED { Ordering::Acquire } else { Ordering::Relaxed };
        let is_full = self.is_full.swap(0, order) == 1;
        if is_full {
            let job = self.job.borrow_mut().take();
            job.unwrap().run();
        }
        is_full
    }
}

pub(super) struct AtSpot<const ORDERED: bool>(pub(super) Shared<Spot<ORDERED>>);

impl<const ORDERED: bool> Host for AtSpot<ORDERED> {
    unsafe fn schedule(this: *const Self, job: Runnable, _: Place) {
        // SAFETY: the task exists until the job can be found.
        let spot = unsafe { (*this).0.clone() };
        *spot.job.borrow_mut() = Some(job);
        spot.is_full.store(1, if ORDERED { Ordering::Release } else { Ordering::Relaxed });
    }

    fn finished(&self) {}

    fn lost_panic(&self, _: Box<dyn std::any::Any + Send>) {}
}
