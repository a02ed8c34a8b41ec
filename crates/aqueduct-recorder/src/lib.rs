//! A flight recorder: the last events of each thread, in memory that outlives the process.
//!
//! [`ring`] is its base: the records of one thread, in memory of the caller.

pub mod ring;
mod sync;
