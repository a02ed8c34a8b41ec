//! The terminal's tables: one for each experiment and batch, a queue per row, a number of threads per column.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::catalogue::REFERENCE;
use crate::record::Record;
use crate::report::role::Better;
use crate::report::text;

const HEADING: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// All tables, and what their lines say. The text carries ANSI colours; nothing is told by colour alone.
#[must_use]
pub fn render(records: &[Record]) -> String {
    let mut tables: Vec<Table<'_>> = Vec::new();
    for record in records {
        match tables.iter_mut().find(|table| table.is_of(record)) {
            Some(table) => table.records.push(record),
            None => tables.push(Table { records: vec![record] }),
        }
    }
    if tables.is_empty() {
        return String::new();
    }
    let mut out: String = tables.iter().map(Table::render).collect();
    let _ = writeln!(
        out,
        "{FAINT}Columns: producers x consumers. Each row: median; least .. greatest run; speed relative to the best peer of the \
         column / to {REFERENCE}, 2.00 is twice as fast.{FAINT:#}"
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

    fn at(&self, queue: &str, column: (usize, usize)) -> Option<&'a Record> {
        self.records.iter().copied().find(|record| record.queue == queue && threads(record) == column)
    }

    fn better(&self) -> Better {
        Better::of_unit(&self.records[0].unit)
    }

    fn best_peer(&self, column: (usize, usize)) -> Option<&'a Record> {
        let peers = self.records.iter().copied().filter(|record| record.peer && threads(record) == column);
        peers.reduce(|best, peer| if self.better().is_better(peer.median, best.median) { peer } else { best })
    }

    fn render(&self) -> String {
        let first = self.records[0];
        let interface =
            if first.batch == 1 { "single items".to_owned() } else { format!("batches of {}", first.batch) };
        let mut out = format!(
            "{HEADING}{}{HEADING:#} in {}, {}\n{interface}, capacity {}\n",
            first.bench,
            first.unit,
            self.better().words(),
            first.capacity
        );
        let columns = self.columns();
        let queues = in_order(self.records.iter().map(|record| (record.queue.as_str(), record.peer)));
        let rows: Vec<Vec<[String; 3]>> = (queues.iter())
            .map(|(queue, _)| columns.iter().map(|&column| self.cell(queue, column)).collect())
            .collect();
        let name_width = queues.iter().map(|(queue, _)| queue.len()).max().unwrap_or(0);
        let width = rows.iter().flatten().flatten().map(String::len).max().unwrap_or(0).max(7);
        if let [(producers, consumers)] = columns[..] {
            let threads = format!("{producers}x{consumers}");
            let _ = writeln!(out, "{FAINT}  {:name_width$}  {threads:>width$}{FAINT:#}", "");
            for ((queue, peer), row) in queues.iter().zip(&rows) {
                let style = style(*peer);
                let [median, spread, ratios] = &row[0];
                let _ = writeln!(
                    out,
                    "{style}  {queue:name_width$}{style:#}  {median:>width$}  {spread:>width$}  {ratios:>width$}"
                );
            }
        } else {
            let _ = write!(out, "{FAINT}  {:name_width$}", "");
            for (producers, consumers) in &columns {
                let _ = write!(out, "  {:>width$}", format!("{producers}x{consumers}"));
            }
            let _ = writeln!(out, "{FAINT:#}");
            for ((queue, peer), row) in queues.iter().zip(&rows) {
                let style = style(*peer);
                for line in 0..3 {
                    let name = if line == 0 { queue } else { "" };
                    let _ = write!(out, "{style}  {name:name_width$}{style:#}");
                    for cell in row {
                        let _ = write!(out, "  {:>width$}", cell[line]);
                    }
                    out.push('\n');
                }
            }
        }
        out.push('\n');
        out
    }

    /// Median, spread and ratios of a queue; nothing where it was not measured.
    fn cell(&self, queue: &str, column: (usize, usize)) -> [String; 3] {
        let Some(record) = self.at(queue, column) else {
            return [String::new(), String::new(), String::new()];
        };
        let ratio_to = |other: Option<&Record>| {
            text::ratio(other.and_then(|other| self.better().ratio(record.median, other.median)))
        };
        let best = ratio_to(self.best_peer(column));
        let reference = ratio_to(self.at(REFERENCE, column));
        [text::figure(record.median), text::spread(record), format!("{best} / {reference}")]
    }
}

fn threads(record: &Record) -> (usize, usize) {
    (record.producers, record.consumers)
}

/// Each of `values` once, where it first comes.
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
