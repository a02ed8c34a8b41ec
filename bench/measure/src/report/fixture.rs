//! Fixed records for the reports' tests.

use super::analysis::{Analysis, Cell, Line, Measured};
use super::guide::{Guide, Need, Offer, Row, Topic, Usage};
use crate::names::{Bench, Queue};
use crate::record::{Payload, Placement, Record, Role, WORD};
use crate::unit::Unit;

/// Returns a text without its colours.
pub(super) fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.map(|part| part.split_once('m').map_or(part, |(_, rest)| rest)).collect::<String>()
}

/// Returns a record with the median, least and greatest of `runs`.
pub(super) fn record(bench: impl Into<Bench>, queue: impl Into<Queue>, unit: Unit, runs: &[f64]) -> Record {
    let queue = queue.into();
    let mut sorted = runs.to_vec();
    sorted.sort_by(f64::total_cmp);
    Record {
        bench: bench.into(),
        role: match queue.name.split_once('/') {
            Some(("aqueduct", _)) => Role::Ours,
            Some(("bound", _)) => Role::Bound,
            _ => Role::Peer,
        },
        queue,
        producers: 1,
        consumers: 1,
        capacity: 4096,
        batch: 1,
        item_by_item: false,
        item_bytes: WORD,
        payload: Payload::Embedded,
        producer_load_ns: 0,
        consumer_load_ns: 0,
        placement: Placement { producers: vec![0], consumers: vec![1] },
        unit,
        median: sorted[sorted.len() / 2],
        min: sorted[0],
        max: sorted[sorted.len() - 1],
        runs: runs.to_vec(),
    }
}

/// Returns a panel of throughputs with one bimodal peer, and a panel of round trips.
pub(super) fn records() -> Vec<Record> {
    let rate = |queue: &str, runs: &[f64]| record("spsc.throughput", queue, Unit::Mitems, runs);
    let time = |queue: &str, runs: &[f64]| record("spsc.pingpong", queue, Unit::Ns, runs);
    vec![
        rate("aqueduct/ring", &[410.0, 420.0, 431.5]),
        rate("aqueduct/lamport", &[61.0, 60.0, 64.0]),
        rate("ringbuf/heap", &[273.0, 270.0, 280.0]),
        rate("rtrb/ring", &[100.0, 210.0, 102.0, 205.0, 101.0, 207.0, 103.0]),
        rate("bound/batch_512", &[914.0, 900.0, 920.0]),
        time("aqueduct/ring", &[300.0, 298.0, 301.0]),
        time("aqueduct/lamport", &[520.0, 510.0, 530.0]),
        time("rtrb/ring", &[453.0, 450.0, 460.0]),
        time("bound/one_line", &[134.0, 133.0, 136.0]),
        time("bound/two_lines", &[299.0, 297.0, 302.0]),
    ]
}

/// Returns a 10 x 10 matrix of throughputs for each of two queues.
pub(super) fn grid() -> Vec<Record> {
    let mut grid = Vec::new();
    for queue in ["aqueduct/ring", "rtrb/ring"] {
        for producer in 0..10_u32 {
            for consumer in 0..10_u32 {
                let slower = f64::from(producer.max(consumer)) * 10.0 + 4.0;
                let cost = if queue == "rtrb/ring" { 3.0 } else { 0.0 };
                let rate = 1000.0 / (slower + cost);
                grid.push(Record {
                    producer_load_ns: producer * 10,
                    consumer_load_ns: consumer * 10,
                    ..record("spsc.throughput", queue, Unit::Mitems, &[rate])
                });
            }
        }
    }
    grid
}

/// The texts of two benches.
pub(super) const GUIDE: Guide = Guide { needs: NEEDS, topic: |bench| Topic::of(bench, TOPICS), analysis };

const TOPICS: &[Row] = &[
    ("tides.flow", "Flow", "Water comes."),
    ("lakes.flow", "Flow", "Water goes."),
    ("spsc.pingpong", "Round trip of one item", ""),
];

const NEEDS: &[Need] = &[
    PAIR,
    Need {
        words: "Lowest latency: the other side must see an item at once",
        short: Some("lowest latency"),
        bench: "spsc.pingpong",
        note: "Or not.",
        ..PAIR
    },
    Need { words: "Items that come in batches", usage: Usage::Batch, ..PAIR },
    Need { words: "Exactly bounded", short: None, takes: &[LAMPORT], ..PAIR },
    Need { words: "One producer, many consumers", short: Some("one to many"), threads: |p, c| p == 1 && c > 1, ..MANY },
    MANY,
];

const PAIR: Need = Need {
    words: "Many single items",
    short: Some("one to one"),
    bench: "spsc.throughput",
    takes: &[
        Offer { queue: "aqueduct/ring", path: "spsc::ring", usual: true, ..LAMPORT },
        LAMPORT,
        Offer { queue: "aqueduct/batched_lamport", path: "spsc::batched_lamport", ..LAMPORT },
        Offer { queue: "aqueduct/fast_forward", path: "spsc::fast_forward", words_only: true, ..LAMPORT },
    ],
    ..Need::PAIR
};

const LAMPORT: Offer = Offer {
    queue: "aqueduct/lamport",
    path: "spsc::lamport",
    words_only: false,
    usual: false,
    code: |sketch| format!("let (mut producer, mut consumer) = {}::new({})?;", sketch.path, sketch.capacity),
};

const MANY: Need = Need {
    words: "Many producers, many consumers",
    short: Some("many to many"),
    bench: "mpmc.throughput",
    threads: |p, c| p > 1 && c > 1,
    takes: &[
        Offer { queue: "aqueduct/bbq_mpmc", path: "mpmc", ..LAMPORT },
        Offer { queue: "aqueduct/bbq_spmc", path: "spmc", ..LAMPORT },
    ],
    ..Need::PAIR
};

/// Returns a table of one line if there is a record under the loads of a fast producer.
fn analysis(records: &[Record]) -> Option<Analysis> {
    let found = records.iter().find(|record| (record.producer_load_ns, record.consumer_load_ns) == (0, 10))?;
    let cell = Cell { formula: "1/K + 2/N", value: 0.125 };
    let fast_producer = Measured { misses: None, rate: Some(found.median) };
    let line = Line {
        queue: "aqueduct/lamport",
        side: "P, C",
        analysis: [cell; 4],
        fast_consumer: Measured::default(),
        fast_producer,
    };
    Some(Analysis { parameters: "K = 8 slots".to_owned(), lines: vec![line] })
}
