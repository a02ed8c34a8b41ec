//! Measurements of queues in the patterns of programs, with records of bytes, and in drop-old mode.

pub mod drop_old;
pub mod exchange;
pub mod records;
