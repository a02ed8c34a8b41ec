//! Builds what calls the C interface, if the machine has a C compiler. Without one, it is not measured.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=c");
    println!("cargo::rerun-if-changed=../aqueduct-c/include/aqueduct.h");
    println!("cargo::rustc-check-cfg=cfg(has_c)");
    let mut build = cc::Build::new();
    build.std("gnu11").opt_level(2).include("../aqueduct-c/include").file("c/c_call.c");
    match build.try_compile("aqueduct_bench_c_call") {
        Ok(()) => println!("cargo::rustc-cfg=has_c"),
        Err(why) => println!("cargo::warning=the C interface is not measured: {why}"),
    }
}
