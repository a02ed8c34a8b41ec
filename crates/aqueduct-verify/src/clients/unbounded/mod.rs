//! The clients of the unbounded queue: one to four threads on either side, at blocks of one slot and of two.

use aqueduct_under_model as library;

pub mod world;

pub use world::{clients, stalls, walked};
