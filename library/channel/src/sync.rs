//! The only module that names atomics, locks, threads and time.
//!
//! Channels are written against this module and have no `cfg` of their own. With
//! `--cfg aqueduct_model`, every item is the model checker's: in programs whose authors check their
//! own code, and in the private package `aqueduct-channel-under-model`, which compiles this source
//! a second time for our clients.

mod lock;
#[cfg(aqueduct_model)]
mod model;
#[cfg(not(aqueduct_model))]
mod native;

#[cfg(aqueduct_model)]
use model as world;
#[cfg(not(aqueduct_model))]
use native as world;

/// Reference count of a waker's target. Wakers are those of std in both worlds.
pub(crate) use std::sync::Arc as Counted;

pub use lock::RawLock;

pub(crate) use world::{
    Arc, AtomicBool, AtomicU64, AtomicUsize, BRIEF, Dice, Limit, Mutex, Ordering, Sleeper, Slot, allocate, fence,
    first_round, free, has_passed, is_panicking, longest_spin, may_spin_in_task, park, relax, snooze, spun,
    spun_in_task, take_wake_up, unique,
};
