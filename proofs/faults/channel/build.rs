//! Copies the channels' source and puts the faults in; chooses the model world for it.

#[macro_use]
#[path = "../queues/build/mirror.rs"]
mod mirror;

use mirror::Place;

include!("src/faults/all.rs");

fn main() {
    mirror::write("channel", "src/faults", PLACES, &[]);
    println!("cargo::rustc-cfg=aqueduct_model");
}
