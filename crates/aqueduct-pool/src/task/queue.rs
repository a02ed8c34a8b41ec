//! The ready tasks of each worker.
//!
//! # Rules
//! 1. A worker has a queue of tasks, from which it takes the oldest, and a slot for the *next* task. Other
//!    workers can take from both; they look at the slot only before they would sleep, because its own worker
//!    comes to it soon.
//! 2. A task that a worker wakes becomes its next task. The earlier next task goes to the end of the queue.
//! 3. After some tasks from the slot in a row, the worker takes a task from its queue first.
//! 4. Only the worker itself fills its slot. So an empty slot stays empty until the worker fills it.
//! 5. A worker that has one ready task, and is about to take it, wakes no other worker for it. If the worker is
//!    busy for longer, the watch (`watch.rs`) notices.

use std::cell::{Cell, UnsafeCell};

use aqueduct::bwos::{Steal, fifo};
use aqueduct::error::PushError;

use super::list::List;
use super::next::Next;
use super::raw::{Place, Runnable};
use crate::job::JobRef;
use crate::sync::{AtomicUsize, Ordering};

/// The number of tasks in a row from the slot while the queue holds tasks.
const IN_A_ROW: u32 = 3;

/// The greatest number of tasks in one theft.
const BATCH: usize = 32;

/// The part of a worker's tasks that other workers see.
pub(crate) struct Stand {
    stealer: fifo::Stealer<JobRef>,
    pub(crate) next: Next,
    /// The number of tasks that the worker has taken. Only the worker writes it.
    taken: AtomicUsize,
    pub(crate) list: List,
}

/// The part that only the worker uses.
pub(crate) struct Ready {
    queue: UnsafeCell<fifo::Owner<JobRef>>,
    in_a_row: Cell<u32>,
}

/// The result of a push.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Push {
    /// The only ready task: the worker comes to it soon.
    Alone,
    /// One of several ready tasks: another worker may be woken.
    Besides,
    /// The queue had no room for this task.
    Full(JobRef),
}

impl Stand {
    pub(crate) fn new(stealer: fifo::Stealer<JobRef>) -> Self {
        Self { stealer, next: Next::new(), taken: AtomicUsize::new(0), list: List::default() }
    }

    /// Whether no task is ready, as far as the calling thread can see.
    pub(crate) fn is_empty(&self) -> bool {
        self.next.is_empty() && self.stealer.is_empty()
    }

    /// Returns the number of tasks that the worker has taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }
}

impl Ready {
    pub(crate) fn new(queue: fifo::Owner<JobRef>) -> Self {
        Self { queue: UnsafeCell::new(queue), in_a_row: Cell::new(0) }
    }

    /// Returns the queue. The reference must not outlive the operation.
    #[expect(clippy::mut_from_ref, reason = "only the worker's thread has it, and no operation calls back")]
    fn queue(&self) -> &mut fifo::Owner<JobRef> {
        // SAFETY: only the worker's thread uses the queue, and no operation of it calls a function of the
        // worker.
        unsafe { &mut *self.queue.get() }
    }

    /// Adds a task.
    pub(crate) fn push(&self, stand: &Stand, job: JobRef, place: Place) -> Push {
        match place {
            // SAFETY: only the worker calls this.
            Place::Next => match unsafe { stand.next.put(Runnable(job)) } {
                Some(Runnable(before)) => self.push_last(before, Push::Besides),
                None => Push::Alone,
            },
            Place::Last if self.queue().is_empty() && stand.next.is_empty() => self.push_last(job, Push::Alone),
            Place::Last => self.push_last(job, Push::Besides),
        }
    }

    fn push_last(&self, job: JobRef, otherwise: Push) -> Push {
        match self.queue().push(job) {
            Ok(()) => otherwise,
            Err(PushError::Full(job) | PushError::Busy(job)) => Push::Full(job),
        }
    }

    /// Takes a task of another worker's queue, and moves more tasks from there to this queue, at most half of
    /// them. The caller wakes another worker if this queue has tasks now.
    pub(crate) fn steal(&self, victim: &Stand) -> Steal<JobRef> {
        let most = victim.stealer.len().div_ceil(2).clamp(1, BATCH);
        victim.stealer.steal_batch_and_pop(self.queue(), most)
    }

    /// Takes the task that is to run next.
    pub(crate) fn take(&self, stand: &Stand) -> Option<JobRef> {
        let in_a_row = self.in_a_row.get();
        let next = if in_a_row < IN_A_ROW { stand.next.take() } else { None };
        self.in_a_row.set(if next.is_some() { in_a_row + 1 } else { 0 });
        let oldest = || self.queue().pop().ok();
        let last = || stand.next.take().map(|Runnable(job)| job);
        let job = next.map(|Runnable(job)| job).or_else(oldest).or_else(last)?;
        // Relaxed: only this thread writes.
        stand.taken.store(stand.taken.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        Some(job)
    }
}
