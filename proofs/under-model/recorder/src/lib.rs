//! The recorder's ring and requests on the model checker's atomics: the source of
//! `aqueduct-recorder`, with another `sync` module.

#[path = "../../../../library/recorder/src/pending.rs"]
pub mod pending;
#[path = "../../../../library/recorder/src/ring/mod.rs"]
pub mod ring;
mod sync;
