//! What the crates of this workspace do not do: ARCHITECTURE.md, "Invariants of absence". (Those of the library stand there, in
//! `crates/aqueduct/tests/sources`.)

use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All Rust sources below a folder, each with its path from the crates' folder on.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder can be listed") {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(crates()).expect("inside").display().to_string();
            found.push((name, fs::read_to_string(&path).expect("a source can be read")));
        }
    }
    found
}

/// The crates that a crate needs in any build, without those of its tests.
fn dependencies(name: &str) -> Vec<String> {
    let manifest = fs::read_to_string(crates().join(name).join("Cargo.toml")).expect("a manifest can be read");
    let mut is_listed = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_listed = line.ends_with("dependencies]") && !line.contains("dev-dependencies");
        } else if let (true, Some((dependency, _))) = (is_listed, line.split_once('=')) {
            found.push(dependency.trim().trim_end_matches(".workspace").to_owned());
        }
    }
    found
}

#[test]
fn the_model_checker_depends_on_no_crate_of_this_workspace() {
    let own: Vec<String> = fs::read_dir(crates())
        .expect("a folder can be listed")
        .map(|entry| entry.expect("a folder can be listed").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(own.iter().any(|name| name == "aqueduct-model"), "{own:?}");
    let needed = dependencies("aqueduct-model");
    assert!(!needed.is_empty() && needed.iter().all(|dependency| !own.contains(dependency)), "{needed:?}");
    assert_eq!(dependencies("loom"), ["aqueduct-model"], "under loom's name");
}

#[test]
fn the_graph_imports_nothing_but_planted_faults() {
    let graph = sources(&crates().join("aqueduct-model/src/graph"));
    assert!(graph.len() > 5, "the sources are here");
    for (name, source) in graph {
        for (at, line) in source.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            // A module below `graph/` reaches its siblings by `super`.
            let others = line.matches("crate::").count() - line.matches("crate::config::Fault").count();
            assert!(others == 0 && !line.contains("super::super"), "{name}:{}: {line}", at + 1);
        }
    }
}

/// Comparisons with a time that are no demands on speed: each file with how many there are, and what for.
const TIMES: [(&str, usize, &str); 4] = [
    ("aqueduct-bench/src/load.rs", 1, "emulated load takes time at all"),
    ("aqueduct-bench/tests/steal_run.rs", 1, "a part is not longer than the whole"),
    ("aqueduct-cli/tests/program.rs", 1, "an interrupted program ends, and does not hang"),
    (
        "aqueduct-vswitch/tests/replay.rs",
        1,
        "threads end at once, not after the time in which they would count as hung",
    ),
];

#[test]
fn no_test_asserts_a_speed() {
    let mut known: Vec<(String, usize)> = TIMES.map(|(file, count, _)| (file.to_owned(), count)).into();
    for (name, source) in sources(&crates()) {
        let asserts = source.split("assert").skip(1).filter_map(|rest| rest.split(';').next());
        let times = asserts.filter(|text| text.starts_with(['!', '_']) && text.contains("elapsed")).count();
        let listed = known.iter().position(|(file, _)| *file == name).map_or(0, |at| known.remove(at).1);
        assert_eq!(times, listed, "{name} compares times");
    }
    assert_eq!(known, [], "what is listed is there");
}

fn page(path: &str) -> String {
    fs::read_to_string(crates().join("..").join(path)).expect("a page can be read")
}

/// The lines of a page's first block of Rust.
fn program(page: &str) -> &str {
    let (_, rest) = page.split_once("```rust\n").expect("a program");
    rest.split_once("```").expect("its end").0
}

#[test]
fn the_readme_is_short_and_its_program_is_the_librarys() {
    let readme = page("README.md");
    assert!(readme.lines().count() <= 150, "{} lines", readme.lines().count());
    assert!(readme.split_whitespace().count() <= 1000, "{} words", readme.split_whitespace().count());
    // The library's is run by its own tests.
    assert_eq!(program(&readme), program(&page("crates/aqueduct/README.md")));
}

#[test]
fn the_readmes_links_lead_to_files() {
    for name in
        ["README.md", "crates/aqueduct-cli/README.md", "crates/aqueduct-model/README.md", "crates/loom/README.md"]
    {
        let folder = crates().join("..").join(name).parent().expect("a folder").to_owned();
        let text = page(name);
        for (_, rest) in text.match_indices("](").map(|(at, _)| text.split_at(at + 2)) {
            let target = rest.split(')').next().expect("an end");
            if !target.contains("://") && !target.starts_with('#') {
                assert!(folder.join(target).exists(), "{name} links to {target}");
            }
        }
    }
}
