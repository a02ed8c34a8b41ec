//! Copies the library's source and plants the faults in it. The seam is this package's own.

#[macro_use]
#[path = "../aqueduct-broken/build/mirror.rs"]
mod mirror;

use mirror::Place;

include!("../aqueduct-broken/src/faults/all.rs");

fn main() {
    mirror::write("aqueduct", "../aqueduct-broken/src/faults", PLACES, &["sync"]);
}
