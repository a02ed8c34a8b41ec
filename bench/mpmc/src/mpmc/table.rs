//! The terminal's tables: one for each experiment and batch, a queue per row, a number of threads
//! per column.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::catalogue::REFERENCE;
use aqueduct_measure::names::Queue;
use aqueduct_measure::record::Record;
use aqueduct_measure::report::sheet::{Setting, Sheet};
use aqueduct_measure::report::{table, text};
use aqueduct_measure::rounds::Threads;
use aqueduct_measure::unit::Better;

const HEADING: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// The benches that run on one thread.
const ALONE: [&str; 3] = ["mpmc.uncontended", "mpmc.full", "mpmc.empty"];

/// Returns all tables, with an explanation of their lines. The text carries ANSI colours; no
/// information is in the colour alone.
#[must_use]
pub fn render(records: &[Record]) -> String {
    let mut tables: Vec<Table<'_>> = Vec::new();
    let is_plain = |record: &&Record| record.bench.facet.is_none() && record.queue.blocks().is_none();
    for record in records.iter().filter(is_plain) {
        match tables.iter_mut().find(|table| table.is_of(record)) {
            Some(table) => table.records.push(record),
            None => tables.push(Table { records: vec![record] }),
        }
    }
    let mut out: String = tables.iter().map(Table::render).collect();
    let sheet = Sheet::of(records);
    let others = sheet.families.iter().map(table::family).chain(sheet.matrices.iter().map(table::matrices));
    out.extend(others.map(|table| table + "\n"));
    if tables.is_empty() {
        return out;
    }
    let _ = writeln!(
        out,
        "{FAINT}2x4: two producers, four consumers. Of each queue the median; least .. greatest run; where there are peers, its \
         speed relative to the best of them / to {REFERENCE}: 2.00 is twice as fast.{FAINT:#}"
    );
    out
}

/// The records of one bench and one batch size; there is at least one.
struct Table<'a> {
    records: Vec<&'a Record>,
}

impl<'a> Table<'a> {
    fn is_of(&self, record: &Record) -> bool {
        let first = self.records[0];
        (&first.bench, first.batch, first.capacity, &first.unit)
            == (&record.bench, record.batch, record.capacity, &record.unit)
    }

    /// Numbers of producers and consumers, in the order of measurement.
    fn columns(&self) -> Vec<(usize, usize)> {
        in_order(self.records.iter().map(|record| threads(record)))
    }

    fn at(&self, queue: &Queue, column: (usize, usize)) -> Option<&'a Record> {
        self.records.iter().copied().find(|record| record.queue == *queue && threads(record) == column)
    }

    fn better(&self) -> Better {
        self.records[0].unit.better()
    }

    fn best_peer(&self, column: (usize, usize)) -> Option<&'a Record> {
        let peers = self.records.iter().copied().filter(|record| record.is_peer() && threads(record) == column);
        peers.reduce(|best, peer| if self.better().is_better(peer.median, best.median) { peer } else { best })
    }

    fn render(&self) -> String {
        let columns = self.columns();
        let mut out = self.heading(&columns);
        let rows: Vec<Row> = in_order(self.records.iter().map(|record| (&record.queue, record.is_peer())))
            .into_iter()
            .map(|(queue, peer)| {
                let cells = columns.iter().map(|&column| self.cell(queue, column)).collect();
                let marked =
                    self.records.iter().find(|record| record.queue == *queue).map(|record| record.queue_words());
                Row { queue: marked.unwrap_or_default(), style: style(peer), cells }
            })
            .collect();
        // A table without a peer has no ratios.
        let lines = if self.records.iter().any(|record| record.is_peer()) { 3 } else { 2 };
        match columns[..] {
            [_] => flat(&mut out, &rows, lines),
            _ => stacked(&mut out, &rows, &columns, lines),
        }
        out.push('\n');
        out
    }

    fn heading(&self, columns: &[(usize, usize)]) -> String {
        let first = self.records[0];
        let interface = Setting::of(first).items();
        let mut out = format!(
            "{HEADING}{}{HEADING:#} in {}, {}\n{interface}, capacity {}",
            first.bench,
            first.unit,
            self.better().words(),
            first.capacity
        );
        match *columns {
            [(1, 1)] if ALONE.iter().any(|bench| first.bench == *bench) => out.push_str(", one thread"),
            [threads] => {
                let _ = write!(out, ", {} threads", in_words(threads));
            }
            _ => {}
        }
        out.push('\n');
        out
    }

    /// Returns median, spread and ratios of a queue; nothing if it was not measured.
    fn cell(&self, queue: &Queue, column: (usize, usize)) -> [String; 3] {
        let Some(record) = self.at(queue, column) else {
            return [String::new(), String::new(), String::new()];
        };
        let ratio_to = |other: Option<&Record>| {
            text::ratio(other.and_then(|other| self.better().ratio(record.median, other.median)))
        };
        let best = ratio_to(self.best_peer(column));
        let reference = ratio_to(self.at(&REFERENCE.into(), column));
        [text::figure(record.median), text::spread(record), format!("{best} / {reference}")]
    }
}

/// A queue's line or lines.
struct Row {
    queue: String,
    style: Style,
    /// For each column median, spread and ratios.
    cells: Vec<[String; 3]>,
}

/// Returns the widths of names and of cells.
fn widths(rows: &[Row]) -> (usize, usize) {
    let name = rows.iter().map(|row| row.queue.len()).max().unwrap_or(0);
    let cell = rows.iter().flat_map(|row| row.cells.iter().flatten()).map(String::len).max().unwrap_or(0);
    (name, cell.max(7))
}

/// Writes the table of one number of threads: a line for each queue.
fn flat(out: &mut String, rows: &[Row], lines: usize) {
    let (name, width) = widths(rows);
    let _ = write!(out, "{FAINT}  {:name$}", "");
    for heading in &["median", "spread", "speed to"][..lines] {
        let _ = write!(out, "  {heading:>width$}");
    }
    let _ = writeln!(out, "{FAINT:#}");
    for Row { queue, style, cells } in rows {
        let _ = write!(out, "{style}  {queue:name$}{style:#}");
        for text in &cells[0][..lines] {
            let _ = write!(out, "  {text:>width$}");
        }
        out.push('\n');
    }
}

/// Writes the table of several numbers of threads: a line for the medians, one for the spreads, one
/// for the ratios.
fn stacked(out: &mut String, rows: &[Row], columns: &[(usize, usize)], lines: usize) {
    let (name, width) = widths(rows);
    let _ = write!(out, "{FAINT}  {:name$}", "");
    for &column in columns {
        let _ = write!(out, "  {:>width$}", in_words(column));
    }
    let _ = writeln!(out, "{FAINT:#}");
    for Row { queue, style, cells } in rows {
        for line in 0..lines {
            let label = if line == 0 { queue } else { "" };
            let _ = write!(out, "{style}  {label:name$}{style:#}");
            for cell in cells {
                let _ = write!(out, "  {:>width$}", cell[line]);
            }
            out.push('\n');
        }
    }
}

fn in_words((producers, consumers): (usize, usize)) -> String {
    Threads::new(producers, consumers).to_string()
}

fn threads(record: &Record) -> (usize, usize) {
    (record.producers, record.consumers)
}

/// Returns each of `values` once, where it first comes.
fn in_order<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

fn style(peer: bool) -> Style {
    if peer { Style::new() } else { AnsiColor::Cyan.on_default().bold() }
}
