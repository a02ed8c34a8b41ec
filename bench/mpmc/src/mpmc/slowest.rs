//! The slowest queue's items a second: the full load of the open loop.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::stream::Stream;
use super::subject::Subject;
use super::workload::Workload;
use aqueduct_measure::rounds::Threads;

/// The slowest queue, for each number of threads that was asked for.
#[derive(Debug, Default)]
pub(super) struct Slowest(Mutex<Vec<Found>>);

/// The slowest queue with a number of threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) threads: Threads,
    /// `CRATE/QUEUE`.
    pub(super) queue: &'static str,
    pub(super) items_per_second: f64,
}

impl Slowest {
    fn found(&self) -> MutexGuard<'_, Vec<Found>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns all results.
    pub(super) fn all(&self) -> Vec<Found> {
        self.found().clone()
    }

    /// Returns the slowest of `subjects` in the closed loop, with the threads and the capacity of
    /// `spec`. Measured once.
    ///
    /// `None` if none of them can do it.
    pub(super) fn among(&self, subjects: &[Box<dyn Subject>], spec: &Stream<'_>) -> Option<Found> {
        let mut found = self.found();
        if let Some(&known) = found.iter().find(|known| known.threads == spec.threads) {
            return Some(known);
        }
        let able = subjects.iter().filter(|subject| subject.can(spec.threads, 1));
        let speeds = able.filter_map(|subject| {
            let items_per_second = speed(subject.as_ref(), spec)?;
            Some(Found { threads: spec.threads, queue: subject.name(), items_per_second })
        });
        let slowest = speeds.min_by(|a, b| a.items_per_second.total_cmp(&b.items_per_second))?;
        found.push(slowest);
        Some(slowest)
    }
}

/// Returns the items per second through that queue; `None` if it failed.
fn speed(subject: &dyn Subject, spec: &Stream<'_>) -> Option<f64> {
    /// Seconds that a measurement should take at least.
    const ENOUGH: f64 = 0.005;
    /// Items of each producer in the first attempt, and the most.
    const FIRST: u64 = 500;
    const MOST: u64 = FIRST << 10;
    let mut items_each = FIRST;
    loop {
        let closed = Stream { workload: Workload::Simple, batch: 1, items_each, count_misses: false, ..*spec };
        let streamed = subject.stream(&closed).ok()?;
        if streamed.elapsed.as_secs_f64() >= ENOUGH || items_each >= MOST {
            return Some(1e6 * streamed.mitems_per_second());
        }
        items_each *= 4;
    }
}
