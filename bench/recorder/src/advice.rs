//! The texts of reports on these measurements.

use aqueduct_measure::report::guide::{Guide, Row, Topic};

/// This bench's texts for reports.
pub const GUIDE: Guide = Guide { needs: &[], topic: |bench| Topic::of(bench, TOPICS), analysis: |_| None };

const TOPICS: &[Row] = &[
    (
        "recorder.latency.*",
        "",
        "A thread records 20 events at once, each with the number of values in the name, and then none for 20 \
         microseconds: the time of an event, the clock's included. p999: one in a thousand batches takes longer.",
    ),
    ("recorder.spans*", "", "As `recorder.latency`, for the start of a span with a number and its end."),
    (
        "recorder.throughput.*.bytes",
        "",
        "In the same measurement: the memory that an event takes, with its share of what lies between events.",
    ),
    ("recorder.throughput.*", "", "Threads record as fast as they can. How many events, all together?"),
    (
        "recorder.vswitch.*",
        "",
        "The virtual switch forwards packets between two clients, and records an event for each packet, or none.",
    ),
    (
        "recorder.hyper",
        "",
        "A server answers requests over 16 connections in one thread, and another one has the clients: the time of \
         a request, with an event for each, or none.",
    ),
    ("recorder.hyper.processor", "", "In the same measurement: the processor time of the answering thread."),
    ("recorder.budget.even", "", "Threads record as fast as they can into one memory of 1 MiB."),
    (
        "recorder.budget.uneven.event",
        "",
        "One thread records as fast as it can, and each other thread an event for a thousand of its: the time of \
         its events.",
    ),
    (
        "recorder.budget.uneven.busy_kept",
        "",
        "In the same measurement: the events of the busy thread that are left, in percent of those of 14 bytes for \
         which the whole memory has room.",
    ),
    (
        "recorder.budget.uneven.quiet_kept",
        "",
        "In the same measurement: the events of the other threads that are left.",
    ),
];
