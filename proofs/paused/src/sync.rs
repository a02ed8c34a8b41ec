//! The seam: the library's own, with a point before each access of an atomic or a cell, where the
//! thread may be stopped.
//!
//! Items of this module hide the library's of that name. The module exports the library's own
//! additions to its seam unpaused.

#[allow(dead_code, unreachable_pub, reason = "what stands below hides some of it")]
#[path = "../../../library/queues/src/sync/asymmetric.rs"]
mod asymmetric;
#[allow(dead_code, unreachable_pub, unused_imports, reason = "what stands below hides some of it")]
#[path = "../../../library/queues/src/sync/native.rs"]
mod native;
#[path = "../../observed.rs"]
mod observed;
#[allow(dead_code, unreachable_pub, reason = "written for the library as a whole")]
#[path = "../../../library/queues/src/sync/pair.rs"]
mod pair;

pub(crate) use asymmetric::*;
pub(crate) use native::*;
#[allow(unused_imports, reason = "the library may need them")]
pub(crate) use observed::{
    AtomicBool, AtomicPair, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Cell, is_greater,
    is_less,
};

pub(crate) use crate::memory::{alloc, dealloc};
use crate::pauses::point;

/// Weak exchanges are the processor's.
const FAILS_SPURIOUSLY: bool = true;

#[inline(always)]
fn before_load<T>(_first: *const T, _len: usize) {
    point();
}

#[inline(always)]
fn before_store<T>(_first: *const T, _len: usize) {
    point();
}

#[inline(always)]
fn before_exchange<T>(_atomic: &T) {
    point();
}

/// A failed exchange is not a point.
#[inline(always)]
fn exchange_failed() {}

/// Executes a light fence after a point: the thread's earlier writes may be seen long before its
/// next read.
#[inline(always)]
pub(crate) fn light_fence(ordering: Ordering) {
    point();
    asymmetric::light_fence(ordering);
}

/// Executes a free fence after a point.
#[inline(always)]
pub(crate) fn free_fence(ordering: Ordering) {
    point();
    asymmetric::free_fence(ordering);
}

/// Executes a free light fence after a point.
#[inline(always)]
pub(crate) fn free_light_fence(ordering: Ordering) {
    point();
    asymmetric::free_light_fence(ordering);
}

/// Executes a heavy fence after a point.
pub(crate) fn heavy_fence(ordering: Ordering) {
    point();
    asymmetric::heavy_fence(ordering);
}

/// Makes a short wait a point, which takes no time.
pub(crate) fn pause(_times: u32) {
    point();
}

/// Makes a pause of any length a point. The library repeats all that it read during a pause.
pub(crate) fn pause_while(times: u32, _condition: impl FnMut() -> bool) {
    pause(times);
}
