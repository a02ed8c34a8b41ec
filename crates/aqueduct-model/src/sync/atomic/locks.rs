//! The operations that take the locks of `sync`: each is a round of a wait, and fails until the lock is open.
//!
//! They explore less than a compare-exchange does: `explore::locks` says why, and what the
//! lock must promise for that.

use std::panic::Location;

use super::access::{Lock, lock};
use super::{AtomicBool, AtomicUsize, Ordering};
use crate::graph::event::RmwOp;
use crate::runtime::inside;

impl AtomicBool {
    /// Sets the value, if it is not set.
    #[track_caller]
    pub(crate) fn lock(&self) -> bool {
        // Ordering: Acquire pairs with the Release store of the owner before, which has finished. Relaxed failure: the
        // lock was not taken.
        if inside() {
            lock(&self.place(), &Lock { op: RmwOp::Lock, expected: 0, operand: 1 }, Location::caller())
        } else {
            self.value.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
        }
    }
}

impl AtomicUsize {
    /// Stores `taken` in place of zero.
    #[track_caller]
    pub(crate) fn lock(&self, taken: usize) -> bool {
        // Ordering: Acquire pairs with the Release of the writer before, and of each reader that has unlocked; without
        // it, this writer races with their accesses. Relaxed failure: the lock was not taken.
        if inside() {
            let how = Lock { op: RmwOp::Lock, expected: 0, operand: taken as u64 };
            lock(&self.place(), &how, Location::caller())
        } else {
            self.value.compare_exchange(0, taken, Ordering::Acquire, Ordering::Relaxed).is_ok()
        }
    }

    /// Adds one, unless the value is `taken`.
    #[track_caller]
    pub(crate) fn share(&self, taken: usize) -> bool {
        // Ordering: Acquire pairs with the Release store of a writer that unlocks; without it, the reader does not see
        // what that writer wrote. Relaxed failure: the lock was not taken.
        if inside() {
            let how = Lock { op: RmwOp::Share, expected: taken as u64, operand: 1 };
            lock(&self.place(), &how, Location::caller())
        } else {
            let share = |count| (count != taken).then(|| count + 1);
            self.value.fetch_update(Ordering::Acquire, Ordering::Relaxed, share).is_ok()
        }
    }
}
