//! The clients of BWoS: an owner, and thieves.

use aqueduct_under_model as library;

pub mod stopped;
pub mod world;

pub(crate) use world::{clients, huge, walked};
