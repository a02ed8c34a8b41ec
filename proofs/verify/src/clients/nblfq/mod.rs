//! The clients of NBLFQ: one to four threads on either side, handlers that interrupt, and counters
//! that wrap.

use aqueduct_under_model as library;

pub mod world;

pub use world::{Wide, Words, clients, overtaken, stalls, walked};
