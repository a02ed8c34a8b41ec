//! Lines to paste as tests: each bench compiles and runs those of its offers.

use super::guide::{Guide, Offer, Usage};
use crate::names::Queue;

/// The columns of a line that a terminal of 80 does not break, because the advice indents it.
pub const COLUMNS: usize = 76;

/// The end of the hand-written part of a file of tests.
const MARK: &str = "use std::error::Error;\n";

/// Compares the tests in a file with the lines of all offers; with `UPDATE` in the environment,
/// writes them.
///
/// # Panics
/// If they differ, if a line is wider than a terminal, or if lines lack a part of the path that the
/// answer names.
pub fn check(guide: &Guide, path: &str) {
    let file = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let (head, compiled) = file.split_once(MARK).unwrap_or_else(|| panic!("{path} has no line {MARK:?}"));
    let tests = tests(guide);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, format!("{head}{MARK}{tests}")).unwrap_or_else(|error| panic!("{path}: {error}"));
    } else {
        assert_eq!(compiled, tests, "{path} has other lines; UPDATE=1 with this test writes it");
    }
}

/// Returns a test function for each queue and use that the needs name.
fn tests(guide: &Guide) -> String {
    let mut tests: Vec<String> = Vec::new();
    for need in guide.needs {
        for test in need.takes.iter().map(|offer| test(offer, need.usage)) {
            if !tests.contains(&test) {
                tests.push(test);
            }
        }
    }
    tests.concat()
}

fn test(offer: &Offer, usage: Usage) -> String {
    /// Any order, for queues that have one.
    const K: usize = 1000;
    let code = offer.lines(&Queue::with_order(offer.queue, K), usage, 4096);
    for part in offer.path.split(|sign: char| !sign.is_alphanumeric() && sign != '_') {
        assert!(part == "over" || code.contains(part), "{}:\n{code}", offer.path);
    }
    let line = |line: &str| {
        assert!(line.chars().count() <= COLUMNS, "{}: {line}", offer.queue);
        if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }
    };
    let body: String = code.lines().map(line).collect();
    let name = offer.queue.rsplit('/').next().unwrap_or(offer.queue);
    let word = match usage {
        Usage::Single => "single",
        Usage::Batch => "batch",
        Usage::Pointer => "pointer",
        Usage::Exchange => "exchange",
    };
    format!("\n#[test]\nfn {name}_{word}() -> Result<(), Box<dyn Error>> {{\n{body}    Ok(())\n}}\n")
}
