//! [`aqueduct_model`] under the name of loom 0.5, whose interface is a part of loom 0.7's:
//!
//! ```toml
//! [patch.crates-io]
//! loom = { path = "path/to/aqueduct/drop-in/loom-0.5" }
//! ```

pub use aqueduct_model::*;

// The flag is for programs with a global allocator: a patch cannot select features.
#[cfg(all(feature = "distinct-addresses", not(aqueduct_no_allocator)))]
#[global_allocator]
static ADDRESSES: allocator::DistinctAddresses = allocator::DistinctAddresses;
