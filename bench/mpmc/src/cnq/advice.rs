//! The texts of reports on these measurements, and the uses of our relaxed queues.

use aqueduct_measure::report::guide::{Guide, Need, Offer, Row, Sketch, Topic};

/// This bench's texts for reports.
pub const GUIDE: Guide = Guide { needs: NEEDS, topic: |bench| Topic::of(bench, TOPICS), analysis: |_| None };

const NEEDS: &[Need] = &[Need {
    words: "Many threads, and an order that may be off by less than k",
    short: Some("k-relaxed"),
    bench: "cnq.throughput",
    threads: |p, c| p > 1 && c > 1,
    takes: &[
        SEQUENCED,
        Offer {
            queue: "aqueduct/cnq_bbq",
            path: "cnq::Queue over Blocks",
            code: |sketch| over("Blocks", sketch),
            ..SEQUENCED
        },
        Offer {
            queue: "aqueduct/cnq_faaq",
            path: "cnq::Queue over FetchAddBlocks",
            code: |sketch| over("FetchAddBlocks", sketch),
            ..SEQUENCED
        },
        Offer {
            queue: "aqueduct/cnq_indices",
            path: "cnq::Queue over IndexQueues",
            code: |sketch| over("IndexQueues", sketch),
            ..SEQUENCED
        },
    ],
    ..Need::PAIR
}];

const SEQUENCED: Offer = Offer {
    queue: "aqueduct/cnq_sequenced",
    path: "cnq::Queue over SequencedRing",
    words_only: false,
    usual: false,
    code: |sketch| over("SequencedRing", sketch),
};

/// Returns the lines for a queue over that tube.
fn over(tube: &str, sketch: &Sketch<'_>) -> String {
    let (k, capacity) = (sketch.queue.order().unwrap_or(1), sketch.capacity);
    format!(
        "use aqueduct::cnq::{{Geometry, Queue}};\nuse aqueduct::tube::{tube};\n\n\
         let order = Geometry::at_most({k}).capacity({capacity});\n\
         let geometry = order.producers(4).consumers(4).geometry()?;\n\
         let queue = Queue::<u64, {tube}>::with_tube(geometry)?;\n\
         let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);\nproducer.push(7)?;\n\
         assert_eq!(consumer.pop()?, 7);"
    )
}

const TOPICS: &[Row] = &[
    (
        "cnq.in_queue_distribution",
        "Distribution of the time in the queue",
        "The time in the queue over all rounds: which share of the items had come after that time?",
    ),
    (
        "cnq.throughput",
        "Throughput of queues with less order",
        "Producers push numbers as fast as they can, consumers pop and add them up. How many get through, all together? [k=K]: an \
         item that comes is one of the K oldest.",
    ),
    (
        "cnq.sweep",
        "Throughput by the order that is kept",
        "Throughput by the k of the order that a queue keeps; ours over each of its tubes.",
    ),
    (
        "cnq.order",
        "The order that was observed",
        "How far items came out of order: the least k for which a pop took one of the k oldest, over all pops of a run. 1 is first \
         in, first out.",
    ),
    (
        "cnq.in_queue",
        "Time in the queue",
        "How long an item was in the queue, from before its push to after its pop, in the same run.",
    ),
    ("cnq.memory", "Peak memory", "By how much the memory of the process grew at its peak while the queue was used."),
];
