//! Copies the library's source; the seam is this package's own.

#[macro_use]
#[path = "../faults/build/mirror.rs"]
mod mirror;

use mirror::Mirror;

fn main() {
    let mirror = Mirror { product: "queues", root: "crate", features: &[], has: |module| module != "sync" };
    mirror.write::<()>("build.rs", &[]);
}
