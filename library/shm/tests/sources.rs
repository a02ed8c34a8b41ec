//! Rules for the source: the model checks it unchanged, and code without `unsafe` is safe from
//! other processes.

use std::fs;
use std::path::{Path, PathBuf};

/// The lines of code of the files of the queues, with their names.
fn code() -> Vec<(String, String)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files: Vec<PathBuf> =
        ["bell.rs", "blocking.rs", "bytes.rs", "error.rs", "front.rs", "lanes.rs", "layout.rs", "lib.rs", "pod.rs"]
            .map(|file| source.join(file))
            .into();
    for folder in ["items", "records", "cells", "mpmc", "drop_old", "drop_old/records", "nblfq"] {
        let listed = fs::read_dir(source.join(folder)).expect("a folder can be listed");
        files.extend(listed.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()));
    }
    assert!(files.len() >= 30, "they are here");
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let lines = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a file can be read");
        let name = path.strip_prefix(&source).expect("inside").display().to_string();
        text.lines().filter(is_code).map(|line| (name.clone(), line.to_owned())).collect::<Vec<_>>()
    };
    files.into_iter().flat_map(lines).collect()
}

#[test]
fn only_the_seam_names_atomics() {
    for (name, line) in code() {
        let refused = ["sync::atomic", "std::sync", "UnsafeCell", "static mut", "thread_local", "libc::"];
        assert!(!refused.iter().any(|word| line.contains(word)), "{name}: {line}");
    }
}

#[test]
fn queues_have_no_unsafe_code_and_no_cfg() {
    for (name, line) in code() {
        // One file converts items to bytes and back.
        assert!(name == "pod.rs" || !line.contains("unsafe"), "{name}: {line}");
        assert!(name == "lib.rs" || !line.contains("cfg("), "{name}: {line}");
    }
}
