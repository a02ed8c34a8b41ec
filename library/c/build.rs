//! Sets the name (soname) of cargo's shared library, with the version of its interface.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libaqueduct_c.so.0");
    }
}
