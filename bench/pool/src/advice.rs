//! The texts of reports on these measurements.

use aqueduct_measure::report::guide::{Guide, Row, Topic};

/// This bench's texts for reports.
pub const GUIDE: Guide = Guide { needs: &[], topic: |bench| Topic::of(bench, TOPICS), analysis: |_| None };

const TOPICS: &[Row] = &[
    ("pool.nothing", "", "Joins of two closures that do nothing: the time of one."),
    ("pool.fib", "", "Fibonacci's 30th number by its definition, with a join for each addition: the time of one."),
    ("pool.nqueens", "", "Twelve queens on a chessboard: all ways, with a join wherever there is a choice."),
    ("pool.skynet", "", "A million leaves, ten below each fork: the time of the whole tree."),
    ("pool.matmul", "", "The product of two matrices of 256 rows, by their quarters."),
    ("pool.quicksort", "", "262,144 numbers are sorted in place, with joins down to 64."),
    ("pool.mergesort", "", "262,144 numbers are sorted by merges, whose halves are made side by side, too."),
    (
        "pool.tree.*",
        "",
        "A sum over a tree with the number of nodes in the name, with a join in each node: the time of a node.",
    ),
    (
        "pool.items.*",
        "",
        "A sum over small items, the number in the name, by a call from a thread that is none of the pool's: the \
         time of an item.",
    ),
    (
        "pool.bursts.processor",
        "",
        "In the same measurement: the processor time of all threads for a burst and its share of the gap, without \
         the caller's own work.",
    ),
    (
        "pool.bursts*",
        "",
        "Bursts of 24 jobs of some microseconds, twelve of them with 200 microseconds before each, and then \
         nothing for 3 ms: how long a burst takes.",
    ),
    ("pool.spawn.one", "", "A task is made and awaited: the time of both."),
    ("pool.spawn.thousand", "", "A thousand tasks are made, and then awaited: the time of each."),
    (
        "pool.pingpong",
        "",
        "A hundred tasks make another one each, send it a message and wait for one: the time of a pair.",
    ),
    ("pool.yields", "", "Two hundred tasks let each other run: the time of a turn."),
    ("pool.chain.spawns", "", "A task makes the next one and ends: the time of a task."),
    ("pool.chain.wakes", "", "A thousand tasks wait, and each wakes the next one: the time of a task."),
    (
        "pool.senders.aqueduct",
        "",
        "Ten tasks send to one over our channel, which has room for 1,000: the time of a message.",
    ),
    ("pool.senders.tokio", "", "As `pool.senders.aqueduct`, over tokio's channel."),
];
