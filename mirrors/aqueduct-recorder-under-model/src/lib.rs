//! The recorder's ring on the model checker's atomics: the source of `aqueduct-recorder`, with another seam.

#[path = "../../../crates/aqueduct-recorder/src/ring/mod.rs"]
pub mod ring;
mod sync;
