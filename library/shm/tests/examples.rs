//! The examples run.

#![cfg(target_os = "linux")]

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// Cargo builds the examples before it runs a package's tests, beside the folder of the tests.
fn example(name: &str) -> PathBuf {
    let test = env::current_exe().expect("a program has a path");
    let folder = test.parent().and_then(|deps| deps.parent()).expect("a folder of builds");
    folder.join("examples").join(name)
}

fn output(name: &str, arguments: &[&str]) -> String {
    let output = Command::new(example(name)).args(arguments).output().expect("it was built");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn a_successor_goes_on() {
    assert!(output("successor", &[]).contains("none lost and none twice"));
}

#[test]
fn all_ways_are_measured() {
    let text = output("measure", &["1", "10"]);
    assert_eq!(text.lines().filter(|line| line.contains(" to ")).count(), 19, "{text}");
}
