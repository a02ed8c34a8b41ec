//! The texts of reports on these measurements, and the uses of our queues that overwrite.

use aqueduct_measure::report::guide::{Guide, Need, Offer, Row, Topic};

/// This bench's texts for reports.
pub const GUIDE: Guide = Guide { needs: NEEDS, topic: |bench| Topic::of(bench, TOPICS), analysis: |_| None };

const NEEDS: &[Need] = &[
    Need {
        words: "Only the last items: one producer overwrites what is not read",
        short: Some("overwriting"),
        bench: "drop-old.written",
        takes: &[
            MPMC,
            Offer { queue: "aqueduct/bbq_drop_old_mpsc", path: "drop_old::mpsc", ..MPMC },
            Offer { queue: "aqueduct/bbq_drop_old_spmc", path: "drop_old::spmc", ..MPMC },
            Offer { queue: "aqueduct/bbq_drop_old_spsc", path: "drop_old::spsc", ..MPMC },
        ],
        ..Need::PAIR
    },
    Need {
        words: "Only the last items: many producers overwrite what is not read",
        bench: "drop-old.written",
        threads: |p, c| p > 1 && c == 1,
        takes: &[MPMC, Offer { queue: "aqueduct/bbq_drop_old_mpsc", path: "drop_old::mpsc", ..MPMC }],
        ..Need::PAIR
    },
];

const MPMC: Offer = Offer {
    queue: "aqueduct/bbq_drop_old_mpmc",
    path: "drop_old::mpmc",
    words_only: false,
    usual: false,
    code: |sketch| {
        let (path, module) = (sketch.path, sketch.path.trim_start_matches("drop_old::"));
        format!(
            "use aqueduct::bbq::{path};\n\nlet (mut producer, mut reader) = {module}::new({})?;\n\
             producer.push(7_u64)?;\nassert_eq!(reader.read()?, 7);",
            sketch.capacity
        )
    },
};

const TOPICS: &[Row] = &[
    (
        "drop-old.written",
        "Overwriting what is old",
        "Producers write as fast as they can, without a reader (threads Nx0) and with one (Nx1), each producer's rate taken over \
         the time for which it had a core.",
    ),
    ("drop-old.slowdown", "What producers lose to a reader", "By how much less they write with a reader than without."),
    (
        "drop-old.profiling.push",
        "",
        "Each producer writes 10,000 items a second, without a reader (threads Nx0) and with one that takes 1,000 a second \
         (Nx1): the time of a write, the clock's included.",
    ),
    (
        "drop-old.read",
        "What a reader gets of it",
        "How many of the items that were written the reader got, the rest being overwritten before.",
    ),
    ("drop-old.complex.written", "Overwriting with allocations and pauses", ""),
];
