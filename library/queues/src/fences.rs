//! Pairs of asymmetric fences, of which one side is free.
//!
//! Two threads each write one place and then read another. With a `SeqCst` fence between the write and the
//! read in both, one of them sees what the other one has written (see [`waiting`](crate::waiting)). If one
//! thread does so often and the other one rarely, the frequent thread takes [`light`], which costs no
//! instruction, and the rare thread takes [`heavy`], which pays for both.
//!
//! The fences are asymmetric on Linux, with the feature `std`, if the system grants `membarrier`. Elsewhere
//! both are `SeqCst` fences.
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

/// Asks the system for the barrier, once in a process. Returns whether [`light`] fences are free from now on.
///
/// Call it before the threads that use the fences share anything. Without it, both fences are `SeqCst` fences.
pub fn prepare() -> bool {
    sync::prepare_fences()
}

/// The light side: a `SeqCst` fence with respect to [`heavy`] fences.
///
/// With respect to all other fences, it is none.
#[inline(always)]
#[track_caller]
pub fn light() {
    // Ordering: SeqCst pairs with `heavy`.
    sync::light_fence(Ordering::SeqCst);
}

/// A [`light`] fence that does not look whether light fences are free.
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
