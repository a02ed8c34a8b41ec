//! Invariants of absence of the library's sources: ARCHITECTURE.md lists them.

mod absence;
mod lexer;
mod seam;

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder of the library's sources.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Returns all files in it.
fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(&root(), &mut found);
    assert!(found.len() > 10, "the sources are here");
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the crate has sources") {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}
