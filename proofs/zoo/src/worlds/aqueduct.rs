//! Our checker's backend: every execution under RC11, each once.

#[path = "../entries/mod.rs"]
pub(crate) mod entries;
#[path = "../speed/programs.rs"]
pub(crate) mod programs;

use aqueduct_model::Config;
use aqueduct_model::alloc::{Layout, alloc, dealloc};
use aqueduct_model::cell::{self, UnsafeCell};
pub(crate) use aqueduct_model::hint::await_until;
pub(crate) use aqueduct_model::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, fence};
pub(crate) use aqueduct_model::sync::{Condvar, Mutex};
pub(crate) use aqueduct_model::thread::{JoinHandle, spawn};

use crate::explored::Explored;

/// A plain location, checked for races.
pub(crate) struct Slot<T>(UnsafeCell<T>);

// SAFETY: the checker reports every pair of accesses that race before they can do harm.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    #[track_caller]
    pub(crate) fn set(&self, value: T) {
        // SAFETY: the checker has found no race.
        self.0.with_mut(|slot| unsafe { *slot = value });
    }

    #[track_caller]
    pub(crate) fn get(&self) -> T
    where
        T: Copy,
    {
        // SAFETY: the checker has found no race.
        self.0.with(|slot| unsafe { *slot })
    }
}

/// Returns memory for a value, which the checker watches.
#[track_caller]
pub(crate) fn allocate<T>(value: T) -> *mut T {
    // SAFETY: no value here has size zero, and the memory is fresh.
    unsafe {
        let memory = alloc(Layout::new::<T>()).cast::<T>();
        cell::write(memory, value);
        memory
    }
}

/// Frees memory of [`allocate`], which no thread uses any more.
///
/// # Safety
/// The conditions of any memory. The checker finds the program's errors.
#[track_caller]
pub(crate) unsafe fn free<T>(memory: *mut T) {
    // SAFETY: the caller's promise, checked by the checker.
    unsafe { dealloc(memory.cast(), Layout::new::<T>()) }
}

/// Explores the executions of the configuration.
pub(crate) fn explore(program: fn(), config: &Config) -> Explored {
    let report = config.check(program);
    // The message begins with the kind of failure or the place of a panic, and the first of its
    // details.
    let short = |message: &str| message.lines().take(2).map(str::trim).collect::<Vec<_>>().join(" ");
    Explored {
        executions: report.executions,
        blocked: Some(report.blocked),
        events: Some(report.events),
        seconds: report.seconds,
        exhausted: report.exhaustive,
        fault: report.failure.map(|failure| short(&failure.message)),
    }
}
