//! loom's world: interleavings with a partial model of weak memory.

#[path = "../entries/mod.rs"]
pub(crate) mod entries;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use real_loom::alloc::{Layout, alloc, dealloc};
use real_loom::cell::UnsafeCell;
use real_loom::model::Builder;
pub(crate) use real_loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, fence};
pub(crate) use real_loom::sync::{Condvar, Mutex};
pub(crate) use real_loom::thread::spawn;
use real_loom::thread::yield_now;

use crate::verdict::{Outcome, panic_text};

/// loom's way to wait: a yielding loop.
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

/// Memory for a value, of which loom finds leaks and double frees. It does not see accesses to what is freed, which is
/// given back to the system: they read what is there by then.
#[track_caller]
pub(crate) fn allocate<T>(value: T) -> *mut T {
    // SAFETY: no value here has size zero, and the memory is fresh.
    unsafe {
        let memory = alloc(Layout::new::<T>()).cast::<T>();
        memory.write(value);
        memory
    }
}

/// Frees what [`allocate`] gave, once nobody uses it.
///
/// # Safety
/// As for any memory.
#[track_caller]
pub(crate) unsafe fn free<T>(memory: *mut T) {
    // SAFETY: the caller's promise.
    unsafe { dealloc(memory.cast(), Layout::new::<T>()) }
}

/// Explores all that loom explores: no bound on preemptions, and branches enough.
pub(crate) fn explore(program: fn(), limit: Duration) -> Outcome {
    let mut builder = Builder::new();
    builder.preemption_bound = None;
    builder.max_branches = 100_000;
    builder.max_duration = Some(limit);
    // How often it looks at the clock, in executions.
    builder.checkpoint_interval = 64;
    let begin = Instant::now();
    match catch_unwind(AssertUnwindSafe(|| builder.check(program))) {
        Err(panic) => Outcome::Complained(panic_text(&*panic)),
        // It stops at the limit without a word.
        Ok(()) if begin.elapsed() >= limit => Outcome::Cut,
        Ok(()) => Outcome::Silent,
    }
}
