//! Runs of the program: coroutines for its threads, replay against the graph, and the engine.
//!
//! Every visible operation calls the engine.

pub(crate) mod aftermath;
pub(crate) mod coroutine;
pub(crate) mod driver;
pub(crate) mod engine;
pub(crate) mod facts;
pub(crate) mod halting;
pub(crate) mod heap;
pub(crate) mod interrupts;
pub(crate) mod kept;
pub(crate) mod locals;
pub(crate) mod memory;
pub(crate) mod operations;
mod outside;
pub(crate) mod overrides;
pub(crate) mod panics;
pub(crate) mod place;
pub(crate) mod rounds;
pub(crate) mod state;
pub(crate) mod stray;
pub(crate) mod traces;
pub(crate) mod trial;
pub(crate) mod waiting;
pub(crate) mod watch;
mod watching;

pub(crate) use driver::{inside, visible};
