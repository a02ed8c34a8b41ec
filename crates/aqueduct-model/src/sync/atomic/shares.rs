//! What only the owners of an `Arc` do with an atomic.

use std::panic::Location;

use super::access::{pass, peek};
use super::{AtomicUsize, Ordering};
use crate::runtime::inside;

impl AtomicUsize {
    /// Returns the newest value that the thread knows of. That is no event.
    pub(in crate::sync) fn known(&self) -> usize {
        if inside() { peek(&self.place()) as usize } else { self.value.load(Ordering::Relaxed) }
    }

    /// Adds 1 with Release, and passes on what the write `carried` of the thread releases. Returns the old value, and
    /// the new write inside a model.
    #[track_caller]
    pub(in crate::sync) fn pass(&self, carried: Option<usize>) -> (usize, Option<usize>) {
        if inside() {
            let (old, write) = pass(&self.place(), carried, Location::caller());
            (old as usize, Some(write))
        } else {
            (self.value.fetch_add(1, Ordering::AcqRel), None)
        }
    }
}
