//! How reports write figures.

use super::spread::Modes;
use crate::record::Record;

/// Three digits that matter: `914`, `61.0`, `1.30`, `0.16`.
pub fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A ratio of speeds, or a dash where there is none.
pub fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
}

/// Least and greatest run, or a dash where there was but one.
pub fn spread(record: &Record) -> String {
    if record.runs.len() < 2 {
        return "-".to_owned();
    }
    format!("{} .. {}", figure(record.min), figure(record.max))
}

/// The note on a record whose runs fall into two groups.
pub fn modes(modes: &Modes) -> String {
    format!(
        "two modes: {} ({} runs), {} ({} runs)",
        figure(modes.low),
        modes.low_runs,
        figure(modes.high),
        modes.high_runs
    )
}

/// A bound's name without the group that its place already tells.
pub fn bound(name: &str) -> &str {
    name.strip_prefix("bound/").unwrap_or(name)
}

/// What a person calls a bench: a title for the names that we know, the name itself for the rest.
pub fn bench_title(bench: &str) -> &str {
    match bench {
        "spsc.throughput" => "Throughput",
        "spsc.regime" => "Throughput in the named regimes",
        "spsc.load" => "Throughput by emulated load",
        "spsc.perceived_batch.producer" => "Perceived batch of the producer",
        "spsc.perceived_batch.consumer" => "Perceived batch of the consumer",
        "spsc.pingpong" => "Round trip of one item",
        "spsc.pingpong_distribution" => "Distribution of the round trips",
        "spsc.uncontended" => "Push and pop on one thread",
        "spsc.l1_misses.producer" => "L1 misses per item of the producer",
        "spsc.l1_misses.consumer" => "L1 misses per item of the consumer",
        other => other,
    }
}
