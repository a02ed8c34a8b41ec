//! loom's backend: interleavings with a partial model of weak memory.

#[path = "../programs.rs"]
pub(in crate::speed) mod programs;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering as StdOrdering};
use std::time::Instant;

use real_loom::cell::UnsafeCell;
pub(in crate::speed) use real_loom::sync::atomic::AtomicUsize;
use real_loom::sync::atomic::{Ordering, fence};
use real_loom::{model, thread};

use crate::speed::{Explored, Limits, panic_text};

pub(in crate::speed) type Thread = thread::JoinHandle<usize>;

pub(in crate::speed) fn spawn(body: impl FnOnce() -> usize + Send + 'static) -> Thread {
    thread::spawn(body)
}

pub(in crate::speed) fn fence_sc() {
    fence(Ordering::SeqCst);
}

/// Waits in loom's way, by a loop that yields.
pub(in crate::speed) fn await_until(condition: impl Fn() -> bool) {
    while !condition() {
        thread::yield_now();
    }
}

/// A plain location, checked for races.
pub(in crate::speed) struct Slot(UnsafeCell<usize>);

// SAFETY: loom reports accesses that race.
unsafe impl Sync for Slot {}

impl Slot {
    pub(in crate::speed) fn new(value: usize) -> Self {
        Self(UnsafeCell::new(value))
    }

    pub(in crate::speed) fn get(&self) -> usize {
        // SAFETY: loom has found no race.
        self.0.with(|value| unsafe { *value })
    }

    pub(in crate::speed) fn set(&self, new: usize) {
        // SAFETY: loom has found no race.
        self.0.with_mut(|value| unsafe { *value = new });
    }
}

/// Explores all that loom explores, without a bound on preemptions and with enough branches.
pub(in crate::speed) fn explore(program: fn(), limits: &Limits) -> Explored {
    let mut builder = model::Builder::new();
    builder.preemption_bound = None;
    builder.max_branches = 1_000_000;
    builder.max_duration = Some(limits.time);
    // The number of executions between two readings of the clock.
    builder.checkpoint_interval = 64;
    let count = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&count);
    let begin = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        builder.check(move || {
            counted.fetch_add(1, StdOrdering::Relaxed);
            program();
        });
    }));
    let elapsed = begin.elapsed();
    Explored {
        executions: count.load(StdOrdering::Relaxed),
        blocked: None,
        events: None,
        seconds: elapsed.as_secs_f64(),
        // loom stops at the limit without a message.
        exhausted: outcome.is_ok() && elapsed < limits.time,
        fault: outcome.err().map(|panic| panic_text(&*panic)),
    }
}
