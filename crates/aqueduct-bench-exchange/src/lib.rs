//! How fast queues are in what programs do with them, and queues that overwrite what is not read in time.

pub mod drop_old;
pub mod exchange;
