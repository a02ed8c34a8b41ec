//! Sleep and wake: a worker that goes to sleep while another thread adds a job, or sets the latch.

use std::sync::Arc;

use super::common::Client;
use super::library::internal::{CoreLatch, Sleep};
use aqueduct_model::sync::atomic::{AtomicU32, Ordering};
use aqueduct_model::thread::spawn;

/// Workers that sleep while there are no jobs. Jobs are a number here.
struct Pool {
    sleep: Sleep,
    jobs: AtomicU32,
}

impl Pool {
    fn new(workers: usize) -> Arc<Self> {
        Arc::new(Self { sleep: Sleep::new(workers), jobs: AtomicU32::new(0) })
    }

    /// Adds a job, as a thread that is not a worker.
    fn add(&self) {
        self.jobs.fetch_add(1, Ordering::Relaxed);
        self.sleep.notify_from_outside();
    }

    /// Adds a job, as a worker.
    fn push(&self) {
        self.jobs.fetch_add(1, Ordering::Relaxed);
        self.sleep.notify();
    }

    fn take(&self) -> bool {
        let mut left = self.jobs.load(Ordering::Relaxed);
        while left > 0 {
            match self.jobs.compare_exchange(left, left - 1, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => return true,
                Err(now) => left = now,
            }
        }
        false
    }

    /// Takes a job, as a worker's search does, and sleeps until there is one.
    fn wait(&self, index: usize) {
        let mut is_searcher = self.sleep.start_search();
        loop {
            if is_searcher && self.take() {
                return self.sleep.stop_search();
            }
            if self.sleep.enter(index, is_searcher).begin() && self.take() {
                return self.sleep.leave(index, true);
            }
            is_searcher = self.sleep.sleep(index);
        }
    }
}

fn one_worker_and_one_job() {
    let pool = Pool::new(1);
    let theirs = Arc::clone(&pool);
    let worker = spawn(move || theirs.wait(0));
    pool.add();
    worker.join().unwrap();
}

fn two_jobs_for_one_worker() {
    let pool = Pool::new(1);
    let theirs = Arc::clone(&pool);
    let worker = spawn(move || {
        theirs.wait(0);
        theirs.wait(0);
    });
    pool.add();
    pool.add();
    worker.join().unwrap();
}

/// A worker that is awake, and stays so, adds a job for one that goes to sleep.
fn a_busy_worker_and_a_job() {
    let pool = Pool::new(2);
    let theirs = Arc::clone(&pool);
    let worker = spawn(move || theirs.wait(0));
    pool.push();
    worker.join().unwrap();
}

/// A thread from outside adds a job. The worker that takes it adds another one, and the other
/// worker, which may be the last one that goes to sleep, takes that.
fn a_job_that_makes_a_job() {
    let pool = Pool::new(2);
    let is_first = Arc::new(AtomicU32::new(0));
    let workers: Vec<_> = (0..2)
        .map(|index| {
            let (pool, is_first) = (Arc::clone(&pool), Arc::clone(&is_first));
            spawn(move || {
                pool.wait(index);
                if is_first.fetch_add(1, Ordering::Relaxed) == 0 {
                    pool.push();
                }
            })
        })
        .collect();
    pool.add();
    workers.into_iter().for_each(|worker| worker.join().unwrap());
}

/// Both workers sleep, and one of them is woken for two jobs: it wakes the other worker.
fn two_workers_and_two_jobs() {
    let pool = Pool::new(2);
    let workers: Vec<_> = (0..2)
        .map(|index| {
            let theirs = Arc::clone(&pool);
            spawn(move || theirs.wait(index))
        })
        .collect();
    pool.add();
    pool.add();
    workers.into_iter().for_each(|worker| worker.join().unwrap());
}

/// The worker waits for a latch, in its place in the list.
fn wait_for(sleep: &Sleep, latch: &CoreLatch, is_alone: bool) {
    while !latch.is_set() {
        if !latch.fall_asleep() {
            break;
        }
        if is_alone {
            let _ = sleep.enter_alone(0, false);
        } else {
            let _ = sleep.enter(0, false);
        }
        if latch.is_set() {
            sleep.leave(0, false);
        } else {
            sleep.sleep(0);
        }
        latch.wake_up();
    }
}

#[expect(clippy::arc_with_non_send_sync, reason = "all threads of an execution run on one thread")]
fn latch(is_alone: bool) {
    let shared = Arc::new((Sleep::new(1), CoreLatch::new(), aqueduct_model::cell::UnsafeCell::new(0)));
    let theirs = Arc::clone(&shared);
    let worker = spawn(move || {
        wait_for(&theirs.0, &theirs.1, is_alone);
        // SAFETY: the latch is set after the result; the model reports a race otherwise.
        theirs.2.with(|result| assert_eq!(unsafe { *result }, 7));
    });
    // SAFETY: no thread reads the result before the latch is set.
    shared.2.with_mut(|result| unsafe { *result = 7 });
    // SAFETY: the latch is shared by `Arc`.
    if unsafe { CoreLatch::set(&raw const shared.1) } {
        shared.0.wake(0);
    }
    worker.join().unwrap();
}

fn a_latch_wakes_its_worker() {
    latch(false);
}

fn a_latch_wakes_a_worker_that_takes_no_others_work() {
    latch(true);
}

/// A worker that is woken by its latch has been woken for a job at the same time: another worker
/// gets the job.
fn a_latch_and_a_job() {
    let shared = Arc::new((Pool::new(2), CoreLatch::new()));
    let (first, second) = (Arc::clone(&shared), Arc::clone(&shared));
    let waits = spawn(move || {
        let (pool, latch) = &*first;
        let mut is_searcher = false;
        while !latch.is_set() && latch.fall_asleep() {
            let _ = pool.sleep.enter(0, is_searcher);
            if latch.is_set() {
                return pool.sleep.leave(0, false);
            }
            is_searcher = pool.sleep.sleep(0);
            latch.wake_up();
        }
        if is_searcher {
            pool.sleep.stop_search();
        }
    });
    let works = spawn(move || second.0.wait(1));
    // SAFETY: the latch is shared by `Arc`.
    if unsafe { CoreLatch::set(&raw const shared.1) } {
        shared.0.sleep.wake(0);
    }
    shared.0.add();
    waits.join().unwrap();
    works.join().unwrap();
}

pub(crate) const CLIENTS: &[Client] = &[
    ("one_worker_and_one_job", one_worker_and_one_job, 10),
    ("a_busy_worker_and_a_job", a_busy_worker_and_a_job, 10),
    ("two_jobs_for_one_worker", two_jobs_for_one_worker, 289),
    ("a_latch_wakes_its_worker", a_latch_wakes_its_worker, 7),
    ("a_latch_wakes_a_worker_that_takes_no_others_work", a_latch_wakes_a_worker_that_takes_no_others_work, 7),
    ("a_latch_and_a_job", a_latch_and_a_job, 1156),
];

/// Long clients: random executions, unless `AQUEDUCT_THOROUGH` is set.
pub(crate) const LONG: &[Client] = &[
    ("two_workers_and_two_jobs", two_workers_and_two_jobs, 385_827),
    ("a_job_that_makes_a_job", a_job_that_makes_a_job, 230_754),
];
