//! Which operations complete while threads have stopped.

pub mod many_threads;
pub mod one_stopped;
