//! Copies the library's source and puts the faults in; chooses the model world for it.

#[path = "build/mirror.rs"]
mod mirror;

fn main() {
    mirror::write(&[]);
    println!("cargo::rustc-cfg=aqueduct_model");
}
