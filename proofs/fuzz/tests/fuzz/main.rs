//! Differential fuzzing: each queue beside a plain collection with the expected content, with
//! random operations by random handles.
//!
//! Each scenario runs a fixed number of rounds, round `n` from `seed` `n`, so all runs are equal. A
//! failure prints the command that repeats its round. For longer runs:
//! - `AQUEDUCT_FUZZ_ROUNDS=1000`: the number of rounds of each scenario.
//! - `AQUEDUCT_FUZZ_SEED=17`: the first round's `seed`.

mod cnq;
mod common;
mod drop_old;
mod forgotten;
mod mpmc;
mod orders;
mod panics;
mod records;
mod shapes;
mod spsc;
mod stealing;
mod threads;
mod turns;
mod words;
