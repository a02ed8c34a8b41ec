//! Progress: the operations that complete while threads have stopped.

mod guarantees;
pub mod many_threads;
pub mod one_stopped;
