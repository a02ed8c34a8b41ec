//! The word of a task: what happens to it, and how many refer to it.
//!
//! # Rules
//! 1. `SCHEDULED`: the task's job is in a queue, or will be put there by the worker that runs it. The job is a
//!    reference. The thread that sets the bit in a task that is neither running nor completed makes the job.
//! 2. `RUNNING`: one worker has the future to itself, from [`start`](State::start) to [`pause`](State::pause) or
//!    [`complete`](State::complete).
//! 3. `COMPLETED`: the future is gone, and the result is there. It belongs to the handle; if there is none, to the
//!    worker.
//! 4. `ABORTED` comes with `SCHEDULED`: the next run drops the future in place of a poll.
//! 5. `AWAITED`: the awaiter's waker is there. While the bit is not set, the handle has that memory to itself. Once it
//!    is set, and the task completed, the worker has it.
//! 6. `ALONE`: there is no handle any more.

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

/// Above this, wakers have been forgotten again and again.
const MOST: usize = isize::MAX as usize;

/// The word.
#[derive(Debug)]
pub(crate) struct State(AtomicUsize);

/// The word before a change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before(usize);

impl Before {
    /// Whether there is a result.
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

/// What comes after a poll without a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pause {
    /// The task waits for a wake-up. The job's reference is gone.
    Idle,
    /// It has been woken meanwhile: its job goes into a queue again.
    Woken,
    /// Nobody refers to it, so nobody will wake it.
    Forgotten,
}

impl State {
    /// A task with a job and a handle.
    pub(crate) fn new() -> Self {
        Self(AtomicUsize::new(SCHEDULED | (2 * REFERENCE)))
    }

    /// A worker begins to run the job.
    #[inline]
    pub(crate) fn start(&self) -> Before {
        // Ordering: Acquire pairs with the Release of `wake` and of `pause`; without it, the poll does not
        // see what the waker has done, or what the last poll has left.
        Before(self.0.fetch_add(RUNNING - SCHEDULED, Ordering::Acquire))
    }

    /// The poll has had no result.
    #[inline]
    pub(crate) fn pause(&self) -> Pause {
        let mut before = self.0.load(Ordering::Relaxed);
        loop {
            let is_woken = before & SCHEDULED != 0;
            let after = before - RUNNING - if is_woken { 0 } else { REFERENCE };
            // Ordering: Release pairs with the Acquire of `start`, and of `release`; without it, the next poll, or the
            // thread that frees the task, does not see what this poll has left. Acquire: as in `release`.
            match self.0.compare_exchange_weak(before, after, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) if is_woken => return Pause::Woken,
                Ok(_) if after < REFERENCE => return Pause::Forgotten,
                Ok(_) => return Pause::Idle,
                Err(now) => before = now,
            }
        }
    }

    /// There is a result.
    #[inline]
    pub(crate) fn complete(&self) -> Before {
        // Ordering: Release pairs with the Acquire loads of the handle; without it, the result is read before it is
        // written. Acquire pairs with the Release of `await_it`: the waker is there.
        Before(self.0.fetch_add(COMPLETED - RUNNING, Ordering::AcqRel))
    }

    /// Says that the task is to be polled.
    #[inline]
    pub(crate) fn wake(&self) -> Before {
        // Ordering: Release pairs with the Acquire of `start`; without it, the poll does not see what the waker has
        // done before.
        Before(self.0.fetch_or(SCHEDULED, Ordering::Release))
    }

    /// Says that the future is to be dropped.
    pub(crate) fn abort(&self) -> Before {
        // Ordering: Relaxed. The run that drops the future needs what the last poll has left: the Release of `pause`,
        // before this in the word.
        Before(self.0.fetch_or(SCHEDULED | ABORTED, Ordering::Relaxed))
    }

    /// The handle goes, and the future is to be dropped.
    pub(crate) fn abandon(&self) -> Before {
        // Ordering: Acquire pairs with the Release of `complete`: the caller drops the result.
        Before(self.0.fetch_or(SCHEDULED | ABORTED | ALONE, Ordering::Acquire))
    }

    /// The handle goes.
    pub(crate) fn detach(&self) -> Before {
        // Ordering: Acquire, as in `abandon`.
        Before(self.0.fetch_or(ALONE, Ordering::Acquire))
    }

    /// Whether there is a result, which is visible then; and whether a waker is there.
    #[inline]
    pub(crate) fn look(&self) -> Before {
        // Ordering: Acquire pairs with the Release of `complete`; without it, the result is read before it is written.
        Before(self.0.load(Ordering::Acquire))
    }

    /// The waker is there.
    #[inline]
    pub(crate) fn await_it(&self) -> Before {
        // Ordering: Release pairs with the Acquire of `complete`; without it, the worker reads the waker before it is
        // written. Acquire: as in `look`.
        Before(self.0.fetch_or(AWAITED, Ordering::AcqRel))
    }

    /// The handle wants to replace the waker.
    pub(crate) fn await_no_more(&self) -> Before {
        // Ordering: Acquire, as in `look`.
        Before(self.0.fetch_and(!AWAITED, Ordering::Acquire))
    }

    /// Adds a reference.
    #[inline]
    pub(crate) fn retain(&self) {
        // Ordering: Relaxed. The caller has one.
        if self.0.fetch_add(REFERENCE, Ordering::Relaxed) > MOST {
            process::abort();
        }
    }

    /// Adds a reference, if there is one.
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

    /// Takes a reference away. Returns whether it was the last one: then the caller frees the task.
    #[inline]
    #[must_use]
    pub(crate) fn release(&self) -> bool {
        // Ordering: AcqRel pairs with itself: the task is freed after all others have left it.
        self.0.fetch_sub(REFERENCE, Ordering::AcqRel) < 2 * REFERENCE
    }
}
