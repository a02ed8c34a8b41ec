//! The tasks that are ready, on each worker.
//!
//! # Rules
//! 1. A worker has a queue of tasks, from which it takes the oldest, and a place for the *next* one. Other workers can
//!    take from both; they look at the place only when they would sleep otherwise, as its own worker comes to it soon.
//! 2. A task that a worker wakes is its next one. The one that was there before goes to the queue's end.
//! 3. After some tasks from the place in a row, the worker takes one from its queue first.
//! 4. Only the worker itself puts something there. So an empty place stays empty until it does.
//! 5. A worker that has one ready task, and is about to take it, wakes nobody for it. If it does not take it, because
//!    it is busy for longer, the watch (`watch.rs`) finds that out.

use std::cell::{Cell, UnsafeCell};

use aqueduct::bwos::{Steal, fifo};
use aqueduct::error::PushError;

use super::list::List;
use super::next::Next;
use super::raw::{Place, Runnable};
use crate::job::JobRef;
use crate::sync::{AtomicUsize, Ordering};

/// So many tasks in a row come from the place of the next one while there are others.
const IN_A_ROW: u32 = 3;

/// The most tasks of one theft.
const BATCH: usize = 32;

/// The part of a worker's tasks that others see.
pub(crate) struct Stand {
    stealer: fifo::Stealer<JobRef>,
    pub(crate) next: Next,
    /// How many tasks the worker has taken. It alone writes it.
    taken: AtomicUsize,
    pub(crate) list: List,
}

/// The part that only the worker uses.
pub(crate) struct Ready {
    queue: UnsafeCell<fifo::Owner<JobRef>>,
    in_a_row: Cell<u32>,
}

/// What a push wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Push {
    /// The worker comes to it soon.
    Alone,
    /// There are others: another worker may be woken.
    Besides,
    /// There was no room for this one.
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

    /// How many tasks the worker has taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }
}

impl Ready {
    pub(crate) fn new(queue: fifo::Owner<JobRef>) -> Self {
        Self { queue: UnsafeCell::new(queue), in_a_row: Cell::new(0) }
    }

    /// The queue. The reference must not outlive the operation.
    #[expect(clippy::mut_from_ref, reason = "only the worker's thread has it, and no operation calls back")]
    fn queue(&self) -> &mut fifo::Owner<JobRef> {
        // SAFETY: it is used by the worker's thread alone, and no operation calls anything of the worker.
        unsafe { &mut *self.queue.get() }
    }

    /// Adds a task.
    pub(crate) fn push(&self, stand: &Stand, job: JobRef, place: Place) -> Push {
        match place {
            // SAFETY: only the worker does this.
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

    /// Takes a task of another worker's queue, and moves some more from there to this one: half of what is there at
    /// most. The caller wakes another worker if there are any now.
    pub(crate) fn steal(&self, victim: &Stand) -> Steal<JobRef> {
        let most = victim.stealer.len().div_ceil(2).clamp(1, BATCH);
        victim.stealer.steal_batch_and_pop(self.queue(), most)
    }

    /// Takes the task that comes first.
    pub(crate) fn take(&self, stand: &Stand) -> Option<JobRef> {
        let in_a_row = self.in_a_row.get();
        let next = if in_a_row < IN_A_ROW { stand.next.take() } else { None };
        self.in_a_row.set(if next.is_some() { in_a_row + 1 } else { 0 });
        let oldest = || self.queue().pop().ok();
        let last = || stand.next.take().map(|Runnable(job)| job);
        let job = next.map(|Runnable(job)| job).or_else(oldest).or_else(last)?;
        // Only this thread writes.
        stand.taken.store(stand.taken.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        Some(job)
    }
}
