//! shuttle's backend: random interleavings, sequentially consistent.

#[path = "../entries/mod.rs"]
pub(crate) mod entries;
#[path = "../speed/programs.rs"]
pub(crate) mod programs;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use shuttle::scheduler::RandomScheduler;
pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, fence};
pub(crate) use shuttle::sync::{Condvar, Mutex};
use shuttle::thread::yield_now;
pub(crate) use shuttle::thread::{JoinHandle, spawn};

use crate::explored::{Explored, panic_text};

/// Waits in shuttle's way, by a loop that yields.
pub(crate) fn await_until(mut condition: impl FnMut() -> bool) {
    while !condition() {
        yield_now();
    }
}

/// A plain location. shuttle does not look for races.
pub(crate) struct Slot<T>(Cell<T>);

// SAFETY: shuttle runs one of its threads at a time, all on one thread of the system.
unsafe impl<T: Send> Sync for Slot<T> {}
// SAFETY: shuttle runs all of its threads on one thread of the system.
unsafe impl<T: Send> Send for Slot<T> {}

impl<T> Slot<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Cell::new(value))
    }

    pub(crate) fn set(&self, value: T) {
        self.0.set(value);
    }

    pub(crate) fn get(&self) -> T
    where
        T: Copy,
    {
        self.0.get()
    }
}

/// Returns memory for a value. shuttle does not track memory.
pub(crate) fn allocate<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Does nothing: a use of the memory after this must be harmless, because shuttle does not detect
/// it.
///
/// # Safety
/// There is no condition.
pub(crate) unsafe fn free<T>(_memory: *mut T) {}

/// The number of schedules between two readings of the clock. (shuttle's own time limit prints a
/// `seed` as if a check had failed.)
const AT_ONCE: usize = 100;

/// Runs random schedules, which never end, until the time is over.
pub(crate) fn explore(program: fn(), limit: Duration) -> Explored {
    let begin = Instant::now();
    let mut executions = 0;
    let mut fault = None;
    while fault.is_none() && begin.elapsed() < limit {
        let mut config = shuttle::Config::new();
        // Its warnings on relaxed orderings are true, and expected here.
        config.silence_warnings = true;
        config.failure_persistence = shuttle::FailurePersistence::None;
        let scheduler = RandomScheduler::new_from_seed(executions, AT_ONCE);
        let outcome = catch_unwind(AssertUnwindSafe(|| shuttle::Runner::new(scheduler, config).run(program)));
        fault = outcome.err().map(|panic| panic_text(&*panic));
        executions += AT_ONCE as u64;
    }
    let seconds = begin.elapsed().as_secs_f64();
    Explored { executions, blocked: None, events: None, seconds, exhausted: false, fault }
}
