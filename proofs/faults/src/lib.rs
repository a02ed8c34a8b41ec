//! The products under the model, with faults: the clients that prove a product right have to find
//! each of them.
//!
//! A module has the source of one product. The build script copies it. At the places that the
//! module's list names, it puts in code that does the wrong thing if the fault is switched on
//! (`with`), and the right thing otherwise. So nothing of a product is written twice, and a fault
//! whose place is gone stops the build.

#![allow(clippy::module_inception, reason = "products have modules of their own names")]

#[cfg(any(feature = "queues", feature = "shm"))]
extern crate alloc;

include!("place.rs");

#[cfg(feature = "channel")]
pub mod channel;
#[cfg(feature = "pool")]
pub mod pool;
#[cfg(feature = "queues")]
pub mod queues;
#[cfg(feature = "recorder")]
pub mod recorder;
#[cfg(feature = "shm")]
pub mod shm;
