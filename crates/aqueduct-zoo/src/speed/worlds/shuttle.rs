//! shuttle's backend: random interleavings, sequentially consistent.

#[path = "../programs.rs"]
pub(in crate::speed) mod programs;

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use shuttle::scheduler::RandomScheduler;
pub(in crate::speed) use shuttle::sync::atomic::AtomicUsize;
use shuttle::sync::atomic::{Ordering, fence};
use shuttle::thread;

use crate::speed::{Explored, Limits, panic_text};

pub(in crate::speed) type Thread = thread::JoinHandle<usize>;

pub(in crate::speed) fn spawn(body: impl FnOnce() -> usize + Send + 'static) -> Thread {
    thread::spawn(body)
}

pub(in crate::speed) fn fence_sc() {
    fence(Ordering::SeqCst);
}

/// Waits in shuttle's way, by a loop that yields.
pub(in crate::speed) fn await_until(condition: impl Fn() -> bool) {
    while !condition() {
        thread::yield_now();
    }
}

/// A plain location. shuttle does not look for races.
pub(in crate::speed) struct Slot(Cell<usize>);

// SAFETY: shuttle runs one of its threads at a time, all on one thread of the system.
unsafe impl Sync for Slot {}
// SAFETY: shuttle runs all of its threads on one thread of the system.
unsafe impl Send for Slot {}

impl Slot {
    pub(in crate::speed) fn new(value: usize) -> Self {
        Self(Cell::new(value))
    }

    pub(in crate::speed) fn get(&self) -> usize {
        self.0.get()
    }

    pub(in crate::speed) fn set(&self, new: usize) {
        self.0.set(new);
    }
}

/// The number of schedules between two readings of the clock. (shuttle's own time limit prints a `seed` as if
/// a check had failed.)
const AT_ONCE: usize = 100;

/// Runs random schedules, which never end, until the time is over.
pub(in crate::speed) fn explore(program: fn(), limits: &Limits) -> Explored {
    // shuttle leaves a hook that reports every later panic as its own, so the old hook is restored
    // afterwards.
    let hook = panic::take_hook();
    let begin = Instant::now();
    let mut executions = 0;
    let mut fault = None;
    while fault.is_none() && begin.elapsed() < limits.time {
        let mut config = shuttle::Config::new();
        // Its warnings on relaxed orderings are true, and no news here.
        config.silence_warnings = true;
        config.failure_persistence = shuttle::FailurePersistence::None;
        let scheduler = RandomScheduler::new_from_seed(executions, AT_ONCE);
        let outcome = catch_unwind(AssertUnwindSafe(|| shuttle::Runner::new(scheduler, config).run(program)));
        fault = outcome.err().map(|panic| panic_text(&*panic));
        executions += AT_ONCE as u64;
    }
    let seconds = begin.elapsed().as_secs_f64();
    panic::set_hook(hook);
    Explored { executions, blocked: None, events: None, seconds, exhausted: false, fault }
}
