//! [`aqueduct_model`] under the name of loom 0.5, whose interface is a part of loom 0.7's:
//!
//! ```toml
//! [patch.crates-io]
//! loom = { path = "path/to/aqueduct/crates/loom-0.5" }
//! ```

pub use aqueduct_model::*;

#[cfg(feature = "distinct-addresses")]
#[global_allocator]
static ADDRESSES: allocator::DistinctAddresses = allocator::DistinctAddresses;
