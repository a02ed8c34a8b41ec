//! Short tables for the terminal: the best of our queues, the best peers and the bound of each
//! comparison.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::guide::{self, Guide};
use super::sheet::{Panel, Row, Setting, Sheet};
use super::text;
use crate::record::{Payload, Record, Role};

const HEADING: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// Most lines of a role.
const MOST: [(Role, usize); 3] = [(Role::Ours, 3), (Role::Peer, 3), (Role::Bound, 1)];

const HEADINGS: [&str; 4] = ["median", "spread", "to best peer", "to bound"];

/// Returns a table for each comparison that `shows` accepts, without emulated load and without
/// pointers.
pub fn tables(records: &[Record], shows: fn(&Setting) -> bool, guides: &[Guide]) -> String {
    let sheet = Sheet::of(records);
    let is_shown = |panel: &&Panel<'_>| {
        let setting = &panel.setting;
        shows(setting) && setting.payload == Payload::Embedded && panel.loads == (0, 0)
    };
    sheet.panels.iter().filter(is_shown).map(|panel| table(panel, guides)).collect()
}

/// Returns the best rows of a comparison.
fn table(panel: &Panel<'_>, guides: &[Guide]) -> String {
    let rows: Vec<&Row<'_>> = MOST.iter().flat_map(|&(role, most)| panel.of_role(role).take(most)).collect();
    let name = rows.iter().map(|row| row.record.queue_words().len()).max().unwrap_or(0);
    let cells: Vec<[String; 4]> = rows.iter().map(|row| cells(row)).collect();
    let widths: Vec<usize> = (0..HEADINGS.len())
        .map(|at| cells.iter().map(|cells| cells[at].len()).chain([HEADINGS[at].len()]).max().unwrap_or(0))
        .collect();
    let setting = &panel.setting;
    let mut out = format!(
        "{HEADING}{}{HEADING:#}, {}: {}\n{FAINT}  {:name$}",
        guide::title(guides, &setting.bench),
        setting.words_in_short(),
        setting.unit_words(),
        ""
    );
    for (heading, width) in HEADINGS.iter().zip(&widths) {
        let _ = write!(out, "  {heading:>width$}");
    }
    let _ = writeln!(out, "{FAINT:#}");
    for (row, cells) in rows.iter().zip(&cells) {
        let style = style_of(row.role);
        let _ = write!(out, "{style}  {:name$}{style:#}", row.record.queue_words());
        for (cell, width) in cells.iter().zip(&widths) {
            let _ = write!(out, "  {cell:>width$}");
        }
        out.push('\n');
    }
    let left = panel.rows.len() - rows.len();
    if left > 0 {
        let _ = writeln!(out, "{FAINT}  {left} more on the page{FAINT:#}");
    }
    out.push('\n');
    out
}

fn cells(row: &Row<'_>) -> [String; 4] {
    let to_bound = row.to_bounds.first().copied().flatten();
    [text::figure(row.record.median), text::spread(row.record), text::ratio(row.to_best_peer), text::ratio(to_bound)]
}

fn style_of(role: Role) -> Style {
    match role {
        Role::Ours => AnsiColor::Cyan.on_default().bold(),
        Role::Peer => Style::new(),
        Role::Bound => AnsiColor::Green.on_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;
    use crate::unit::Unit;

    #[test]
    fn a_table_has_a_line_for_each_of_the_best_and_their_ratios() {
        let table = tables(&fixture::records(), |setting| setting.bench == "spsc.pingpong", &[fixture::GUIDE]);
        let plain = fixture::plain(&table);
        let lines: Vec<&str> = plain.lines().collect();
        assert_eq!(lines[0], "Round trip of one item, single items: ns, less is better");
        assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>()[..2], ["aqueduct/ring", "300"]);
        assert!(lines[2].ends_with("1.51      0.45"), "{plain}");
        assert!(lines[4].starts_with("  rtrb/ring "), "{plain}");
        assert!(lines[5].starts_with("  bound/one_line "), "{plain}");
        assert_eq!(lines[6].trim(), "1 more on the page");
    }

    #[test]
    fn other_benches_pointers_and_loads_have_no_table() {
        let mut records = fixture::grid();
        records.push(Record {
            payload: Payload::Indirect,
            ..fixture::record("spsc.regime", "aqueduct/ring", Unit::Mitems, &[1.0])
        });
        assert_eq!(tables(&records, |_| true, &[]), "");
        assert_eq!(tables(&fixture::records(), |_| false, &[]), "");
    }
}
