//! [`aqueduct_model`] under the name of loom 0.7, for crates that test with loom:
//!
//! ```toml
//! [patch.crates-io]
//! loom = { path = "path/to/aqueduct/crates/loom" }
//! ```
//!
//! Their tests then explore every execution under RC11, where loom explores interleavings with a part of C11's weak
//! behaviours.

pub use aqueduct_model::*;

#[cfg(feature = "distinct-addresses")]
#[global_allocator]
static ADDRESSES: allocator::DistinctAddresses = allocator::DistinctAddresses;
