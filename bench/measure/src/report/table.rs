//! The terminal's tables: one per comparison, and the matrices as shaded text.
//!
//! The text carries ANSI colours. Print it through a stream that removes them if they are not
//! wanted (a pipe, `NO_COLOR`); no information is in the colour alone.

use std::fmt::Write;

use anstyle::{Ansi256Color, AnsiColor, Color, Style};

use super::analysis;
use super::family::Family;
use super::guide::Guide;
use super::matrix::{Grid, Matrices, Matrix};
use super::sheet::{Panel, Row, Sheet};
use super::text;
use crate::record::{Record, Role};
use crate::statistics;

const HEADING: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// Returns every panel and matrix of `records`, and the tables that `guides` have for them.
pub fn render(records: &[Record], guides: &[Guide]) -> String {
    let sheet = Sheet::of(records);
    let parts: Vec<String> = (sheet.panels.iter().map(panel))
        .chain(sheet.families.iter().map(family))
        .chain(sheet.matrices.iter().map(matrices))
        .chain(guides.iter().filter_map(|guide| (guide.analysis)(records)).map(|table| analysis::render(&table)))
        .collect();
    let mut out = parts.join("\n");
    if sheet.panels.iter().any(has_ratios) {
        let _ = writeln!(
            out,
            "\n{FAINT}Columns after the spread: speed relative to the best peer and to each bound; 2.00 is twice \
             as fast.{FAINT:#}"
        );
    }
    out
}

/// Whether a panel's table shows ratios.
fn has_ratios(panel: &Panel<'_>) -> bool {
    let has_reference = panel.best_peer.is_some() || !panel.bounds.is_empty();
    has_reference && !panel.setting.bench.is_distribution()
}

/// Returns one comparison: a line per queue with median, spread, and speed relative to the best
/// peer and to each bound; for a distribution its percentiles instead.
pub fn panel(panel: &Panel<'_>) -> String {
    let queue_width = panel.rows.iter().map(|row| row.record.queue_words().len()).max().unwrap_or(0).max(12);
    let columns = columns(panel);
    let mut out = heading(panel);
    let _ = write!(out, "{FAINT}  {:queue_width$}", "");
    for column in &columns {
        let _ = write!(out, "  {:>width$}", column.heading, width = column.width());
    }
    let _ = writeln!(out, "{FAINT:#}");
    for role in Role::ALL {
        let mut rows = panel.rows.iter().enumerate().filter(|(_, row)| row.role == role).peekable();
        if rows.peek().is_some() {
            let _ = writeln!(out, "{FAINT}{}{FAINT:#}", role.heading());
        }
        for (at, row) in rows {
            let style = style_of(role);
            let _ = write!(out, "{style}  {:queue_width$}{style:#}", row.record.queue_words());
            for column in &columns {
                let _ = write!(out, "  {:>width$}", column.cells[at], width = column.width());
            }
            if let Some(note) = text::two_speeds(row.record) {
                let warning = AnsiColor::Yellow.on_default();
                let _ = write!(out, "  {warning}{note}{warning:#}");
            }
            out.push('\n');
        }
    }
    out
}

/// A column of a panel: its heading, and a cell for every row.
struct Column {
    heading: String,
    cells: Vec<String>,
}

impl Column {
    fn new(heading: &str, panel: &Panel<'_>, cell: impl Fn(&Row<'_>) -> String) -> Self {
        Self { heading: heading.to_owned(), cells: panel.rows.iter().map(cell).collect() }
    }

    fn width(&self) -> usize {
        let cells = self.cells.iter().map(String::len).max().unwrap_or(0);
        self.heading.len().max(cells).max(7)
    }
}

fn columns(panel: &Panel<'_>) -> Vec<Column> {
    if panel.setting.bench.is_distribution() {
        let percentile = |heading: &str, part: f64| {
            Column::new(heading, panel, |row| text::figure(statistics::quantile(&row.record.runs, part)))
        };
        return vec![
            percentile("5 %", 0.05),
            percentile("50 %", 0.5),
            percentile("95 %", 0.95),
            percentile("99 %", 0.99),
            percentile("most", 1.0),
        ];
    }
    let mut columns = vec![
        Column::new("median", panel, |row| text::figure(row.record.median)),
        Column::new("spread", panel, |row| text::spread(row.record)),
    ];
    if panel.best_peer.is_some() {
        columns.push(Column::new("best peer", panel, |row| text::ratio(row.to_best_peer)));
    }
    for (at, bound) in panel.bounds.iter().enumerate() {
        columns.push(Column::new(text::bound(bound), panel, |row| text::ratio(row.to_bounds[at])));
    }
    columns
}

fn heading(panel: &Panel<'_>) -> String {
    let setting = &panel.setting;
    let mut out = format!("{HEADING}{}{HEADING:#} in {}\n{}", setting.bench, setting.unit_words(), setting.words());
    if let Some(loaded) = panel.loaded() {
        let _ = write!(out, "; {loaded}");
    }
    out.push('\n');
    out
}

fn style_of(role: Role) -> Style {
    match role {
        Role::Ours => AnsiColor::Cyan.on_default().bold(),
        Role::Peer => Style::new(),
        Role::Bound => AnsiColor::Green.on_default(),
    }
}

/// Returns all facets of a measurement: two lines per queue, the medians of the rounds and below
/// them the least and the greatest round.
pub fn family(family: &Family<'_>) -> String {
    let setting = &family.setting;
    let cell = |record: Option<&Record>| match record {
        Some(record) => [text::figure(record.median), text::spread(record)],
        None => ["-".to_owned(), String::new()],
    };
    let rows: Vec<(String, Role, Vec<[String; 2]>)> = (family.rows.iter())
        .map(|row| (row.queue.to_string(), row.role, row.cells.iter().map(|&record| cell(record)).collect()))
        .collect();
    let queue_width = rows.iter().map(|(queue, ..)| queue.len()).max().unwrap_or(0).max(12);
    let width =
        rows.iter().flat_map(|(_, _, cells)| cells.iter().flatten()).map(String::len).max().unwrap_or(0).max(14);
    let mut out = format!(
        "{HEADING}{}{HEADING:#} in {}\n{}, {}\n",
        setting.bench,
        setting.unit_words(),
        setting.words_without_threads(),
        family.threads()
    );
    let _ = write!(out, "{FAINT}  {:queue_width$}", "");
    for facet in &family.facets {
        let _ = write!(out, "  {:>width$}", facet.heading());
    }
    let _ = writeln!(out, "{FAINT:#}");
    for (queue, role, cells) in &rows {
        let style = style_of(*role);
        for (line, label) in [queue, ""].into_iter().enumerate() {
            let _ = write!(out, "{style}  {label:queue_width$}{style:#}");
            for cell in cells {
                let _ = write!(out, "  {:>width$}", cell[line]);
            }
            out.push('\n');
        }
    }
    out
}

/// Returns the matrices of one setting, all on one scale. Loads are drawn as in the SPSC paper: the
/// producer's load grows to the right, the consumer's upwards, so a fast producer is at the top
/// left.
pub fn matrices(matrices: &Matrices<'_>) -> String {
    let setting = &matrices.setting;
    let mut out = format!(
        "{HEADING}{}{HEADING:#} in {}, {}\n{}\n",
        setting.bench,
        setting.unit_words(),
        matrices.grid.words(),
        setting.words()
    );
    let legend = match matrices.grid {
        Grid::Loads => {
            "P is the producer's load, C the consumer's. Fast producer at the top left, fast consumer at the bottom right."
        }
        Grid::Blocks => "The number of blocks grows to the right, the entries of each upwards.",
    };
    let (worst, best) = matrices.ends();
    let _ = writeln!(
        out,
        "{FAINT}One scale for all, from {} (worst) to {} (best): the fuller the shade, the better.\n{legend}{FAINT:#}",
        text::figure(worst),
        text::figure(best),
    );
    for matrix in &matrices.queues {
        grid(&mut out, matrices, matrix);
    }
    out
}

fn grid(out: &mut String, matrices: &Matrices<'_>, matrix: &Matrix<'_>) {
    let _ = writeln!(out, "{HEADING}{}{HEADING:#}", matrix.queue);
    for (row, up) in matrices.up.iter().enumerate().rev() {
        match matrices.grid {
            Grid::Loads => write!(out, "  C {up:>3} ns "),
            Grid::Blocks => write!(out, "  of {up:>5} "),
        }
        .expect("a string takes everything");
        for cells in &matrix.cells {
            cell(out, matrices, cells[row]);
        }
        out.push('\n');
    }
    out.push_str(match matrices.grid {
        Grid::Loads => "       P ns ",
        Grid::Blocks => "     blocks ",
    });
    for across in &matrices.across {
        let _ = write!(out, " {across:>6}");
    }
    out.push('\n');
}

/// From worst to best: a shade for any output, a background for a terminal with colours.
const SHADES: [(&str, u8, u8); 5] = [(" ", 54, 231), ("░", 25, 231), ("▒", 30, 231), ("▓", 71, 16), ("█", 185, 16)];

fn cell(out: &mut String, matrices: &Matrices<'_>, figure: Option<f64>) {
    let Some(figure) = figure else {
        let _ = write!(out, " {:>6}", "-");
        return;
    };
    let level = (matrices.goodness(figure) * SHADES.len() as f64) as usize;
    let (shade, ground, ink) = SHADES[level.min(SHADES.len() - 1)];
    let style = Style::new()
        .bg_color(Some(Color::Ansi256(Ansi256Color(ground))))
        .fg_color(Some(Color::Ansi256(Ansi256Color(ink))));
    let _ = write!(out, "{style} {shade}{:>5}{style:#}", text::figure(figure));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Bench;
    use crate::report::fixture;
    use crate::unit::Unit;

    /// Returns `text` without its escape sequences.
    fn plain(text: &str) -> String {
        let mut parts = text.split('\u{1b}');
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            out.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
        }
        out.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn the_table_of_fixed_records() {
        assert_eq!(plain(&render(&fixture::records(), &[])), include_str!("golden/table.txt"));
    }

    #[test]
    fn the_matrices_of_fixed_records() {
        assert_eq!(plain(&render(&fixture::grid(), &[])), include_str!("golden/matrices.txt"));
    }

    #[test]
    fn figures_that_explain_others_have_no_ratios() {
        let batch = |queue: &str| fixture::record("spsc.perceived_batch.producer", queue, Unit::Items, &[3.0]);
        let text = plain(&render(&[batch("aqueduct/ring"), batch("rtrb/ring"), batch("bound/batch_512")], &[]));
        assert!(text.starts_with("spsc.perceived_batch.producer in items\n"), "{text}");
        assert!(!text.contains("best peer") && !text.contains("better"), "{text}");
    }

    #[test]
    fn a_distribution_is_shown_by_its_percentiles_after_its_bench() {
        let runs: Vec<f64> = (0..=100).map(f64::from).collect();
        let mut records = vec![fixture::record(Bench::distribution("spsc.pingpong"), "rtrb/ring", Unit::Ns, &runs)];
        records.extend(fixture::records());
        let text = plain(&render(&records, &[]));
        let (before, after) = text.split_once("spsc.pingpong_distribution").expect("a panel");
        assert!(before.contains("spsc.pingpong in ns"), "{text}");
        assert!(after.contains("rtrb/ring        5.00     50.0     95.0     99.0      100\n"), "{after}");
    }

    #[test]
    fn a_panel_without_peers_and_bounds_has_no_ratios() {
        let text = plain(&render(&fixture::records()[..2], &[]));
        assert!(!text.contains("best peer") && !text.contains("speed relative"), "{text}");
    }
}
