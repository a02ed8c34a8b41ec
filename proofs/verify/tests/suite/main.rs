//! The clients, their tables and the command, in one program: each further program would link all
//! clients once more.

// The example `checked` calls the library and its backend by this name.
extern crate aqueduct_under_model as aqueduct;
use aqueduct_model as world;

mod addresses;
mod bwos;
mod checked;
mod command;
mod counts;
mod estimates;
mod explored;
mod faults;
mod faulty_ring;
mod load_buffering;
mod many_threads;
mod nblfq;
mod one_stopped;
mod orderings;
mod relaxed;
mod sources;
mod walks;
