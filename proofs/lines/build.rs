//! Copies the library's source; the seam is this package's own.

#[macro_use]
#[path = "../faults/queues/build/mirror.rs"]
mod mirror;

fn main() {
    mirror::write::<()>("queues", "build.rs", &[], &["sync"]);
}
