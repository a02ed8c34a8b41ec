//! The texts of reports on these measurements, and the uses of our queues of one producer and one
//! consumer.

use aqueduct_measure::record::Payload;
use aqueduct_measure::report::guide::{Guide, Need, Offer, Row, Sketch, Topic, Usage};
use aqueduct_measure::report::pasted;

use super::analysis;

/// This bench's texts for reports.
pub const GUIDE: Guide =
    Guide { needs: NEEDS, topic: |bench| Topic::of(bench, TOPICS), analysis: analysis::beside_figures };

/// The need for an exact capacity.
pub const EXACTLY_BOUNDED: &str = "Exactly bounded: not one item more than the capacity";

const NEEDS: &[Need] = &[
    SINGLE,
    Need {
        words: "Lowest latency: the other side must see an item at once",
        short: Some("lowest latency"),
        bench: "spsc.pingpong",
        ..SINGLE
    },
    Need {
        words: "Items that come in batches",
        short: Some("batches"),
        usage: Usage::Batch,
        takes: &[RING, BATCHED_LAMPORT, BATCHED_IMPROVED_FAST_FORWARD, BBQ],
        ..SINGLE
    },
    Need {
        words: "Pointers: Box, Arc, buffers from a pool",
        payload: Payload::Indirect,
        usage: Usage::Pointer,
        ..OTHER
    },
    // The others hold some items more, because their slots come by the line or by the partition.
    Need { words: EXACTLY_BOUNDED, takes: &[LAMPORT, LAZY_LAMPORT, BATCHED_LAMPORT, FAST_FORWARD], ..OTHER },
    Need { words: "Both ends on one thread, or hardly any traffic", bench: "spsc.uncontended", ..OTHER },
    Need { words: "Requests and responses, one at a time", bench: "spsc.pingpong", takes: &[DUPLEX], ..OTHER },
];

const SINGLE: Need = Need {
    words: "Many single items",
    short: Some("one to one"),
    bench: "spsc.throughput",
    // Not `duplex`, whose two rings are those of `ring`.
    takes: &[
        RING,
        LAMPORT,
        LAZY_LAMPORT,
        BATCHED_LAMPORT,
        FAST_FORWARD,
        IMPROVED_FAST_FORWARD,
        BATCHED_IMPROVED_FAST_FORWARD,
        BBQ,
    ],
    ..Need::PAIR
};

/// The base of needs that the summary leaves out.
const OTHER: Need = Need { short: None, ..SINGLE };

const RING: Offer = Offer {
    queue: "aqueduct/ring",
    path: "spsc::ring",
    usual: true,
    code: |sketch| pair("aqueduct::spsc", "spsc::ring::new", calls(sketch.usage), sketch.capacity),
    ..LAMPORT
};

const DUPLEX: Offer = Offer {
    queue: "aqueduct/duplex",
    path: "spsc::duplex",
    code: |sketch| {
        format!(
            "use aqueduct::spsc;\n\nlet (mut client, mut server) = spsc::duplex::new::<_, u64>({})?;\n\
             client.producer.push(7_u64)?;\nassert_eq!(server.consumer.pop()?, 7);",
            sketch.capacity
        )
    },
    ..LAMPORT
};

const LAMPORT: Offer = Offer {
    queue: "aqueduct/lamport",
    path: "spsc::lamport",
    words_only: false,
    usual: false,
    code: |sketch| of_module(sketch, calls(sketch.usage)),
};

const LAZY_LAMPORT: Offer = Offer { queue: "aqueduct/lazy_lamport", path: "spsc::lazy_lamport", ..LAMPORT };

const BATCHED_LAMPORT: Offer = Offer { queue: "aqueduct/batched_lamport", path: "spsc::batched_lamport", ..LAMPORT };

const FAST_FORWARD: Offer = Offer {
    queue: "aqueduct/fast_forward",
    path: "spsc::fast_forward",
    words_only: true,
    code: |sketch| of_module(sketch, calls_with_words(sketch.usage)),
    ..LAMPORT
};

const IMPROVED_FAST_FORWARD: Offer =
    Offer { queue: "aqueduct/improved_fast_forward", path: "spsc::improved_fast_forward", ..FAST_FORWARD };

const BATCHED_IMPROVED_FAST_FORWARD: Offer = Offer {
    queue: "aqueduct/batched_improved_fast_forward",
    path: "spsc::batched_improved_fast_forward",
    ..FAST_FORWARD
};

const BBQ: Offer = Offer {
    queue: "aqueduct/bbq_spsc",
    path: "bbq::spsc",
    code: |sketch| pair("aqueduct::bbq", "bbq::spsc::new", calls_with_slices(sketch.usage), sketch.capacity),
    ..LAMPORT
};

/// Returns the lines for a module of `aqueduct::spsc`, with a push and a pop.
fn of_module(sketch: &Sketch<'_>, calls: [&str; 2]) -> String {
    let module = sketch.path.trim_start_matches("spsc::");
    pair(&format!("aqueduct::{}", sketch.path), &format!("{module}::new"), calls, sketch.capacity)
}

fn pair(path: &str, make: &str, [push, pop]: [&str; 2], capacity: usize) -> String {
    let number = if push.contains("NonZeroU64") { "use std::num::NonZeroU64;\n" } else { "" };
    let (handles, made) = ("let (mut producer, mut consumer) =", format!("{make}({capacity})?;"));
    let gap = if handles.len() + 1 + made.len() > pasted::COLUMNS { "\n    " } else { " " };
    format!("use {path};\n{number}\n{handles}{gap}{made}\n{push}\n{pop}")
}

/// Returns a push and a pop.
fn calls(usage: Usage) -> [&'static str; 2] {
    match usage {
        Usage::Single | Usage::Exchange => ["producer.push(7_u64)?;", "assert_eq!(consumer.pop()?, 7);"],
        Usage::Batch => {
            ["assert_eq!(producer.batch(32).fill(0..32_u64), 32);", "assert_eq!(consumer.batch(32).sum::<u64>(), 496);"]
        }
        Usage::Pointer => ["producer.push(Box::new([7; 64]))?;", "assert_eq!(consumer.pop()?[0], 7);"],
    }
}

fn calls_with_words(usage: Usage) -> [&'static str; 2] {
    match usage {
        Usage::Single | Usage::Exchange => {
            ["producer.push(NonZeroU64::MIN)?;", "assert_eq!(consumer.pop()?, NonZeroU64::MIN);"]
        }
        Usage::Batch => [
            "producer.batch(32).fill((1..=32).filter_map(NonZeroU64::new));",
            "assert_eq!(consumer.batch(32).map(u64::from).sum::<u64>(), 528);",
        ],
        Usage::Pointer => calls(usage),
    }
}

fn calls_with_slices(usage: Usage) -> [&'static str; 2] {
    match usage {
        Usage::Batch => [
            "assert_eq!(producer.push_slice(&[7_u64; 32]), 32);",
            "let mut items = [0; 32];\nassert_eq!(consumer.pop_slice(&mut items), 32);\nassert_eq!(items, [7; 32]);",
        ],
        Usage::Single | Usage::Exchange | Usage::Pointer => calls(usage),
    }
}

const MISSES: &str =
    "Cache misses of one side, by the processor's own counters. Each stands for a line that the other core held.";

const TOPICS: &[Row] = &[
    (
        "spsc.pingpong_distribution",
        "Distribution of the round trips",
        "The round trips in short chunks, each chunk's mean for itself: how late are the late ones?",
    ),
    (
        "spsc.throughput",
        "Throughput",
        "One thread pushes numbers as fast as it can, another pops and checks them. How many get through?",
    ),
    (
        "spsc.regime",
        "Throughput in the named regimes",
        "As `spsc.throughput`, with work of some nanoseconds on either side, so that the producer or the consumer is the faster one: \
         the queue is nearly always full, or nearly always empty.",
    ),
    ("spsc.load", "Throughput by emulated load", ""),
    (
        "spsc.perceived_batch.producer",
        "Perceived batch of the producer",
        "How many items the producer pushes before it finds the queue full. About 1 means that it waits for every single \
         item.",
    ),
    (
        "spsc.perceived_batch.consumer",
        "Perceived batch of the consumer",
        "How many items the consumer pops before it finds the queue empty. About 1 means that it waits for every single \
         item.",
    ),
    (
        "spsc.pingpong",
        "Round trip of one item",
        "One thread sends an item and waits for it to come back through a second queue. This is the cost of waking up the \
         other side, there and back, with nothing to share it with.",
    ),
    (
        "spsc.uncontended",
        "Push and pop on one thread",
        "One thread pushes and pops by itself: the cost of the instructions alone, without another core. The measuring loop \
         is part of every row; bound/no_queue is that loop with nothing in it.",
    ),
    ("spsc.l1_misses.producer", "L1 misses per item of the producer", MISSES),
    ("spsc.l1_misses.consumer", "L1 misses per item of the consumer", MISSES),
    ("spsc.load.l1_misses.producer", "L1 misses per item of the producer by emulated load", MISSES),
    ("spsc.load.l1_misses.consumer", "L1 misses per item of the consumer by emulated load", MISSES),
    ("spsc.pingpong.l1_misses.producer", "L1 misses per round trip of the thread that asks", MISSES),
    ("spsc.pingpong.l1_misses.consumer", "L1 misses per round trip of the thread that answers", MISSES),
];
