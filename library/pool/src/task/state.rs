//! The word of a task: its state, and the number of its references.
//!
//! # Rules
//! 1. `SCHEDULED`: the task's job is in a queue, or the worker that runs the task will put it
//!    there. The job is a reference. The thread that sets the bit in a task that is neither running
//!    nor completed makes the job.
//! 2. `RUNNING`: one worker has the future to itself, from [`start`](State::start) to
//!    [`pause`](State::pause) or [`complete`](State::complete).
//! 3. `COMPLETED`: the future is dropped, and the result is stored. The result belongs to the
//!    handle; without a handle, to the worker.
//! 4. `ABORTED` comes with `SCHEDULED`: the next run drops the future and does not poll it.
//! 5. `AWAITED`: the awaiter's waker is stored. While the bit is not set, only the handle accesses
//!    the waker. Once the bit is set and the task completed, only the worker does.
//! 6. `ALONE`: the task has no handle any more.

use std::process;

use crate::sync::{AtomicUsize, Ordering};

const SCHEDULED: usize = 1;
const RUNNING: usize = 1 << 1;
const COMPLETED: usize = 1 << 2;
const ABORTED: usize = 1 << 3;
const AWAITED: usize = 1 << 4;
const ALONE: usize = 1 << 5;

/// One reference: a job, a handle, or a waker.
const REFERENCE: usize = 1 << 6;

/// Above this number, a program has leaked wakers in a loop.
const MOST: usize = isize::MAX as usize;

/// The word.
#[derive(Debug)]
pub(crate) struct State(AtomicUsize);

/// The word before a change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before(usize);

impl Before {
    /// Whether the task has a result.
    #[inline]
    pub(crate) fn is_completed(self) -> bool {
        self.0 & COMPLETED != 0
    }

    /// Whether the task waits, so that its job has to be made.
    #[inline]
    pub(crate) fn is_idle(self) -> bool {
        self.0 & (SCHEDULED | RUNNING | COMPLETED) == 0
    }

    #[inline]
    pub(crate) fn is_aborted(self) -> bool {
        self.0 & ABORTED != 0
    }

    #[inline]
    pub(crate) fn is_awaited(self) -> bool {
        self.0 & AWAITED != 0
    }

    #[inline]
    pub(crate) fn is_alone(self) -> bool {
        self.0 & ALONE != 0
    }
}

/// The state of a task after a poll without a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pause {
    /// The task waits for a wake-up. The job's reference is released.
    Idle,
    /// The task was woken during the poll: its job goes into a queue again.
    Woken,
    /// No reference is left, so no thread will wake the task.
    Forgotten,
}

impl State {
    /// Makes the word of a task with a job and a handle.
    pub(crate) fn new() -> Self {
        Self(AtomicUsize::new(SCHEDULED | (2 * REFERENCE)))
    }

    /// Marks the task as running. The caller runs its job.
    #[inline]
    pub(crate) fn start(&self) -> Before {
        // Ordering: Acquire pairs with the Release of `wake` and of `pause`; without it, the poll
        // does not see what the waker's thread did, or what the last poll wrote.
        Before(self.0.fetch_add(RUNNING - SCHEDULED, Ordering::Acquire))
    }

    /// Ends a poll without a result.
    #[inline]
    pub(crate) fn pause(&self) -> Pause {
        let mut before = self.0.load(Ordering::Relaxed);
        loop {
            let is_woken = before & SCHEDULED != 0;
            let after = before - RUNNING - if is_woken { 0 } else { REFERENCE };
            // Ordering: Release pairs with the Acquire of `start`, and of `release`; without it,
            // the next poll, or the thread that frees the task, does not see what this poll wrote.
            // Acquire pairs with the Release of `release`.
            match self.0.compare_exchange_weak(before, after, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) if is_woken => return Pause::Woken,
                Ok(_) if after < REFERENCE => return Pause::Forgotten,
                Ok(_) => return Pause::Idle,
                Err(now) => before = now,
            }
        }
    }

    /// Marks the task as completed.
    #[inline]
    pub(crate) fn complete(&self) -> Before {
        // Ordering: Release pairs with the Acquire loads of the handle; without it, the result is
        // read before it is written. Acquire pairs with the Release of `await_it`, which comes
        // after the store of the waker.
        Before(self.0.fetch_add(COMPLETED - RUNNING, Ordering::AcqRel))
    }

    /// Requests a poll.
    #[inline]
    pub(crate) fn wake(&self) -> Before {
        // Ordering: Release pairs with the Acquire of `start`; without it, the poll does not see
        // what the waker's thread did before.
        Before(self.0.fetch_or(SCHEDULED, Ordering::Release))
    }

    /// Requests the drop of the future.
    pub(crate) fn abort(&self) -> Before {
        // Ordering: Relaxed. The run that drops the future needs what the last poll wrote: the
        // Release of `pause`, before this in the word.
        Before(self.0.fetch_or(SCHEDULED | ABORTED, Ordering::Relaxed))
    }

    /// Drops the handle, and requests the drop of the future.
    pub(crate) fn abandon(&self) -> Before {
        // Ordering: Acquire pairs with the Release of `complete`: the caller drops the result.
        Before(self.0.fetch_or(SCHEDULED | ABORTED | ALONE, Ordering::Acquire))
    }

    /// Drops the handle.
    pub(crate) fn detach(&self) -> Before {
        // Ordering: Acquire, as in `abandon`.
        Before(self.0.fetch_or(ALONE, Ordering::Acquire))
    }

    /// Reads the word. A result or a waker that the word reports is visible to the caller.
    #[inline]
    pub(crate) fn look(&self) -> Before {
        // Ordering: Acquire pairs with the Release of `complete`; without it, the result is read
        // before it is written.
        Before(self.0.load(Ordering::Acquire))
    }

    /// Announces that the waker is stored.
    #[inline]
    pub(crate) fn await_it(&self) -> Before {
        // Ordering: Release pairs with the Acquire of `complete`; without it, the worker reads the
        // waker before it is written. Acquire: as in `look`.
        Before(self.0.fetch_or(AWAITED, Ordering::AcqRel))
    }

    /// Withdraws the waker, so that the handle can replace it.
    pub(crate) fn await_no_more(&self) -> Before {
        // Ordering: Acquire, as in `look`.
        Before(self.0.fetch_and(!AWAITED, Ordering::Acquire))
    }

    /// Adds a reference.
    #[inline]
    pub(crate) fn retain(&self) {
        // Ordering: Relaxed. The caller has a reference.
        if self.0.fetch_add(REFERENCE, Ordering::Relaxed) > MOST {
            process::abort();
        }
    }

    /// Adds a reference, if the task has at least one.
    pub(crate) fn try_retain(&self) -> bool {
        let mut before = self.0.load(Ordering::Relaxed);
        while before >= REFERENCE {
            match self.0.compare_exchange_weak(before, before + REFERENCE, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => before = now,
            }
        }
        false
    }

    /// Releases a reference. Returns whether it was the last: then the caller frees the task.
    #[inline]
    #[must_use]
    pub(crate) fn release(&self) -> bool {
        // Ordering: AcqRel pairs with itself: the task is freed after all other references are
        // released.
        self.0.fetch_sub(REFERENCE, Ordering::AcqRel) < 2 * REFERENCE
    }
}
