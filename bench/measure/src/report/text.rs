//! Formats figures for reports.

use crate::names::Queue;
use crate::record::Record;
use crate::statistics;

/// Returns three significant digits: `914`, `61.0`, `1.30`, `0.16`.
pub fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Returns a ratio of speeds, or a dash if there is none.
pub fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
}

/// Returns the least and the greatest run, or a dash if there is only one.
pub fn spread(record: &Record) -> String {
    if record.runs.len() < 2 {
        return "-".to_owned();
    }
    format!("{} .. {}", figure(record.min), figure(record.max))
}

/// Returns the note on a record whose runs fall into two groups, so that their median says little:
/// a consumer that stays close behind its producer in some runs, and far from it in others, makes
/// two speeds.
pub fn two_speeds(record: &Record) -> Option<String> {
    if record.bench.is_distribution() {
        return None;
    }
    let humps = statistics::humps(&record.runs)?;
    let (low, high) = (figure(humps.low), figure(humps.high));
    Some(format!("two speeds: {low} ({:.0} % of runs), {high}", humps.low_share * 100.0))
}

/// Returns a bound's name without its group, which its place already shows.
pub fn bound(queue: &Queue) -> &str {
    queue.name.strip_prefix("bound/").unwrap_or(&queue.name)
}
