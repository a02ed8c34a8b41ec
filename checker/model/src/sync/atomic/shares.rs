//! Operations on an atomic that only the owners of an `Arc` do.

use std::panic::Location;

use super::access::{add_unless_zero, pass, peek};
use super::{AtomicUsize, Ordering};
use crate::runtime::inside;

impl AtomicUsize {
    /// Returns the newest value that happens before the thread's next event. That is not an event.
    pub(in crate::sync) fn known(&self) -> usize {
        if inside() { peek(&self.place()) as usize } else { self.value.load(Ordering::Relaxed) }
    }

    /// Adds `by`, modulo the number of values, with Release, and continues the release sequence of
    /// the thread's write `carried`. Returns the old value, and the new write inside a model.
    #[track_caller]
    pub(in crate::sync) fn pass(&self, by: usize, carried: Option<usize>) -> (usize, Option<usize>) {
        if self.tag.is_inside() {
            let (old, write) = pass(&self.place(), by as u64, carried, Location::caller());
            (old as usize, Some(write))
        } else {
            (self.value.fetch_add(by, Ordering::AcqRel), None)
        }
    }

    /// Adds 1 with Acquire, unless the value is zero; reads that with Relaxed. Returns whether it
    /// did.
    #[track_caller]
    pub(in crate::sync) fn add_unless_zero(&self) -> bool {
        if self.tag.is_inside() {
            add_unless_zero(&self.place(), Location::caller())
        } else {
            let add = |count: usize| (count != 0).then(|| count + 1);
            self.value.fetch_update(Ordering::Acquire, Ordering::Relaxed, add).is_ok()
        }
    }
}
