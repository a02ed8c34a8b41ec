//! Our checker's backend: every execution under RC11, each once.

#[path = "../programs.rs"]
pub(in crate::speed) mod programs;

use aqueduct_model::Config;
pub(in crate::speed) use aqueduct_model::await_until;
use aqueduct_model::cell::UnsafeCell;
pub(in crate::speed) use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::{Ordering, fence};
use aqueduct_model::thread;

use crate::speed::{Explored, Limits};

pub(in crate::speed) type Thread = thread::JoinHandle<usize>;

pub(in crate::speed) fn spawn(body: impl FnOnce() -> usize + Send + 'static) -> Thread {
    thread::spawn(body)
}

pub(in crate::speed) fn fence_sc() {
    fence(Ordering::SeqCst);
}

/// A plain location, checked for races.
pub(in crate::speed) struct Slot(UnsafeCell<usize>);

// SAFETY: the checker reports every pair of accesses that race before they can do harm.
unsafe impl Sync for Slot {}

impl Slot {
    pub(in crate::speed) fn new(value: usize) -> Self {
        Self(UnsafeCell::new(value))
    }

    pub(in crate::speed) fn get(&self) -> usize {
        // SAFETY: the checker has found no race.
        self.0.with(|value| unsafe { *value })
    }

    pub(in crate::speed) fn set(&self, new: usize) {
        // SAFETY: the checker has found no race.
        self.0.with_mut(|value| unsafe { *value = new });
    }
}

/// Explores with so many operating system threads.
pub(in crate::speed) fn explore(program: fn(), limits: &Limits, jobs: usize) -> Explored {
    let report = Config::new().jobs(jobs).time_limit(limits.time).check(program);
    Explored {
        executions: report.executions,
        blocked: Some(report.blocked),
        events: Some(report.events),
        seconds: report.seconds,
        exhausted: report.exhaustive,
        fault: report.failure.map(|failure| failure.to_string()),
    }
}
