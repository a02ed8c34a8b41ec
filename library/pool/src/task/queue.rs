//! The ready tasks of each worker.
//!
//! # Rules
//! 1. A worker has a queue of tasks, from which it takes the oldest, and a slot for the *next*
//!    task. Other workers can take from both; they look at the slot only before they would sleep,
//!    because its own worker comes to it soon.
//! 2. A task that a worker wakes becomes its next task. The earlier next task goes to the end of
//!    the queue.
//! 3. After some tasks from the slot in a row, the worker takes a task from its queue first. In a
//!    *round*, a worker takes the tasks that its queue had at the beginning. A task that the worker
//!    has taken in this round overtakes no other one: it goes to the end of the queue. So a
//!    connection's task, which each of its streams wakes, runs once after all of them, and writes
//!    their answers at once.
//! 4. Only the worker itself fills its slot. So an empty slot stays empty until the worker fills
//!    it.
//! 5. A worker that has one ready task, and is about to take it, wakes no other worker for it. If
//!    the worker is busy for longer, the watch (`watch.rs`) notices.

use std::cell::{Cell, UnsafeCell};

use aqueduct::bwos::{Steal, fifo};
use aqueduct::error::PushError;

use super::list::List;
use super::next::Next;
use super::raw::{Place, Runnable};
use super::round::Round;
use crate::job::JobRef;
use crate::sync::{AtomicUsize, Ordering};

/// The number of tasks in a row from the slot while the queue holds tasks.
const IN_A_ROW: u32 = 3;

/// The greatest number of tasks in one theft.
const BATCH: usize = 32;

/// The part of a worker's tasks that other workers access.
pub(crate) struct SharedTasks {
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
    round: Cell<Round>,
    /// Number of tasks that are left of this round. Too great if thieves have taken some.
    left: Cell<usize>,
    /// Number of tasks that were added to the queue in this round. Too great if thieves have taken
    /// some.
    later: Cell<usize>,
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

impl SharedTasks {
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
    /// Makes the tasks of the worker with that index.
    pub(crate) fn new(queue: fifo::Owner<JobRef>, index: usize) -> Self {
        let (in_a_row, round) = (Cell::new(0), Cell::new(Round::first(index)));
        Self { queue: UnsafeCell::new(queue), in_a_row, round, left: Cell::new(0), later: Cell::new(0) }
    }

    /// Returns the queue. The reference must not outlive the operation.
    #[expect(clippy::mut_from_ref, reason = "only the worker's thread has it, and no operation calls back")]
    fn queue(&self) -> &mut fifo::Owner<JobRef> {
        // SAFETY: only the worker's thread uses the queue, and no operation of it calls a function
        // of the worker.
        unsafe { &mut *self.queue.get() }
    }

    /// Adds a task.
    pub(crate) fn push(&self, shared: &SharedTasks, job: JobRef, place: Place) -> Push {
        if place == Place::Next && self.may_be_next(shared, job) {
            // SAFETY: only the worker calls this.
            return match unsafe { shared.next.put(Runnable(job)) } {
                Some(Runnable(before)) => self.push_last(before, Push::Besides),
                None => Push::Alone,
            };
        }
        let otherwise = if self.has_tasks(shared) { Push::Besides } else { Push::Alone };
        self.push_last(job, otherwise)
    }

    /// Whether the slot is the task's place by rule 3: it may overtake other tasks, or there are
    /// none.
    fn may_be_next(&self, shared: &SharedTasks, job: JobRef) -> bool {
        let is_alone = self.left.get() == 0 && self.later.get() == 0 && shared.next.is_empty();
        is_alone || Runnable(job).head().round.get() != self.round.get()
    }

    /// Whether tasks are ready.
    pub(crate) fn has_tasks(&self, shared: &SharedTasks) -> bool {
        !self.queue().is_empty() || !shared.next.is_empty()
    }

    fn push_last(&self, job: JobRef, otherwise: Push) -> Push {
        match self.queue().push(job) {
            Ok(()) => {
                self.later.set(self.later.get() + 1);
                otherwise
            }
            Err(PushError::Full(job) | PushError::Busy(job)) => Push::Full(job),
        }
    }

    /// Takes a task of another worker's queue, and moves more tasks from there to this queue, at
    /// most half of them. The caller wakes another worker if this queue has tasks now.
    pub(crate) fn steal(&self, victim: &SharedTasks) -> Steal<JobRef> {
        let most = victim.stealer.len().div_ceil(2).clamp(1, BATCH);
        let stolen = victim.stealer.steal_batch_and_pop(self.queue(), most);
        if !stolen.is_empty() {
            self.later.set(self.queue().len());
        }
        stolen
    }

    /// Takes the task that is to run next.
    pub(crate) fn take(&self, shared: &SharedTasks) -> Option<JobRef> {
        let in_a_row = self.in_a_row.get();
        let next = if in_a_row < IN_A_ROW { shared.next.take() } else { None };
        self.in_a_row.set(if next.is_some() { in_a_row + 1 } else { 0 });
        let oldest = || self.take_oldest().map(Runnable);
        let task = next.or_else(oldest).or_else(|| shared.next.take())?;
        Some(self.note(shared, task))
    }

    /// Takes the task of the slot.
    pub(crate) fn take_next(&self, shared: &SharedTasks) -> Option<JobRef> {
        shared.next.take().map(|task| self.note(shared, task))
    }

    /// Counts a task that the worker has taken.
    fn note(&self, shared: &SharedTasks, task: Runnable) -> JobRef {
        task.head().round.set(self.round.get());
        // Relaxed: only this thread writes.
        shared.taken.store(shared.taken.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        task.0
    }

    /// Takes the oldest task of the queue. With the first task that has come in this round, the
    /// next one begins.
    fn take_oldest(&self) -> Option<JobRef> {
        let oldest = self.queue().pop().ok();
        if self.left.get() == 0 || oldest.is_none() {
            self.round.set(self.round.get().next());
            self.left.set(if oldest.is_some() { self.later.get() } else { 0 });
            self.later.set(0);
        }
        self.left.set(self.left.get().saturating_sub(1));
        oldest
    }
}
