//! The clients that need each ordering.
//!
//! For each line of the library's source with an ordering stronger than `Relaxed`, the table names
//! the clients that fail with a weaker one, or that have load buffering then: `buffering:` precedes
//! their names.

use crate::orderings::sites;

/// A line of the source, and its clients.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Need<'a> {
    /// The file, below the library's `src`.
    pub file: &'static str,
    /// The code in that line.
    pub code: &'static str,
    /// The clients. Each fails with an ordering in place of a stronger one that those before it
    /// allow.
    pub clients: Vec<&'a str>,
}

/// The table's text.
pub const TABLE: &str = include_str!("../../expected/orderings.txt");

/// Returns the table, in the order of [`sites::named`].
#[must_use]
pub fn all() -> Vec<Need<'static>> {
    let (mut all, mut file) = (Vec::<Need<'static>>::new(), "");
    for row in TABLE.lines().filter(|row| !row.starts_with('#') && !row.trim().is_empty()) {
        let text = row.trim();
        match (row.len() - row.trim_start().len(), all.last_mut()) {
            (0, _) => file = text,
            (4, _) => all.push(Need { file, code: text, clients: Vec::new() }),
            (_, need) => need.map_or((), |need| need.clients.extend(text.split_whitespace())),
        }
    }
    all
}

/// Returns the clients that need an ordering in this line of the source, or none if the table lacks
/// the line.
#[must_use]
pub fn clients(file: &str, line: u32) -> Vec<&'static str> {
    let all_named: Vec<_> = sites::named().collect();
    let Some(at) = all_named.iter().position(|named| named.file == sites::short(file) && named.line == line) else {
        return Vec::new();
    };
    // Several lines of a file may have equal code: their rows come in the lines' order.
    let code = (all_named[at].file, all_named[at].code);
    let earlier = all_named[..at].iter().filter(|named| (named.file, named.code) == code).count();
    let need = all().into_iter().filter(|need| (need.file, need.code) == code).nth(earlier);
    need.map_or(Vec::new(), |need| need.clients)
}

/// Whether a row has a client of this name.
#[must_use]
pub fn is_named(client: &str) -> bool {
    TABLE.split_whitespace().any(|word| word == client)
}

/// Formats these rows as the table's text.
#[must_use]
pub fn text(rows: &[Need<'_>]) -> String {
    let (mut text, mut file) = (String::new(), "");
    for need in rows {
        if need.file != file {
            file = need.file;
            text += &format!("{file}\n");
        }
        text += &format!("    {}\n        {}\n", need.code, need.clients.join(" "));
    }
    super::with_rows(TABLE, &text)
}
