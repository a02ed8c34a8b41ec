//! Copies the library's source and plants the faults in it. The seam is this package's own.

#[macro_use]
#[path = "../faults/build/mirror.rs"]
mod mirror;

use mirror::{Mirror, Place};

include!("../faults/src/queues/faults/all.rs");

fn main() {
    let mirror = Mirror { product: "queues", root: "crate", features: &[], has: |module| module != "sync" };
    mirror.write("../faults/src/queues/faults", PLACES);
}
