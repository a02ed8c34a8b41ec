//! [`aqueduct_model`] under the name of loom 0.7, for crates that test with loom:
//!
//! ```toml
//! [patch.crates-io]
//! loom = { path = "path/to/aqueduct/drop-in/loom" }
//! ```
//!
//! Their tests then explore every execution under RC11, where loom explores interleavings with a
//! part of C11's weak behaviours.

pub use aqueduct_model::*;

// The flag is for programs with a global allocator: a patch cannot select features.
#[cfg(all(feature = "distinct-addresses", not(aqueduct_no_allocator)))]
#[global_allocator]
static ADDRESSES: allocator::DistinctAddresses = allocator::DistinctAddresses;
