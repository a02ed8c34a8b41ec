//! Kept measurements: few, and each figure with its machine, date and command.

use std::fs;
use std::path::Path;

use super::pages::page;
use super::{files, root};

/// Bytes under `results/`. Other figures are in the history.
const MOST_BYTES: u64 = 1_500_000;

/// Lines of the changelog, which lists a version's contents.
const MOST_LINES: usize = 60;

fn bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| if entry.path().is_dir() { bytes(&entry.path()) } else { entry.metadata().unwrap().len() })
        .sum()
}

#[test]
fn the_results_are_small() {
    let bytes = bytes(&root().join("results"));
    assert!(bytes <= MOST_BYTES, "{bytes} bytes of results, and {MOST_BYTES} are the most");
}

#[test]
fn the_changelog_is_short() {
    let lines = page("CHANGELOG.md").lines().count();
    assert!(lines <= MOST_LINES, "{lines} lines of CHANGELOG.md, and {MOST_LINES} are the most");
}

/// Whether a text has a date as `2026-11-29`.
fn has_date(text: &str) -> bool {
    let is_date = |word: &str| {
        word.len() == 10
            && word.char_indices().all(|(at, it)| if at == 4 || at == 7 { it == '-' } else { it.is_ascii_digit() })
    };
    text.split(|it: char| !it.is_ascii_digit() && it != '-').any(is_date)
}

/// Returns the facts that a page's text before its first subheading lacks.
fn lacks(text: &str) -> Vec<&'static str> {
    let text = text.split("\n### ").next().expect("a first part");
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let commands =
        ["aqueduct bench", "aqueduct paper", "aqueduct verify", "aqueduct-", "    bench", "cargo ", "scripts/"];
    let programs = ["taskset", "program", "examples/"];
    let parts = [
        ("a machine", text.contains("cores")),
        ("a date", has_date(text)),
        ("a command", has(&commands) || has(&programs)),
    ];
    parts.into_iter().filter(|(_, is_there)| !is_there).map(|(part, _)| part).collect()
}

/// A page has these facts for all its tables before the first heading, or each section for its own.
#[test]
fn each_page_of_results_has_machine_date_and_command() {
    let mut pages = files(&root(), "md");
    pages.retain(|(name, _)| name.starts_with("results/") && name != "results/README.md");
    assert!(pages.len() >= 9, "{} pages", pages.len());
    for (name, text) in pages {
        let mut sections = text.split("\n## ");
        if lacks(sections.next().expect("a heading")).is_empty() {
            continue;
        }
        for section in sections {
            let heading = section.lines().next().expect("a heading");
            assert_eq!(lacks(section), [""; 0], "{name}, {heading}");
        }
    }
}
