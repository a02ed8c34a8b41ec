//! The headers match the library, and programs in C and C++ work with one in Rust.

#![cfg(target_os = "linux")]

mod compiler;
mod functions;
mod header;
mod install;
mod programs;

use std::fs;
use std::path::{Path, PathBuf};

/// True if programs are compiled in further ways, which takes seconds.
fn is_thorough() -> bool {
    std::env::var_os("AQUEDUCT_THOROUGH").is_some()
}

/// The path of a file of this package.
fn package(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

fn read(file: &str) -> String {
    fs::read_to_string(package(file)).expect("a file can be read")
}
