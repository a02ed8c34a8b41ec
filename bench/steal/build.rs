//! Builds what calls the C++ peers, if they are wanted.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "cpp-peers")]
    cpp_peers();
}

#[cfg(feature = "cpp-peers")]
fn cpp_peers() {
    /// What these shims share with those of queues.
    const SHARED: &str = "../mpmc/cpp";
    println!("cargo::rerun-if-changed=cpp");
    println!("cargo::rerun-if-changed={SHARED}/shim.hpp");
    let mut build = cc::Build::new();
    // The libraries' headers are not ours to warn about, and their assertions are not to be measured.
    build.cpp(true).std("c++17").opt_level(3).warnings(false).define("NDEBUG", None);
    build.file("cpp/deques.cpp").include(SHARED);
    // Where Debian has the headers of Eigen.
    build.flag("-isystem/usr/include/eigen3");
    if let Err(error) = build.try_compile("aqueduct_cpp_deques") {
        panic!(
            "the feature `cpp-peers` needs a C++ compiler and the Debian packages libeigen3-dev and libxenium-dev (a line with \
             `#error` says which of them is missing): {error}"
        );
    }
}
