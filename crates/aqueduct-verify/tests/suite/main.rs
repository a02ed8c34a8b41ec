//! The clients, their tables and the command, in one program: each further one would link all clients once more.

// What the library's example `checked` calls the library and its world.
extern crate aqueduct_under_model as aqueduct;
use aqueduct_model as world;

mod addresses;
mod broken;
mod broken_bbq;
mod broken_cnq;
mod broken_nblfq;
mod broken_unbounded;
mod bwos;
mod checked;
mod command;
mod counts;
mod matrix;
mod minimal;
mod nblfq;
mod sources;
mod stalls;
mod walks;
