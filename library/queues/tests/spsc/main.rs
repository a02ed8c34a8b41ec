//! Every scenario is written once and runs over every queue of `aqueduct::spsc`.

mod common;

mod abandonment;
mod bad_input;
mod batches;
mod drops;
mod duplex;
mod forgotten;
mod handles;
mod item_types;
mod memory;
mod model;
mod panics;
mod threads;
mod words;
