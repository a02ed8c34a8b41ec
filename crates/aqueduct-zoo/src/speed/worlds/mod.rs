//! One module per checker. Each compiles `programs.rs` against its own atomics, slots, threads and waiting.

#![allow(clippy::duplicate_mod, reason = "the same programs in each world is what this is for")]

pub(in crate::speed) mod aqueduct;
pub(in crate::speed) mod loom;
pub(in crate::speed) mod shuttle;
