//! Copies the queues of `aqueduct-shm` and puts the faults in.

#[macro_use]
#[path = "../queues/build/mirror.rs"]
mod mirror;

use mirror::Place;

include!("src/faults.rs");

/// The modules that the mirror does not have, or has of its own.
const OTHERS: &[&str] = &["blocking", "mpsc", "region", "sync"];

fn main() {
    mirror::write("shm", "src/faults.rs", PLACES, OTHERS);
}
