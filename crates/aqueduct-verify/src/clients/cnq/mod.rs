//! The clients of CNQ and of its tubes.
//!
//! C1 to C6 of J. Wang's thesis (TU Dresden, 2024, Table 3.1), and clients for each end of a
//! capsule's use.

use aqueduct_under_model as library;

pub mod spec;
pub mod stalls;
pub mod world;
