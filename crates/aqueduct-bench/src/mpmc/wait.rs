//! What the threads of a run share, and how they wait.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::fault::Fault;
use crate::machine;

/// What the threads of one run share.
#[derive(Debug)]
pub(super) struct Shared {
    start: Barrier,
    /// Items that are to be popped.
    wanted: u64,
    /// Items that were popped, as far as their consumers have said so.
    popped: AtomicU64,
    until: Instant,
    given_up: AtomicBool,
}

/// Failures in a row after which a thread offers its core to others.
pub(super) const YIELD: u32 = 64;

/// The run took too long, or one of its threads panicked.
#[derive(Debug)]
pub(super) struct GivenUp;

/// What a thread of a run found.
#[derive(Debug)]
pub(super) struct Part<T> {
    /// When it began.
    pub(super) began: Instant,
    /// What it did, or its panic.
    pub(super) outcome: Result<T, Fault>,
}

impl Shared {
    pub(super) fn new(threads: usize, wanted: u64, patience: Duration) -> Self {
        Self {
            start: Barrier::new(threads),
            wanted,
            popped: AtomicU64::new(0),
            until: Instant::now() + patience,
            given_up: AtomicBool::new(false),
        }
    }

    /// Runs `work` on that core, together with the other threads.
    pub(super) fn take_part<T>(&self, core: Option<usize>, work: impl FnOnce() -> T) -> Part<T> {
        machine::pin(core);
        self.start.wait();
        let began = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
            // Ordering: relaxed; a flag that carries no data.
            self.given_up.store(true, Ordering::Relaxed);
            Fault::Panicked(panic_text(panic.as_ref()))
        });
        Part { began, outcome }
    }

    /// To be called after a failed attempt, the `failures`th of a row.
    ///
    /// Never inlined: the loops around the queues under test keep their registers for the queues.
    #[cold]
    #[inline(never)]
    pub(super) fn failed(&self, failures: u32) -> Result<(), GivenUp> {
        /// Failures in a row after which the clock is read.
        const LOOK: u32 = 16 * YIELD;
        if !failures.is_multiple_of(YIELD) {
            std::hint::spin_loop();
            return Ok(());
        }
        std::thread::yield_now();
        // Ordering: relaxed; a flag that carries no data.
        if failures.is_multiple_of(LOOK) && Instant::now() > self.until {
            self.given_up.store(true, Ordering::Relaxed);
        }
        if self.given_up.load(Ordering::Relaxed) { Err(GivenUp) } else { Ok(()) }
    }

    /// A consumer has popped `more` items since it last said so. Returns whether all have been popped, and whether these were the
    /// last ones.
    #[cold]
    #[inline(never)]
    pub(super) fn report(&self, more: u64) -> (bool, bool) {
        // Ordering: relaxed; counts only. What the threads found reaches the caller when they are joined.
        let before = if more == 0 {
            self.popped.load(Ordering::Relaxed)
        } else {
            self.popped.fetch_add(more, Ordering::Relaxed)
        };
        let all = before + more >= self.wanted;
        (all, all && before < self.wanted)
    }
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked without a text").to_owned()
}
