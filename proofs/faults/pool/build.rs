//! Copies the pool's source and puts the faults in; selects the model backend for it.

#[macro_use]
#[path = "../queues/build/mirror.rs"]
mod mirror;

use mirror::Place;

include!("src/faults.rs");

fn main() {
    mirror::write("pool", "src/faults.rs", PLACES, &[]);
    println!("cargo::rustc-cfg=aqueduct_model");
}
