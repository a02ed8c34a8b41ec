//! The texts of reports on these measurements, and our queue for requests and confirmations.

use aqueduct_measure::report::guide::{Guide, Need, Offer, Row, Topic, Usage};

/// This bench's texts for reports.
pub const GUIDE: Guide = Guide { needs: NEEDS, topic: |bench| Topic::of(bench, TOPICS), analysis: |_| None };

const NEEDS: &[Need] = &[Need {
    words: "Submissions and completions, some at a time",
    short: Some("submissions"),
    bench: "exchange.io_uring",
    usage: Usage::Exchange,
    takes: &[MPMC, Offer { queue: "aqueduct/bbq_spsc", path: "bbq::spsc", ..MPMC }],
    ..Need::PAIR
}];

/// A queue of requests, and one of confirmations of twice the capacity.
const MPMC: Offer = Offer {
    queue: "aqueduct/bbq_mpmc",
    path: "mpmc",
    words_only: false,
    usual: false,
    code: |sketch| {
        let (path, module) = (sketch.path, sketch.path.trim_start_matches("bbq::"));
        let (requests, confirmations) = (sketch.capacity, 2 * sketch.capacity);
        format!(
            "use aqueduct::{path};\n\nlet (mut submit, mut take) = {module}::new({requests})?;\n\
             let (mut confirm, mut collect) = {module}::new({confirmations})?;\nsubmit.push(7_u64)?;\n\
             confirm.push(take.pop()?)?;\nassert_eq!(collect.pop()?, 7);"
        )
    },
};

const TOPICS: &[Row] = &[
    (
        "exchange.io_uring",
        "Submissions and completions",
        "One thread submits requests, the second takes and confirms them, the third takes the confirmations: time per request.",
    ),
    (
        "exchange.multicast",
        "Events that every consumer sees",
        "Producers publish events, every consumer sees all of them.",
    ),
];
