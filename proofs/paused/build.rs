//! Copies the library's source and plants the faults in it. The seam is this package's own.

#[macro_use]
#[path = "../faults/queues/build/mirror.rs"]
mod mirror;

use mirror::Place;

include!("../faults/queues/src/faults/all.rs");

fn main() {
    mirror::write("queues", "../faults/queues/src/faults", PLACES, &["sync"]);
}
