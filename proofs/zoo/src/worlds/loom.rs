//! loom's backend: interleavings with a partial model of weak memory.

#[path = "../entries/mod.rs"]
pub(crate) mod entries;
#[path = "../speed/programs.rs"]
pub(crate) mod programs;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use real_loom::alloc::{Layout, alloc, dealloc};
use real_loom::cell::UnsafeCell;
use real_loom::model::Builder;
pub(crate) use real_loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, fence};
pub(crate) use real_loom::sync::{Condvar, Mutex};
use real_loom::thread::yield_now;
pub(crate) use real_loom::thread::{JoinHandle, spawn};

use crate::explored::{Explored, panic_text};

/// Waits in loom's way, by a loop that yields.
pub(crate) fn await_until(mut condition: impl FnMut() -> bool) {
    while !condition() {
        yield_now();
    }
}

/// A plain location, checked for races.
pub(crate) struct Slot<T>(UnsafeCell<T>);

// SAFETY: loom reports accesses that race.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    #[track_caller]
    pub(crate) fn set(&self, value: T) {
        // SAFETY: loom has found no race.
        self.0.with_mut(|slot| unsafe { *slot = value });
    }

    #[track_caller]
    pub(crate) fn get(&self) -> T
    where
        T: Copy,
    {
        // SAFETY: loom has found no race.
        self.0.with(|slot| unsafe { *slot })
    }
}

/// Returns memory for a value. loom finds its leaks and double frees.
///
/// loom does not see accesses to freed memory, which goes back to the system: they read its
/// contents at that time.
#[track_caller]
pub(crate) fn allocate<T>(value: T) -> *mut T {
    // SAFETY: no value here has size zero, and the memory is fresh.
    unsafe {
        let memory = alloc(Layout::new::<T>()).cast::<T>();
        memory.write(value);
        memory
    }
}

/// Frees memory of [`allocate`], which no thread uses any more.
///
/// # Safety
/// The conditions of any memory.
#[track_caller]
pub(crate) unsafe fn free<T>(memory: *mut T) {
    // SAFETY: the caller's promise.
    unsafe { dealloc(memory.cast(), Layout::new::<T>()) }
}

/// Explores all that loom explores, without a bound on preemptions and with enough branches.
pub(crate) fn explore(program: fn(), limit: Duration) -> Explored {
    let mut builder = Builder::new();
    builder.preemption_bound = None;
    builder.max_branches = 100_000;
    builder.max_duration = Some(limit);
    // The number of executions between two readings of the clock.
    builder.checkpoint_interval = 64;
    let count = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&count);
    let begin = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        builder.check(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            program();
        });
    }));
    let elapsed = begin.elapsed();
    Explored {
        executions: count.load(Ordering::Relaxed),
        blocked: None,
        events: None,
        seconds: elapsed.as_secs_f64(),
        // loom stops at the limit without a message.
        exhausted: outcome.is_ok() && elapsed < limit,
        fault: outcome.err().map(|panic| panic_text(&*panic)),
    }
}
