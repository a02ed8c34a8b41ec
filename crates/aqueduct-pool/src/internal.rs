//! For the clients of the model checker.

pub use crate::latch::CoreLatch;
pub use crate::sleep::Sleep;
