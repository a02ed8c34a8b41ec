//! Asymmetric fences: one side of a pair is free, and the other side pays for both.
//!
//! **Unstable**: a release may change this module, or remove it.
//!
//! Two threads each write one place and then read another. With a `SeqCst` fence between the write
//! and the read in both, at least one of them observes the other's write (see
//! [`waiting`](crate::waiting)). If one thread does so often and the other one rarely, the frequent
//! thread uses [`light`], which costs no instruction, and the rare thread uses [`heavy`], which
//! pays for both.
//!
//! The fences are asymmetric on Linux, with the feature `std`, if the system grants `membarrier`.
//! Elsewhere both are `SeqCst` fences.
//!
//! ```
//! use aqueduct::fences;
//! use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
//!
//! static WORK: AtomicBool = AtomicBool::new(false);
//! static SLEEPER: AtomicBool = AtomicBool::new(false);
//!
//! fences::prepare();
//! let worker = std::thread::spawn(|| {
//!     SLEEPER.store(true, Relaxed);
//!     fences::heavy();
//!     WORK.load(Relaxed)
//! });
//! WORK.store(true, Relaxed);
//! fences::light();
//! let sees_sleeper = SLEEPER.load(Relaxed);
//! assert!(sees_sleeper || worker.join().is_ok_and(|sees_work| sees_work));
//! ```

use crate::sync::{self, Ordering};

/// Registers the process for the system's barrier, once. Returns whether [`light`] fences are free
/// from now on.
///
/// Call it before the threads that use the fences share anything. Without it, both fences are
/// `SeqCst` fences.
pub fn prepare() -> bool {
    sync::prepare_fences()
}

/// The light side: a `SeqCst` fence with respect to [`heavy`] fences.
///
/// It does not act as a fence with respect to any other fence.
#[inline(always)]
#[track_caller]
pub fn light() {
    // Ordering: SeqCst pairs with `heavy`.
    sync::light_fence(Ordering::SeqCst);
}

/// A [`light`] fence that does not check whether light fences are free.
///
/// It is a fence only if [`prepare`] has returned `true` before.
#[inline(always)]
#[track_caller]
pub fn free_light() {
    // Ordering: SeqCst pairs with `heavy`.
    sync::free_fence(Ordering::SeqCst);
}

/// The heavy side: a `SeqCst` fence, with respect to [`light`] fences, too.
///
/// It takes up to some microseconds.
#[track_caller]
pub fn heavy() {
    // Ordering: SeqCst pairs with `light` and with all other `SeqCst` fences.
    sync::heavy_fence(Ordering::SeqCst);
}
