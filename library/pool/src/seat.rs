//! The part of a worker that other threads access.

use aqueduct::bwos::lifo;
use aqueduct::unbounded::Queue;

use crate::job::JobRef;
use crate::latch::{CoreLatch, Gate};
use crate::sync::{AtomicUsize, Ordering};
use crate::task::queue::SharedTasks;
use crate::task::raw::Runnable;

#[repr(align(128))]
pub(crate) struct Seat {
    /// The thieves' handle.
    pub(crate) stealer: lifo::Stealer<JobRef>,
    /// The worker's tasks.
    pub(crate) tasks: SharedTasks,
    /// Jobs for this worker alone.
    pub(crate) broadcasts: Queue<JobRef>,
    /// Set when the worker is to end.
    pub(crate) terminate: CoreLatch,
    /// Open when the thread is running.
    pub(crate) primed: Gate,
    /// Open when the worker takes no more jobs.
    pub(crate) stopped: Gate,
    pub(crate) counts: Counters,
}

impl Seat {
    pub(crate) fn new(stealer: lifo::Stealer<JobRef>, tasks: SharedTasks) -> Self {
        Self {
            stealer,
            tasks,
            broadcasts: Queue::new(),
            terminate: CoreLatch::new(),
            primed: Gate::default(),
            stopped: Gate::default(),
            counts: Counters::default(),
        }
    }

    /// Takes the worker's next task, if there is one.
    pub(crate) fn take_next(&self) -> Option<JobRef> {
        self.tasks.next.take().map(|Runnable(job)| job)
    }
}

/// Counts of a worker's work. Only the worker writes them.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) attempts: Counter,
    pub(crate) thefts: Counter,
    pub(crate) sleeps: Counter,
}

#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicUsize);

impl Counter {
    pub(crate) fn add(&self) {
        // Relaxed: only one thread writes.
        self.0.store(self.0.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}
