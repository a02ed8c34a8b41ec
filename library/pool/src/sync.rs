//! The only module that names atomics, locks, threads and thread-local memory.
//!
//! The pool is written against this module and has no `cfg` of its own. With
//! `--cfg aqueduct_model`, every item is the model checker's: in users' programs under the checker,
//! and in the private package `aqueduct-pool-under-model`, which compiles this source a second time
//! for our clients.

#[cfg(aqueduct_model)]
mod model;
#[cfg(not(aqueduct_model))]
mod native;
pub(crate) mod parked;

#[cfg(aqueduct_model)]
use model as world;
#[cfg(not(aqueduct_model))]
use native as world;

pub(crate) use world::{
    Arc, AtomicBool, AtomicPtr, AtomicUsize, HINTED, LEAST_ROUNDS, Mutex, Nap, Ordering, ROUNDS, SearchTime, Sleeper,
    Slot, WATCHES, available_threads, bind, fence, groups, hold_on, park, park_for, per_thread, relax, spawn, start,
};
