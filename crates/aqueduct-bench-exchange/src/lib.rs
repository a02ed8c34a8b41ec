//! How fast queues are in what programs do with them, with records of bytes, and where they overwrite what is not read
//! in time.

pub mod drop_old;
pub mod exchange;
pub mod records;
