//! A worker that empties a queue until it is stopped.

use aqueduct::bbq::Queue;
use aqueduct::error::PopError;

use crate::world::sync::atomic::AtomicBool;
use crate::world::sync::atomic::Ordering::{Acquire, Release};
use crate::world::thread;

/// Jobs for the worker, and whether more will follow.
pub(crate) struct Inbox {
    pub(crate) jobs: Queue<u32>,
    stopped: AtomicBool,
}

impl Inbox {
    pub(crate) fn new(jobs: Queue<u32>) -> Self {
        Self { jobs, stopped: AtomicBool::new(false) }
    }

    /// Publishes that no more jobs follow. Call it after the last push.
    pub(crate) fn stop(&self) {
        // Ordering: Release pairs with `is_stopped`: the jobs pushed before are in the queue of a
        // worker that stops.
        self.stopped.store(true, Release);
    }

    fn is_stopped(&self) -> bool {
        // Ordering: Acquire pairs with `stop`.
        self.stopped.load(Acquire)
    }
}

/// Does all jobs, and returns the sum of their numbers.
pub(crate) fn work(inbox: &Inbox) -> u32 {
    let mut sum = 0;
    loop {
        // `is_stopped` comes before the pop: if no more jobs come and the queue is then empty, all
        // are done.
        let stopped = inbox.is_stopped();
        match inbox.jobs.pop() {
            Ok(job) => sum += job,
            Err(PopError::Empty) if stopped => return sum,
            Err(_) => thread::yield_now(),
        }
    }
}

/// Does all jobs as [`work`], with a mistake: it checks whether to stop after the pop. A job pushed
/// in between is lost.
pub(crate) fn work_that_asks_late(inbox: &Inbox) -> u32 {
    let mut sum = 0;
    loop {
        match inbox.jobs.pop() {
            Ok(job) => sum += job,
            Err(PopError::Empty) if inbox.is_stopped() => return sum,
            Err(_) => thread::yield_now(),
        }
    }
}
