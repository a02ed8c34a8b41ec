//! Builds the shims that call the C++ peers, if the feature `cpp-peers` is on.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "cpp-peers")]
    cpp_peers();
}

#[cfg(feature = "cpp-peers")]
fn cpp_peers() {
    /// The folder of the parts that these shims share with those of `bench/mpmc`.
    const SHARED: &str = "../mpmc/cpp";
    println!("cargo::rerun-if-changed=cpp");
    println!("cargo::rerun-if-changed={SHARED}/shim.hpp");
    let mut build = cc::Build::new();
    // Warnings of the libraries' headers are off, and their assertions are not measured.
    build.cpp(true).std("c++17").opt_level(3).warnings(false).define("NDEBUG", None);
    build.file("cpp/deques.cpp").include(SHARED);
    // Debian's folder of Eigen's headers.
    build.flag("-isystem/usr/include/eigen3");
    if let Err(error) = build.try_compile("aqueduct_cpp_deques") {
        panic!(
            "the feature `cpp-peers` needs a C++ compiler and the Debian packages libeigen3-dev and libxenium-dev (a line with \
             `#error` says which of them is missing): {error}"
        );
    }
}
