//! The terminal's tables: one for each bench, a line for each queue and place.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::Threads;
use crate::names::Bench;
use crate::record::Record;
use crate::report::guide::{self, Guide};
use crate::report::text;

const HEADING: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const OURS: Style = AnsiColor::Cyan.on_default().bold();

/// Returns all tables, with the texts of `guides` on the benches. The text carries ANSI colours; no
/// information is in the colour alone.
#[must_use]
pub fn render(records: &[Record], guides: &[Guide]) -> String {
    let mut benches: Vec<&Bench> = Vec::new();
    // A distribution is drawn elsewhere; its quantiles are benches of their own.
    for record in records.iter().filter(|record| !record.bench.is_distribution()) {
        if !benches.contains(&&record.bench) {
            benches.push(&record.bench);
        }
    }
    benches.into_iter().map(|bench| table(bench, records, guides)).collect()
}

const HEADINGS: [&str; 7] = ["threads", "capacity", "batch", "queue", "median", "spread", "to best peer"];
/// Headings before this one are of words, and aligned left.
const FIRST_FIGURE: usize = 4;

fn table(bench: &Bench, all: &[Record], guides: &[Guide]) -> String {
    let records: Vec<&Record> = all.iter().filter(|record| record.bench == *bench).collect();
    let unit = &records[0].unit;
    let compared = records.iter().any(|record| record.is_peer());
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
    let mut out =
        format!("{HEADING}{bench}{HEADING:#} in {unit}, {}: {}\n", unit.better().words(), guide::words(guides, bench));
    let _ = writeln!(out, "{FAINT}{}{FAINT:#}", line(&HEADINGS.map(str::to_owned)).trim_end());
    for (row, record) in rows.iter().zip(&records) {
        let style = if record.is_peer() { Style::new() } else { OURS };
        let _ = writeln!(out, "{style}{}{style:#}", line(row).trim_end());
    }
    out.push('\n');
    out
}

fn cells(record: &Record, all: &[&Record]) -> [String; HEADINGS.len()] {
    let better = record.unit.better();
    let place = |other: &Record| (other.producers, other.consumers, other.capacity, other.batch);
    // A queue with an order is compared with queues of that order and with queues without one.
    let order = |record: &Record| record.queue.order();
    let is_beside =
        |other: &Record| place(other) == place(record) && order(record).zip(order(other)).is_none_or(|(a, b)| a == b);
    let peers = all.iter().filter(|other| other.is_peer() && is_beside(other));
    let best = peers.reduce(|best, peer| if better.is_better(peer.median, best.median) { peer } else { best });
    [
        Threads::new(record.producers, record.consumers).to_string(),
        record.capacity.to_string(),
        if record.batch == 0 { "1..32".to_owned() } else { record.batch.to_string() },
        record.queue_words(),
        text::figure(record.median),
        text::spread(record),
        text::ratio(best.and_then(|best| better.ratio(record.median, best.median))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Queue;
    use crate::record::Place;
    use crate::record::Role;
    use crate::unit::Unit;

    /// Returns the last column of each queue's line.
    fn ratios(queues: &[(Queue, bool, f64)]) -> Vec<String> {
        let place = Place { producers: 2, consumers: 2, capacity: 64, batch: 1 };
        let of = |(queue, peer, value): &(Queue, bool, f64)| {
            Record::of("cnq.sweep", queue.clone(), Role::of_queue(*peer), place, Unit::Mitems, vec![*value])
        };
        let records: Vec<Record> = queues.iter().map(of).collect();
        let lines = render(&records, &[]);
        let line = |queue: &Queue| {
            lines.lines().find(|line| line.contains(&queue.to_string())).expect("each has a line").to_owned()
        };
        let plain = |line: String| line.replace("\u{1b}[0m", "").trim_end().rsplit(' ').next().unwrap_or("").to_owned();
        queues.iter().map(|(queue, ..)| plain(line(queue))).collect()
    }

    #[test]
    fn a_queue_is_compared_with_the_best_peer_of_its_order_or_of_none() {
        let [ours_8, ours_16] = [8, 16].map(|k| Queue::with_order("aqueduct/ours", k));
        let [peer_8, peer_16] = [8, 16].map(|k| Queue::with_order("peer/theirs", k));
        let mut queues = vec![(ours_8, false, 8.0), (ours_16, false, 12.0), (peer_8, true, 4.0)];
        queues.push((peer_16, true, 24.0));
        assert_eq!(ratios(&queues), ["2.00", "0.50", "1.00", "1.00"]);
        queues.push(("peer/strict".into(), true, 16.0));
        assert_eq!(ratios(&queues), ["0.50", "0.50", "0.25", "1.00", "0.67"]);
    }
}
