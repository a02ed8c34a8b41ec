//! Copies the library's source and puts the faults in; the seam is this package's own.

#[path = "../aqueduct-broken/build/mirror.rs"]
mod mirror;

fn main() {
    mirror::write(&["sync"]);
}
