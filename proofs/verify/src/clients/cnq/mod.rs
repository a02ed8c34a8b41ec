//! The clients of CNQ and of its tubes.
//!
//! C1 to C6 of J. Wang's thesis (TU Dresden, 2024, Table 3.1), and clients for each end of a
//! capsule's use.

use super::{ends, library};

pub mod spec;
pub mod stalls;
pub mod world;
