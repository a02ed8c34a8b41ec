//! Chooses the model world for the source that this package shares with `aqueduct-channel`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cfg=aqueduct_model");
}
