//! The clients of CNQ and of the tubes that it can be made of: the seed's C1 to C6 (Table 3.1), and those for each end of a
//! capsule's life.

use aqueduct_under_model as library;

pub(crate) mod spec;
pub mod stalls;
pub mod world;
