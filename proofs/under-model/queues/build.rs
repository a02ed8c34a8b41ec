//! Selects the model backend for the source that this package shares with `aqueduct`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cfg=aqueduct_model");
    // The library's features, which this package leaves off.
    println!(
        "cargo::rustc-check-cfg=cfg(feature, values(\"std\", \"mirrored\", \"derive\", \"bytemuck\", \"zerocopy\"))"
    );
}
