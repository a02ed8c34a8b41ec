//! The number of executions of each client.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The result of the exploration of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count<'a> {
    /// The client.
    pub name: &'a str,
    /// The number of complete executions.
    pub executions: u64,
    /// The number of blocked executions.
    pub blocked: u64,
}

/// The table's text.
pub const TABLE: &str = include_str!("../../expected/clients.txt");

/// Returns the table, in the order of [`clients::all`](crate::clients::all).
///
/// # Panics
/// If the text is not such a table.
pub fn counts() -> Vec<Count<'static>> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    rows.map(|row| parse(row).unwrap_or_else(|| panic!("expected/clients.txt: not name, executions, blocked: {row}")))
        .collect()
}

fn parse(row: &'static str) -> Option<Count<'static>> {
    let mut fields = row.split_whitespace();
    let name = fields.next()?;
    let mut number = || fields.next()?.parse().ok();
    Some(Count { name, executions: number()?, blocked: number()? })
}

/// Returns a client's expected counts.
pub fn of(name: &str) -> Option<Count<'static>> {
    static BY_NAME: LazyLock<HashMap<&str, Count<'static>>> =
        LazyLock::new(|| counts().into_iter().map(|count| (count.name, count)).collect());
    BY_NAME.get(name).copied()
}

/// Formats these rows as the table's text.
#[must_use]
pub fn text(rows: &[Count<'_>]) -> String {
    let line = |row: &Count<'_>| format!("{:45} {:>12} {:>5}\n", row.name, row.executions, row.blocked);
    super::with_rows(TABLE, &rows.iter().map(line).collect::<String>())
}
