//! The tables below `expected/`, and how tests rewrite them.
//!
//! With the environment variable `UPDATE=1`, the tests that compare with a table rewrite it:
//! `UPDATE=1 cargo test -p aqueduct-verify --test suite`.

pub mod counts;
pub mod orderings;

use std::path::Path;
use std::{fs, io};

/// Whether tests rewrite the tables instead of comparing with them.
#[must_use]
pub fn are_rewritten() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}

/// Returns a table with its comments at the top, up to the first row, and these rows. A row ends
/// with a line feed.
#[must_use]
pub fn with_rows(table: &str, rows: &str) -> String {
    let head = table.lines().take_while(|line| line.starts_with('#') || line.trim().is_empty());
    head.map(|line| format!("{line}\n")).collect::<String>() + rows
}

/// Rewrites the file of that name below `expected/`.
///
/// # Errors
/// [`io::Error`] if the file cannot be written.
pub fn rewrite(file: &str, text: &str) -> io::Result<()> {
    fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("expected").join(file), text)
}
