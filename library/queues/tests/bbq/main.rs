//! Every scenario is written once and runs over every form of `aqueduct::bbq`: the handles of
//! `spsc`, `mpsc`, `spmc` and `mpmc`, and the `Queue` that is shared as a whole; and over those of
//! `aqueduct::faaq`.

mod common;

mod abandonment;
mod bad_input;
mod batches;
mod capacity;
mod drop_old;
mod drops;
mod errors;
mod forgotten;
mod handles;
mod item_types;
mod laps;
mod length;
mod model;
mod panics;
mod records;
mod slots;
mod threads;
