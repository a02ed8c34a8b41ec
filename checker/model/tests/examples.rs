//! The example of a user's code under the checker, with its fault and without it.
//!
//! `cargo test` builds the example; with `--test examples` alone, run
//! `cargo build -p aqueduct-model --examples` before.

#![cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]

use std::env;
use std::path::Path;
use std::process::Command;

/// Returns the output of the example with these arguments.
fn treiber(arguments: &[&str]) -> String {
    let test = env::current_exe().expect("the test's path");
    let folder = test.parent().and_then(Path::parent).expect("tests lie in a folder `deps`").join("examples");
    let output = Command::new(folder.join("treiber")).args(arguments).output().expect("the example is built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_stack_passes() {
    assert!(treiber(&[]).starts_with("passed, exhaustively"));
}

#[test]
fn a_relaxed_push_is_a_race() {
    let printed = treiber(&["--weak"]);
    assert!(printed.starts_with("failed") && printed.contains("race"), "{printed}");
}
