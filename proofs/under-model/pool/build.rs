//! Selects the model backend for the source that this package shares with `aqueduct-pool`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cfg=aqueduct_model");
}
