//! The seam between the worlds: the only module that names atomics, cells and the allocator.
//!
//! A queue's algorithm is written against what stands here and has no `cfg` of its own. Natively every item is
//! core's, or a transparent wrapper around it. In the private package that compiles this source a second time
//! (`aqueduct-under-model`), every item is the model checker's.

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

pub(crate) use fences::{heavy_fence, light_fence, prepare_fences};

pub(crate) use world::{
    AtomicPair, AtomicPtr, AtomicU8, AtomicUsize, Cell, Ordering, alloc, dealloc, is_greater, is_less, pause,
    pause_while, prefetch_to_read, prefetch_to_write,
};
