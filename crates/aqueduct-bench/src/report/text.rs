//! How reports write figures.

use super::sheet::is_distribution;
use crate::record::Record;
use crate::statistics;

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

/// The note on a record whose runs fall into two groups, so that their median says little: a ring whose
/// consumer settles either close behind its producer or far from it has two speeds.
pub fn two_speeds(record: &Record) -> Option<String> {
    if is_distribution(&record.bench) {
        return None;
    }
    let humps = statistics::humps(&record.runs)?;
    let (low, high) = (figure(humps.low), figure(humps.high));
    Some(format!("two speeds: {low} ({:.0} % of runs), {high}", humps.low_share * 100.0))
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
        "bbq.throughput" => "Throughput of many threads",
        "bbq.uncontended" => "Push and pop on one thread",
        "bbq.full" => "Push to a full queue",
        "bbq.empty" => "Pop from an empty queue",
        "drop_old.written" => "Overwriting what is old",
        "drop_old.slowdown" => "What producers lose to a reader",
        "drop_old.read" => "What a reader gets of it",
        "exchange.io_uring" => "Submissions and completions",
        "exchange.multicast" => "Events that every consumer sees",
        other => other,
    }
}

/// What a bench does, for somebody who has not read its source.
pub fn bench_words(bench: &str) -> &'static str {
    match bench {
        "spsc.throughput" => {
            "One thread pushes numbers as fast as it can, another pops and checks them. How many get through?"
        }
        "spsc.regime" => {
            "The same with work of some nanoseconds on either side, so that the producer or the consumer is \
             the faster one: the queue is nearly always full, or nearly always empty."
        }
        "spsc.perceived_batch.producer" => {
            "How many items the producer pushes before it finds the queue full. About 1 means that it waits \
             for every single item."
        }
        "spsc.perceived_batch.consumer" => {
            "How many items the consumer pops before it finds the queue empty. About 1 means that it waits \
             for every single item."
        }
        "spsc.pingpong" => {
            "One thread sends an item and waits for it to come back through a second queue. This is the cost \
             of waking up the other side, there and back, with nothing to share it with."
        }
        "spsc.pingpong_distribution" => {
            "The same round trips in short chunks, each chunk's mean for itself: how late are the late ones?"
        }
        "spsc.uncontended" => {
            "One thread pushes and pops by itself: the cost of the instructions alone, without another core. The measuring \
             loop is part of every row; bound/no_queue is that loop with nothing in it."
        }
        "spsc.l1_misses.producer" | "spsc.l1_misses.consumer" => {
            "Cache misses of one side, by the processor's own counters. Each stands for a line that the other \
             core held."
        }
        "bbq.throughput" => {
            "Some threads push numbers as fast as they can, others pop and add them up. How many get through, all together?"
        }
        "bbq.uncontended" => "One thread pushes and pops by itself: the cost of the instructions alone.",
        "bbq.full" => "One thread pushes to a queue that is full: how long it takes to be told so.",
        "bbq.empty" => "One thread pops from a queue that is empty: how long it takes to be told so.",
        "drop_old.written" => {
            "Producers write as fast as they can, without a reader (threads Nx0) and with one (Nx1), each producer's rate taken over \
             the time for which it had a core."
        }
        "drop_old.slowdown" => "By how much less they write with a reader than without.",
        "drop_old.read" => "How many of the items that were written the reader got, the rest being overwritten before.",
        "exchange.io_uring" => {
            "One thread submits requests, the second takes and confirms them, the third takes the confirmations: time per request."
        }
        "exchange.multicast" => "Producers publish events, every consumer sees all of them.",
        _ => "",
    }
}
