//! The clients of the unbounded queue: one to four threads on either side, at blocks of one slot
//! and of two.

use super::{ends, library};

pub mod world;

pub use world::{clients, stalls, walked};
