//! The terminal's tables: one for each bench, a line for each queue and place.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use crate::mpmc::Threads;
use crate::record::Record;
use crate::report::facet::Facet;
use crate::report::role::Better;
use crate::report::sheet::is_distribution;
use crate::report::text;

const HEADING: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const OURS: Style = AnsiColor::Cyan.on_default().bold();

/// All tables. The text carries ANSI colours; nothing is told by colour alone.
#[must_use]
pub fn render(records: &[Record]) -> String {
    let mut benches: Vec<&str> = Vec::new();
    // A distribution is drawn, and its quantiles are benches of their own.
    for record in records.iter().filter(|record| !is_distribution(&record.bench)) {
        if !benches.contains(&record.bench.as_str()) {
            benches.push(&record.bench);
        }
    }
    benches.into_iter().map(|bench| table(bench, records)).collect()
}

const HEADINGS: [&str; 7] = ["threads", "capacity", "batch", "queue", "median", "spread", "to best peer"];
/// Headings before this one are of words, and stand to the left.
const FIRST_FIGURE: usize = 4;

fn table(bench: &str, all: &[Record]) -> String {
    let records: Vec<&Record> = all.iter().filter(|record| record.bench == bench).collect();
    let unit = &records[0].unit;
    let compared = records.iter().any(|record| record.peer);
    let columns = if compared { HEADINGS.len() } else { HEADINGS.len() - 1 };
    let rows: Vec<[String; HEADINGS.len()]> = records.iter().map(|record| cells(record, &records)).collect();
    let widths: Vec<usize> = (0..columns)
        .map(|at| rows.iter().map(|row| row[at].len()).chain([HEADINGS[at].len()]).max().unwrap_or(0))
        .collect();
    let line = |cells: &[String; HEADINGS.len()]| {
        widths.iter().enumerate().fold(String::new(), |mut out, (at, &width)| {
            let text = &cells[at];
            let _ = if at < FIRST_FIGURE { write!(out, "  {text:width$}") } else { write!(out, "  {text:>width$}") };
            out
        })
    };
    let mut out = format!(
        "{HEADING}{bench}{HEADING:#} in {unit}, {}: {}\n",
        Better::of_unit(unit).words(),
        text::bench_words(Facet::of(bench).map_or(bench, |(family, _)| family))
    );
    let _ = writeln!(out, "{FAINT}{}{FAINT:#}", line(&HEADINGS.map(str::to_owned)).trim_end());
    for (row, record) in rows.iter().zip(&records) {
        let style = if record.peer { Style::new() } else { OURS };
        let _ = writeln!(out, "{style}{}{style:#}", line(row).trim_end());
    }
    out.push('\n');
    out
}

fn cells(record: &Record, all: &[&Record]) -> [String; HEADINGS.len()] {
    let better = Better::of_unit(&record.unit);
    let place = |other: &Record| (other.producers, other.consumers, other.capacity, other.batch);
    let peers = all.iter().filter(|other| other.peer && place(other) == place(record));
    let best = peers.reduce(|best, peer| if better.is_better(peer.median, best.median) { peer } else { best });
    [
        Threads::new(record.producers, record.consumers).to_string(),
        record.capacity.to_string(),
        if record.batch == 0 { "1..32".to_owned() } else { record.batch.to_string() },
        record.queue.clone(),
        text::figure(record.median),
        text::spread(record),
        text::ratio(best.and_then(|best| better.ratio(record.median, best.median))),
    ]
}
