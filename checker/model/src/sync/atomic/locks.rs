//! The operations that take the locks of `sync`, and its loads that wait: each is a round of a
//! wait, or a part of one, that fails until the lock is open, or the value set.
//!
//! They explore less than a compare-exchange does: `explore::locks` has the reason, and the
//! property of the lock that this needs.

use std::panic::Location;

use super::access::{Lock, await_load, lock};
use super::{AtomicBool, AtomicUsize, Ordering};
use crate::graph::event::RmwOp;

impl AtomicBool {
    /// Sets the value, if it is not set.
    #[track_caller]
    pub(crate) fn lock(&self) -> bool {
        // Ordering: Acquire pairs with the Release store of the owner before, which has finished.
        // Relaxed failure: the lock was not taken.
        if self.tag.is_inside() {
            let how = Lock { op: RmwOp::Lock, expected: 0, operand: 1, success: Ordering::Acquire };
            lock(&self.place(), &how, Location::caller())
        } else {
            self.value.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
        }
    }

    /// Clears the value, if it is set, as it is by read-modify-writes alone.
    #[track_caller]
    pub(crate) fn take(&self) -> bool {
        // Ordering: Acquire pairs with the Release swap that set the value, and with those before
        // it, whose release sequence it continues. Relaxed failure: nothing was taken.
        if self.tag.is_inside() {
            let how = Lock { op: RmwOp::Lock, expected: 1, operand: 0, success: Ordering::Acquire };
            lock(&self.place(), &how, Location::caller())
        } else {
            self.value.compare_exchange(true, false, Ordering::Acquire, Ordering::Relaxed).is_ok()
        }
    }

    /// Loads the value in a round of a wait, which fails unless it is set, and which no thread
    /// clears. See `explore::locks`.
    #[track_caller]
    pub(crate) fn is_set(&self, order: Ordering) -> bool {
        if self.tag.is_inside() {
            await_load(&self.place(), 1, order, Location::caller()) != 0
        } else {
            self.value.load(order)
        }
    }
}

impl AtomicUsize {
    /// Stores `taken` in place of zero.
    #[track_caller]
    pub(crate) fn lock(&self, taken: usize) -> bool {
        // Ordering: Acquire pairs with the Release of the writer before, and of each reader that
        // has unlocked; without it, this writer races with their accesses. Relaxed failure: the
        // lock was not taken.
        if self.tag.is_inside() {
            let how = Lock { op: RmwOp::Lock, expected: 0, operand: taken as u64, success: Ordering::Acquire };
            lock(&self.place(), &how, Location::caller())
        } else {
            self.value.compare_exchange(0, taken, Ordering::Acquire, Ordering::Relaxed).is_ok()
        }
    }

    /// Loads the value in a round of a wait, which fails unless it is `least` or more. It only
    /// grows. See `explore::locks`.
    #[track_caller]
    pub(crate) fn reaches(&self, least: usize, order: Ordering) -> bool {
        let value = if self.tag.is_inside() {
            await_load(&self.place(), least as u64, order, Location::caller()) as usize
        } else {
            self.value.load(order)
        };
        value >= least
    }

    /// Adds one, unless the value is `taken`.
    #[track_caller]
    pub(crate) fn share(&self, taken: usize) -> bool {
        // Ordering: Acquire pairs with the Release store of a writer that unlocks; without it, the
        // reader does not see what that writer wrote. Relaxed failure: the lock was not taken.
        if self.tag.is_inside() {
            let how = Lock { op: RmwOp::Share, expected: taken as u64, operand: 1, success: Ordering::Acquire };
            lock(&self.place(), &how, Location::caller())
        } else {
            let share = |count| (count != taken).then(|| count + 1);
            self.value.fetch_update(Ordering::Acquire, Ordering::Relaxed, share).is_ok()
        }
    }
}
