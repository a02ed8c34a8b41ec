//! Properties of the ring's source: the model checks the shipped source, without variants.

use std::fs;
use std::path::Path;

fn code() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ring");
    let files = fs::read_dir(folder).expect("a folder can be listed").map(|entry| entry.expect("a file").path());
    let texts: Vec<_> =
        files.map(|path| (path.display().to_string(), fs::read_to_string(path).expect("a file can be read"))).collect();
    assert!(texts.len() >= 4, "the source is here");
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    texts
        .iter()
        .flat_map(|(name, text)| text.lines().filter(is_code).map(|line| (name.clone(), line.to_owned())))
        .collect()
}

#[test]
fn only_the_seam_names_atomics() {
    for (name, line) in code() {
        let refused = ["core::sync", "std::sync", "UnsafeCell", "static mut", "thread_local"];
        assert!(!refused.iter().any(|word| line.contains(word)), "{name}: {line}");
    }
}

#[test]
fn the_ring_is_one_code_and_has_no_unsafe_code() {
    for (name, line) in code() {
        // Without std, the crate has no readers.
        let is_cfg = line.contains("cfg(") && line != "#[cfg(feature = \"std\")]";
        assert!(!is_cfg && !line.contains("unsafe"), "{name}: {line}");
    }
}
