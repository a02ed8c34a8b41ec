//! The only module that names atomics, cells and the allocator.
//!
//! Queues are written against this module and have no `cfg` of their own. The native backend's
//! items are core's, or transparent wrappers around them. With `--cfg aqueduct_model`, every item
//! is the model checker's: in programs whose authors check their own code, and in the private
//! package `aqueduct-under-model`, which compiles this source a second time for our clients.

#[cfg(not(aqueduct_model))]
mod asymmetric;
#[cfg(aqueduct_model)]
mod model;
#[cfg(not(aqueduct_model))]
mod native;
#[cfg(not(aqueduct_model))]
mod pair;

#[cfg(not(aqueduct_model))]
use asymmetric as fences;
#[cfg(aqueduct_model)]
use model as fences;
#[cfg(aqueduct_model)]
use model as world;
#[cfg(not(aqueduct_model))]
use native as world;

pub(crate) use fences::{free_fence, free_light_fence, heavy_fence, light_fence, prepare_fences};

#[cfg(target_has_atomic = "64")]
pub(crate) use world::AtomicU64;

pub(crate) use world::{
    AtomicPair, AtomicPtr, AtomicU8, AtomicUsize, Cell, Hint, IS_MODEL, Ordering, alloc, dealloc, is_greater, is_less,
    pause, pause_while, prefetch_to_read, prefetch_to_write, ticks,
};
