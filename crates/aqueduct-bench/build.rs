//! Builds what calls the C++ peers, if they are wanted.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "cpp-peers")]
    cpp_peers();
}

#[cfg(feature = "cpp-peers")]
fn cpp_peers() {
    const SOURCE: &str = "cpp/peers.cpp";
    println!("cargo::rerun-if-changed={SOURCE}");
    let mut build = cc::Build::new();
    // The libraries' headers are not ours to warn about.
    build.cpp(true).std("c++17").opt_level(3).warnings(false).file(SOURCE).flag_if_supported("-mssse3");
    // Where Debian has DPDK's headers, of which one is for the architecture.
    build.flag("-isystem/usr/include/dpdk").flag("-include").flag("rte_config.h");
    if let Ok(triple) = build.get_compiler().to_command().arg("-print-multiarch").output() {
        build.flag(format!("-isystem/usr/include/{}/dpdk", String::from_utf8_lossy(&triple.stdout).trim()));
    }
    if let Err(error) = build.try_compile("aqueduct_cpp_peers") {
        panic!(
            "the feature `cpp-peers` needs a C++ compiler and the Debian packages libboost-dev, libconcurrentqueue-dev, libdpdk-dev \
             and libtbb-dev: {error}"
        );
    }
    for library in ["rte_ring", "rte_eal", "tbb"] {
        println!("cargo::rustc-link-lib=dylib={library}");
    }
}
