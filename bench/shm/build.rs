//! Builds the shims that call the C interface (if the machine has a C compiler), boost's message
//! queue (if it has boost's headers), and moodycamel's C interface (if `AQUEDUCT_MOODYCAMEL` names
//! a folder with its source). Without them, they are not measured.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=c");
    println!("cargo::rerun-if-changed=../../library/c/include/aqueduct.h");
    println!("cargo::rustc-check-cfg=cfg(has_c, has_boost, has_moodycamel)");
    let mut build = cc::Build::new();
    build.std("gnu11").opt_level(2).include("../../library/c/include").file("c/c_call.c");
    match build.try_compile("aqueduct_bench_c_call") {
        Ok(()) => println!("cargo::rustc-cfg=has_c"),
        Err(why) => println!("cargo::warning=the C interface is not measured: {why}"),
    }
    // Warnings of the headers are off, and their assertions are not measured. Few machines have
    // them.
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(3).warnings(false).cargo_warnings(false).define("NDEBUG", None);
    if build.file("c/boost.cpp").try_compile("aqueduct_bench_boost").is_ok() {
        println!("cargo::rustc-cfg=has_boost");
    }
    println!("cargo::rerun-if-env-changed=AQUEDUCT_MOODYCAMEL");
    if let Some(folder) = std::env::var_os("AQUEDUCT_MOODYCAMEL") {
        match moodycamel(folder.as_ref()) {
            Ok(()) => println!("cargo::rustc-cfg=has_moodycamel"),
            Err(why) => println!("cargo::warning=moodycamel's C interface is not measured: {why}"),
        }
    }
}

/// Builds moodycamel's C interface, and the shim that calls it. No Debian package has it.
fn moodycamel(folder: &std::path::Path) -> Result<(), cc::Error> {
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(3).warnings(false).define("NDEBUG", None);
    build.file(folder.join("c_api/concurrentqueue.cpp")).try_compile("moodycamel_c_api")?;
    let mut build = cc::Build::new();
    build.std("gnu11").opt_level(2).include(folder).file("c/moodycamel.c");
    build.try_compile("aqueduct_bench_c_call_moodycamel")
}
