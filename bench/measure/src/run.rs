//! The shared state of the threads of a run, and how they wait.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::counters::Misses;
use crate::crew::Step;
use crate::machine;
use crate::rounds::Fault;

/// The shared state of the threads of one run.
#[derive(Debug)]
pub struct Run {
    start: Barrier,
    /// The number of items to pop.
    wanted: AtomicU64,
    /// The number of popped items that consumers have reported.
    popped: AtomicU64,
    until: Instant,
    given_up: AtomicBool,
    /// Whether each thread counts its L1 misses.
    count_misses: bool,
    over: Apart<AtomicBool>,
}

/// A value on cache lines of its own.
#[derive(Debug)]
#[repr(align(128))]
pub struct Apart<T>(pub T);

/// Failures in a row after which a thread yields its core.
pub const YIELD: u32 = 64;

/// The run took too long, or one of its threads panicked.
#[derive(Debug)]
pub struct GivenUp;

/// The result of a thread of a run.
#[derive(Debug)]
pub struct Part<T> {
    /// The time at which it began.
    pub began: Instant,
    /// Its L1 misses, if they were to be counted and could be.
    pub misses: Option<u64>,
    /// The thread's result, or its panic.
    pub outcome: Result<T, Fault>,
}

impl Run {
    /// Makes a run of `threads` threads that pop `wanted` items. The run is given up when the
    /// patience ends.
    #[must_use]
    pub fn new(threads: usize, wanted: u64, patience: Duration) -> Self {
        Self {
            start: Barrier::new(threads),
            wanted: AtomicU64::new(wanted),
            popped: AtomicU64::new(0),
            until: Instant::now() + patience,
            given_up: AtomicBool::new(false),
            count_misses: false,
            over: Apart(AtomicBool::new(false)),
        }
    }

    /// Sets whether each thread counts its L1 misses; by default, no thread does.
    pub fn counting_misses(mut self, wanted: bool) -> Self {
        self.count_misses = wanted;
        self
    }

    /// Runs `work` on `core`, together with the other threads.
    pub fn take_part<T>(&self, core: Option<usize>, work: Step<'_, T>) -> Part<T> {
        machine::pin(core);
        // Setting up a counter takes longer than a short run, so the count includes the wait for
        // the other threads.
        let misses = Misses::start_if(self.count_misses);
        self.start.wait();
        let began = Instant::now();
        let outcome = self.attempt(work);
        Part { began, misses: misses.ok().and_then(Misses::stop), outcome }
    }

    /// Runs `work` on `core` before the other threads start.
    pub fn prepare<T>(&self, core: Option<usize>, work: Step<'_, T>) -> Part<T> {
        machine::pin(core);
        let outcome = self.attempt(work);
        self.start.wait();
        Part { began: Instant::now(), misses: None, outcome }
    }

    fn attempt<T>(&self, work: Step<'_, T>) -> Result<T, Fault> {
        catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
            // Ordering: relaxed; a flag that carries no data.
            self.given_up.store(true, Ordering::Relaxed);
            Fault::Panicked(panic_text(panic.as_ref()))
        })
    }

    /// Notes a failed attempt, the `failures`th of a row.
    ///
    /// Never inlined: the loops around the queues under test keep their registers for the queues.
    #[cold]
    #[inline(never)]
    pub fn failed(&self, failures: u32) -> Result<(), GivenUp> {
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

    /// Counts `more` items that a consumer has popped. Returns whether all have been popped.
    #[cold]
    #[inline(never)]
    pub fn report(&self, more: u64) -> bool {
        // Ordering: relaxed; counts only. What the threads found reaches the caller when they are
        // joined.
        let before = if more == 0 {
            self.popped.load(Ordering::Relaxed)
        } else {
            self.popped.fetch_add(more, Ordering::Relaxed)
        };
        before + more >= self.wanted.load(Ordering::Relaxed)
    }

    /// Gives up the last `items` of a producer, which does not push them.
    #[cold]
    pub fn spare(&self, items: u64) {
        // Ordering: relaxed; a count only. Until consumers see it, they wait for items that do not
        // come.
        self.wanted.fetch_sub(items, Ordering::Relaxed);
    }

    /// Requests all producers to stop, in workloads whose producers check
    /// [`is_over`](Self::is_over).
    #[cold]
    pub fn end(&self) {
        // Ordering: relaxed; a flag that carries no data.
        self.over.0.store(true, Ordering::Relaxed);
    }

    /// Whether a thread has requested the end.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        // Ordering: relaxed; a flag that carries no data.
        self.over.0.load(Ordering::Relaxed)
    }
}

/// Returns the message of a panic.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked without a text").to_owned()
}
