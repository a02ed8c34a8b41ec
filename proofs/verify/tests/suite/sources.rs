//! The files of the library that name orderings and atomics.

use std::fs;
use std::path::Path;

use aqueduct_verify::orderings::sites::{self, SOURCES};

/// The list of files is complete: no other file names an ordering stronger than `Relaxed`.
/// Exceptions are the seam's fences, the module that exports them, and the seam's pair of words
/// under Miri.
#[test]
fn no_other_file_names_strong_orderings() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../library/queues/src");
    let of_the_seam = ["fences.rs", "sync/asymmetric.rs", "sync/pair.rs"].map(|file| src.join(file));
    for path in files(&src).into_iter().filter(|path| !of_the_seam.contains(path)) {
        let file = path.strip_prefix(&src).expect("below src").to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&path).expect("readable");
        if !SOURCES.iter().any(|&(known, _)| known == file) {
            assert_eq!(sites::named_in(&text).next(), None, "{file} is missing in sites.rs");
        }
    }
}

/// The seam alone names atomics, cells, and the model, and no algorithm has a `cfg` of its own.
#[test]
fn only_the_seam_knows_the_worlds() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../library/queues/src");
    let mut seen = 0;
    for path in files(&src) {
        let text = fs::read_to_string(&path).expect("readable");
        let is_seam = path.starts_with(src.join("sync")) || path == src.join("sync.rs");
        for word in ["sync::atomic", "UnsafeCell", "aqueduct_model", "spin_loop", "alloc::alloc"] {
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let names = code.filter(|line| line.contains(word)).count();
            assert!(is_seam || names == 0, "{} names {word}", path.display());
            seen += names;
        }
    }
    assert!(seen > 0, "the seam was not found");
}

fn files(dir: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}
