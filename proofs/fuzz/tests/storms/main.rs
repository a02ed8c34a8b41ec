//! Storms: eight threads that use a queue, a channel or the pool in every way at once, with an
//! exact account of each item.
//!
//! Each storm runs rounds for some seconds, from a `seed` that differs from run to run. A round
//! that fails, or that stands still, prints its `seed`; the order in which threads run is never the
//! same, so it may take several runs to see the failure again.
//! - `AQUEDUCT_STORM_SECONDS=600`: how long each storm takes.
//! - `AQUEDUCT_STORM_ROUNDS=100000`: the number of rounds of each storm, whatever time they take.
//! - `AQUEDUCT_STORM_SEED=17`: the first round's `seed`.
//! - `AQUEDUCT_STORM_THREADS=16`: the number of threads in place of eight.

// Miri runs small programs of the same packages over many of its own schedules (`.ci/miri`).
#![cfg(not(miri))]

mod channels;
mod destructors;
mod pool;
mod recorder;
mod relaxed;
mod stealing;
mod weather;
