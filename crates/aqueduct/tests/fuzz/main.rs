//! Differential fuzzing: each queue beside a plain collection that says what should come out, with random operations by
//! random handles.
//!
//! Each scenario runs a fixed number of rounds, round `n` from `seed` `n`: each run does the same. A failure
//! prints how to repeat its round. For longer runs:
//!
//! - `AQUEDUCT_FUZZ_ROUNDS=1000`: so many rounds of each scenario.
//! - `AQUEDUCT_FUZZ_SEED=17`: the first round's `seed`.

mod cnq;
mod common;
mod drop_old;
mod forgotten;
mod mpmc;
mod panics;
mod records;
mod shapes;
mod spsc;
mod stealing;
mod threads;
mod words;
