//! The clients of the queue of an exact capacity: one to four threads on either side, permits, and
//! what a thread sees after `Full` or `Empty`.

use super::ends;
use aqueduct_under_model as library;

pub mod world;

pub use world::{clients, stalls, walked};
