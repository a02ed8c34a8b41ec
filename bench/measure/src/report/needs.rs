//! What users need of a queue, and the measurement that answers each need.

use super::snippet::Usage;
use crate::names::Queue;
use crate::record::Payload;

/// A need, and the measurement that answers it.
pub(super) struct Need {
    pub(super) words: &'static str,
    /// The need in a word or two, if the summary has it.
    pub(super) short: Option<&'static str>,
    pub(super) bench: &'static str,
    pub(super) payload: Payload,
    pub(super) usage: Usage,
    /// Numbers of producers and consumers.
    pub(super) threads: fn(usize, usize) -> bool,
    /// Our queues that may answer it.
    pub(super) takes: fn(&Queue) -> bool,
    /// A note for users.
    pub(super) note: &'static str,
}

const SINGLE: Need = Need {
    words: "Many single items",
    short: Some("one to one"),
    bench: "spsc.throughput",
    payload: Payload::Embedded,
    usage: Usage::Single,
    threads: |producers, consumers| (producers, consumers) == (1, 1),
    // Its two rings are those of `ring`.
    takes: |queue| *queue != "aqueduct/duplex",
    note: "",
};

const MANY: Need = Need {
    words: "Many producers, many consumers",
    short: Some("many to many"),
    bench: "bbq.throughput",
    threads: |p, c| p > 1 && c > 1,
    ..SINGLE
};

/// The base of needs that the summary leaves out.
const OTHER: Need = Need { short: None, ..SINGLE };

/// All needs, in the order of the advice.
pub(super) const NEEDS: [Need; 20] = [
    SINGLE,
    Need {
        words: "Lowest latency: the other side must see an item at once",
        short: Some("lowest latency"),
        bench: "spsc.pingpong",
        ..SINGLE
    },
    Need { words: "Items that come in batches", short: Some("batches"), usage: Usage::Batch, ..SINGLE },
    Need {
        words: "Pointers: Box, Arc, buffers from a pool",
        payload: Payload::Indirect,
        usage: Usage::Pointer,
        ..OTHER
    },
    Need {
        words: "Exactly bounded: not one item more than the capacity",
        takes: |queue| EXACTLY_BOUNDED.contains(&queue.name.as_str()),
        ..OTHER
    },
    Need { words: "Both ends on one thread, or hardly any traffic", bench: "spsc.uncontended", ..OTHER },
    Need { words: "Many producers, one consumer", short: Some("many to one"), threads: |p, c| p > 1 && c == 1, ..MANY },
    Need { words: "One producer, many consumers", short: Some("one to many"), threads: |p, c| p == 1 && c > 1, ..MANY },
    MANY,
    Need { words: "Many producers, many consumers, items in batches", short: None, usage: Usage::Batch, ..MANY },
    Need {
        words: "Only the last items: one producer overwrites what is not read",
        short: Some("overwriting"),
        bench: "drop_old.written",
        ..SINGLE
    },
    Need {
        words: "Only the last items: many producers overwrite what is not read",
        bench: "drop_old.written",
        threads: |p, c| p > 1 && c == 1,
        ..OTHER
    },
    Need { words: "Records of any length, one producer, one consumer", bench: "records.throughput", ..OTHER },
    Need {
        words: "Records of any length, many producers, many consumers",
        short: Some("records"),
        bench: "records.throughput",
        ..MANY
    },
    Need {
        words: "Work stealing, the newest task first",
        short: Some("work stealing"),
        bench: "bwos.stolen_10.lifo",
        note: THEFT,
        takes: is_stolen_from,
        ..SINGLE
    },
    Need {
        words: "Work stealing, the oldest task first",
        bench: "bwos.stolen_10.fifo",
        note: THEFT,
        takes: is_stolen_from,
        ..OTHER
    },
    Need {
        words: "Many threads, and an order that may be off by less than k",
        short: Some("k-relaxed"),
        bench: "cnq.throughput",
        takes: |queue| queue.name.starts_with("aqueduct/cnq_"),
        ..MANY
    },
    Need {
        words: "Lock-free: a stalled thread holds up nobody; signal handlers, `static` queues",
        short: Some("lock-free"),
        bench: "nblfq.pairs",
        takes: |queue| queue.name.starts_with("aqueduct/nblfq"),
        threads: |_, _| true,
        ..SINGLE
    },
    Need {
        words: "Requests and responses, one at a time",
        bench: "spsc.pingpong",
        takes: |queue| *queue == "aqueduct/duplex",
        ..OTHER
    },
    Need {
        words: "Submissions and completions, some at a time",
        short: Some("submissions"),
        bench: "exchange.io_uring",
        usage: Usage::Exchange,
        ..SINGLE
    },
];

const THEFT: &str = "Each task can be stolen as soon as it is pushed; from an owner that is busy elsewhere, it takes a thief some microseconds.";

fn is_stolen_from(queue: &Queue) -> bool {
    queue.name.starts_with("aqueduct/bwos_")
}

/// Our queues that are full with exactly the capacity asked for. The others hold some items more,
/// because their slots come by the line or by the partition. A test pushes into each to see.
pub const EXACTLY_BOUNDED: [&str; 4] =
    ["aqueduct/lamport", "aqueduct/lazy_lamport", "aqueduct/batched_lamport", "aqueduct/fast_forward"];
