//! Copies the library's source and puts the faults in; selects the model backend for it.

#[macro_use]
#[path = "build/mirror.rs"]
mod mirror;

use mirror::Place;

include!("src/faults/all.rs");

fn main() {
    mirror::write("queues", "src/faults", PLACES, &[]);
    println!("cargo::rustc-cfg=aqueduct_model");
}
