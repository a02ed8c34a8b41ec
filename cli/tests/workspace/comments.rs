//! The form of comments: their width, the beginning of a reason, and the pages of unstable
//! modules.

use std::fs;

use super::{root, sources};

/// The columns of a comment. Tables, programs in docs and links may have as many as code.
const COLUMNS: usize = 100;

/// The sentence on the page of a module that a release may change.
const UNSTABLE: &str = "//! **Unstable**: a release may change this module, or remove it.";

/// Returns the text of a line that is a comment.
fn text(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("//")?;
    Some(text.strip_prefix(['/', '!']).unwrap_or(text))
}

/// Returns the numbers of the comments in a source that are too wide.
fn wide(source: &str) -> Vec<usize> {
    let (mut found, mut is_program) = (Vec::new(), false);
    for (number, line) in (1..).zip(source.lines()) {
        let Some(text) = text(line) else {
            is_program = false;
            continue;
        };
        let text = text.trim_start();
        is_program ^= text.starts_with("```");
        let is_free = is_program || text.starts_with(['|', '`', '[']);
        let most = if is_free { 120 } else { COLUMNS };
        found.extend((line.chars().count() > most).then_some(number));
    }
    found
}

#[test]
fn comments_have_a_hundred_columns() {
    let (long, longer) = ("a ".repeat(48), "a ".repeat(50));
    assert_eq!(wide(&format!("// {long}\n// {longer}\n/// | {longer}\n/// ```\n/// {longer}\n")), [2]);
    let found: Vec<String> = sources()
        .iter()
        .flat_map(|(name, source)| wide(source).into_iter().map(move |number| format!("{name}:{number}")))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A reader looks for them at the beginning of a line.
#[test]
fn reasons_of_unsafe_code_and_of_orderings_begin_a_line() {
    let mut found = Vec::new();
    for (name, source) in &sources() {
        for (number, line) in (1..).zip(source.lines()) {
            let is_late = |word: &str| text(line).is_some_and(|text| text.contains(&format!(". {word}: ")));
            found.extend((is_late("SAFETY") || is_late("Ordering")).then(|| format!("{name}:{number}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The crates' roots list these modules.
#[test]
fn unstable_modules_say_so() {
    let page = |path: &str| fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut marked = sources();
    marked.retain(|(_, source)| source.lines().any(|line| line == UNSTABLE));
    let names: Vec<&str> = marked.iter().map(|(name, _)| name.as_str()).collect();
    let papers =
        ["batched_improved_fast_forward", "batched_lamport", "fast_forward", "improved_fast_forward", "lamport"];
    let queues = papers.iter().chain(&["lazy_lamport"]).map(|name| format!("library/queues/src/spsc/{name}.rs"));
    let others = ["bbq/slots/mod", "cnq/mod", "faaq/mod", "fences", "nblfq/wide", "tube/mod"];
    let others = others.iter().map(|name| format!("library/queues/src/{name}.rs"));
    let channels = ["records/mod", "relaxed"].map(|name| format!("library/channel/src/channel/{name}.rs"));
    let mut wanted: Vec<String> = queues.chain(others).chain(channels).collect();
    wanted.sort();
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    names.sort();
    assert_eq!(names, wanted);

    let root = page("library/queues/src/lib.rs");
    let (_, stability) = root.split_once("//! # Stability\n").expect("the section");
    let (stability, _) = stability.split_once("//! # ").expect("the next section");
    for module in ["cnq", "tube", "faaq", "nblfq::wide", "bbq::slots", "fences"] {
        assert!(stability.contains(&format!("[`{module}`]")), "{module}");
    }
    assert!(
        page("library/channel/src/lib.rs").contains("[`relaxed`] and [`records`] are unstable"),
        "the channels' root"
    );
}
