//! Builds the shims that call the C++ peers, if the feature `cpp-peers` is on.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "cpp-peers")]
    cpp_peers();
}

#[cfg(feature = "cpp-peers")]
fn cpp_peers() {
    println!("cargo::rerun-if-changed=cpp");
    let mut build = cc::Build::new();
    // Warnings of the libraries' headers are off, and their assertions are not measured.
    build.cpp(true).std("c++17").opt_level(3).warnings(false).define("NDEBUG", None);
    build.file("cpp/peers.cpp").flag_if_supported("-mssse3");
    // Debian's folders of DPDK's headers. The second one depends on the architecture.
    build.flag("-isystem/usr/include/dpdk");
    if let Ok(triple) = build.get_compiler().to_command().arg("-print-multiarch").output() {
        build.flag(format!("-isystem/usr/include/{}/dpdk", String::from_utf8_lossy(&triple.stdout).trim()));
    }
    if let Err(error) = build.try_compile("aqueduct_cpp_queues") {
        panic!(
            "the feature `cpp-peers` needs a C++ compiler and the Debian packages libboost-dev, libconcurrentqueue-dev, libdpdk-dev, \
             libtbb-dev and libxenium-dev (a line with `#error` says which of them is missing): {error}"
        );
    }
    for library in ["rte_ring", "rte_eal", "tbb"] {
        println!("cargo::rustc-link-lib=dylib={library}");
    }
}
