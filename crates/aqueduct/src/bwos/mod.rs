//! BWoS

#![allow(missing_debug_implementations)]

mod block;
pub mod fifo;
mod geometry;
mod hold;
mod hunger;
pub mod lifo;
mod place;
mod steal;

pub use geometry::Geometry;
pub use steal::Steal;
