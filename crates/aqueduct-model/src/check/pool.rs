//! Work for several operating system threads: explorations that share nothing, handed over when
//! somebody has none.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::config::Config;
use crate::explore::Explorer;
use crate::report::Failure;

/// An exploration to be done.
pub(super) struct Task {
    pub(super) explorer: Explorer,
    /// Whether its graph is to be run as it is, and not to be left for the next one first.
    pub(super) fresh: bool,
}

/// What the workers share.
pub(super) struct Pool {
    tasks: Mutex<Tasks>,
    arrival: Condvar,
    /// How many workers wait for more tasks than there are.
    hungry: AtomicUsize,
    stopped: AtomicBool,
    pub(super) began: Instant,
    pub(super) executions: AtomicU64,
    /// The explored share of everything, in parts of 2 to the power of 32.
    pub(super) explored: AtomicU64,
    failure: Mutex<Option<Failure>>,
}

struct Tasks {
    waiting: Vec<Task>,
    workers: usize,
    idle: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    pub(super) fn new(first: Task, workers: usize) -> Self {
        Self {
            tasks: Mutex::new(Tasks { waiting: vec![first], workers, idle: 0 }),
            arrival: Condvar::new(),
            hungry: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            began: Instant::now(),
            executions: AtomicU64::new(0),
            explored: AtomicU64::new(0),
            failure: Mutex::new(None),
        }
    }

    /// The next task. `None` when all is done, or the check has been stopped.
    pub(super) fn take(&self) -> Option<Task> {
        let mut tasks = lock(&self.tasks);
        tasks.idle += 1;
        loop {
            if self.has_stopped() {
                return None;
            }
            if let Some(task) = tasks.waiting.pop() {
                tasks.idle -= 1;
                self.count_hungry(&tasks);
                return Some(task);
            }
            if tasks.idle == tasks.workers {
                self.arrival.notify_all();
                self.stopped.store(true, Ordering::Relaxed);
                return None;
            }
            self.count_hungry(&tasks);
            tasks = self.arrival.wait(tasks).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn count_hungry(&self, tasks: &Tasks) {
        let hungry = tasks.idle.saturating_sub(tasks.waiting.len());
        self.hungry.store(hungry, Ordering::Relaxed);
    }

    /// Whether somebody has nothing to do.
    #[inline]
    pub(super) fn is_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    /// Hands a task to whoever has nothing to do.
    pub(super) fn give(&self, task: Task) {
        let mut tasks = lock(&self.tasks);
        tasks.waiting.push(task);
        self.count_hungry(&tasks);
        drop(tasks);
        self.arrival.notify_one();
    }

    /// Makes all workers stop as soon as they can.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        drop(lock(&self.tasks));
        self.arrival.notify_all();
    }

    #[inline]
    pub(super) fn has_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Stops with a failure; the first one counts.
    pub(super) fn fail(&self, failure: Failure) {
        lock(&self.failure).get_or_insert(failure);
        self.stop();
    }

    pub(super) fn failure(&self) -> Option<Failure> {
        lock(&self.failure).take()
    }

    /// Whether a limit of the configuration has been reached.
    pub(super) fn is_over(&self, config: &Config) -> bool {
        config.max_executions.is_some_and(|limit| self.executions.load(Ordering::Relaxed) >= limit)
            || config.time_limit.is_some_and(|limit| self.began.elapsed() >= limit)
    }
}
