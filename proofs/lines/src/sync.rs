//! The seam: the library's own, which reports each access of an atomic or a cell to the machine.
//!
//! Items of this module hide the library's of that name. The module exports the library's own
//! additions to its seam unchanged.

#[allow(dead_code, unreachable_pub, unused_imports, reason = "what stands below hides some of it")]
#[path = "../../../library/queues/src/sync/native.rs"]
mod native;
#[path = "../../observed.rs"]
mod observed;
#[allow(dead_code, unreachable_pub, reason = "written for the library as a whole")]
#[path = "../../../library/queues/src/sync/pair.rs"]
mod pair;

use core::ptr::from_ref;

pub(crate) use native::*;
pub(crate) use observed::{AtomicPair, AtomicPtr, AtomicU8, AtomicU64, AtomicUsize, Cell, is_greater, is_less};

use crate::machine::{self, Access, note_failed as exchange_failed, touch};

/// Weak exchanges fail as strong ones do, so that counts repeat on any processor.
const FAILS_SPURIOUSLY: bool = false;

/// Reports loads of `len` objects, at the lines in which the objects begin.
#[track_caller]
fn before_load<T>(first: *const T, len: usize) {
    touch_all(first, len, Access::Load);
}

/// Reports stores to `len` objects, at the lines in which the objects begin.
#[track_caller]
fn before_store<T>(first: *const T, len: usize) {
    touch_all(first, len, Access::Store);
}

#[track_caller]
fn before_exchange<T>(atomic: &T) {
    touch(from_ref(atomic).addr(), Access::Locked);
}

#[track_caller]
fn touch_all<T>(first: *const T, len: usize, access: Access) {
    for at in 0..len {
        touch(first.wrapping_add(at).addr(), access);
    }
}

/// Reports that light fences cost nothing, because cores take turns.
pub(crate) fn prepare_fences() -> bool {
    true
}

/// Costs nothing, and orders nothing: cores take turns.
pub(crate) fn light_fence(_ordering: Ordering) {}

/// Does what [`light_fence`] does.
pub(crate) fn free_fence(_ordering: Ordering) {}

/// Does what [`light_fence`] does.
pub(crate) fn free_light_fence(_ordering: Ordering) {}

/// Takes the time of the system's barrier for all threads of a process.
pub(crate) fn heavy_fence(_ordering: Ordering) {
    /// Two microseconds.
    const BARRIER: u64 = 20_000;
    machine::spend(BARRIER);
}

/// Executes `times` spin hints.
#[track_caller]
pub(crate) fn pause(times: u32) {
    machine::hint(times);
}

/// Executes at most `times` spin hints, while the condition holds.
#[track_caller]
pub(crate) fn pause_while(times: u32, mut condition: impl FnMut() -> bool) {
    for _ in 0..times {
        if !condition() {
            break;
        }
        machine::hint(1);
    }
}

/// Returns the simulated time, in tenths of a nanosecond; never 0.
pub(crate) fn ticks() -> u64 {
    machine::now() + 1
}

/// Requests the line at any `address` for reading.
#[track_caller]
pub(crate) fn prefetch_to_read(address: *const u8) {
    touch(address.addr(), Access::FetchToRead);
}

/// Requests the line at any `address` for writing.
#[track_caller]
pub(crate) fn prefetch_to_write(address: *const u8) {
    touch(address.addr(), Access::FetchToWrite);
}
