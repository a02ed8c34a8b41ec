//! Rules that the channels' source follows.

use std::fs;
use std::path::Path;

/// All files below a folder.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder can be listed") {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.display().to_string(), fs::read_to_string(&path).expect("a file can be read")));
        }
    }
    found
}

/// The lines of code outside of the seam.
fn code() -> Vec<(String, String)> {
    let all = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(all.len() > 15 && all.iter().any(|(name, _)| name.ends_with("sync/native.rs")), "the source is here");
    let others = all.into_iter().filter(|(name, _)| !name.ends_with("src/sync.rs") && !name.contains("src/sync/"));
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    others
        .flat_map(|(name, text)| {
            text.lines().filter(is_code).map(|line| (name.clone(), line.to_owned())).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn only_the_seam_names_atomics_locks_threads_and_cells() {
    let refused = [
        "std::sync",
        "core::sync",
        "std::thread",
        "thread::",
        "UnsafeCell",
        "spin_loop",
        "Instant::now() >",
        "OnceLock",
    ];
    for (name, line) in code() {
        assert!(!refused.iter().any(|word| line.contains(word)), "{name}: {line}");
    }
}

#[test]
fn nothing_but_the_seam_has_a_cfg_and_a_feature_is_a_module() {
    let code = code();
    for (index, (name, line)) in code.iter().enumerate().filter(|(_, (_, line))| line.contains("cfg")) {
        let is_feature = name.ends_with("src/lib.rs") && line.starts_with("#[cfg(feature = ");
        assert!(is_feature && code[index + 1].1.starts_with("pub mod "), "{name}: {line}");
    }
}
