//! The texts of reports on these measurements, and the uses of our queues of records.

use aqueduct_measure::report::guide::{Guide, Need, Offer, Row, Topic};

/// This bench's texts for reports.
pub const GUIDE: Guide = Guide { needs: NEEDS, topic: |bench| Topic::of(bench, TOPICS), analysis: |_| None };

const NEEDS: &[Need] = &[
    Need {
        words: "Records of any length, one producer, one consumer",
        bench: "records.throughput",
        takes: &[Offer { queue: "aqueduct/records_spsc", path: "records::spsc", ..MPMC }, MPMC],
        ..Need::PAIR
    },
    Need {
        words: "Records of any length, many producers, many consumers",
        short: Some("records"),
        bench: "records.throughput",
        threads: |p, c| p > 1 && c > 1,
        takes: &[MPMC],
        ..Need::PAIR
    },
];

const MPMC: Offer = Offer {
    queue: "aqueduct/records_mpmc",
    path: "records::mpmc",
    words_only: false,
    usual: false,
    code: |sketch| {
        let (module, bytes) = (sketch.path.trim_start_matches("records::"), sketch.capacity);
        format!(
            "use aqueduct::bbq::records::{{Space, {module}}};\n\n\
             let (mut producer, mut consumer) = {module}::new(Space::for_bytes({bytes})?)?;\n\
             producer.push(b\"any length\")?;\nassert_eq!(*consumer.read()?, *b\"any length\");"
        )
    },
};

const TOPICS: &[Row] = &[(
    "records.throughput",
    "Throughput of records",
    "Producers write records of 8 to 256 bytes, consumers look at each byte. How many get through, all together? A queue of boxes \
     allocates each record.",
)];
