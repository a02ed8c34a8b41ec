//! The plan of measurements, which the program's options build and [`run`](super::run) follows.

use std::time::Duration;

use aqueduct_measure::record::{Payload, WORD};
use aqueduct_measure::rounds::{Limit, experiments};

experiments! {
    "spsc", "bench spsc" has Throughput, PingPong, Uncontended without workloads:
    /// `spsc.throughput`: items per second, no emulated load.
    Throughput = "throughput",
    /// `spsc.regime`: throughput with the loads that the SPSC paper names FP, FC and NOLOAD.
    Regimes = "regime",
    /// `spsc.load`: throughput for every pair of emulated loads of [`Plan::loads`].
    Load = "load",
    /// `spsc.perceived_batch.producer` and `.consumer`: items between two stalls, per regime.
    PerceivedBatch = "perceived_batch",
    /// `spsc.pingpong` and `spsc.pingpong_distribution`: round trips with one item in flight.
    PingPong = "pingpong",
    /// `spsc.uncontended`: one push and one pop, both on one thread.
    Uncontended = "uncontended",
    /// `spsc.l1_misses.producer` and `.consumer`: L1 data misses per item, per regime; with `load`
    /// and `pingpong`, `spsc.load.l1_misses` and `spsc.pingpong.l1_misses` too: per item of each
    /// pair of loads, and per round trip.
    L1Misses = "l1_misses",
}

/// The emulated loads that bring a queue into one of the SPSC paper's named regimes (section
/// 5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Regime {
    /// `FP`, `FC` or `NOLOAD`.
    pub name: &'static str,
    /// The producer's work per item, in nanoseconds.
    pub producer_load_ns: u32,
    /// The consumer's work per item, in nanoseconds.
    pub consumer_load_ns: u32,
}

/// Fast producer, fast consumer, and no load at all.
pub const REGIMES: [Regime; 3] = [
    Regime { name: "FP", producer_load_ns: 0, consumer_load_ns: 10 },
    Regime { name: "FC", producer_load_ns: 20, consumer_load_ns: 10 },
    Regime { name: "NOLOAD", producer_load_ns: 0, consumer_load_ns: 0 },
];

/// The behaviour of a thread between two failing attempts to push or to pop.
///
/// All queues of a run have one setting. The defaults serve the peers best. Streaming threads
/// yield: while one side is away, the other side fills or empties many slots, and no thread pulls
/// at its cache lines; most peers gain by that, and our recommended ring loses nothing. Threads
/// that await a single item retry. The experiments with emulated load retry as well, because their
/// regimes are defined by greedy sides (the SPSC paper, section 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Try again at once.
    Retry,
    /// One `spin_loop` hint (x86 `PAUSE`) and try again.
    Pause,
    /// One `spin_loop` hint after the first failure of a row, two after the second, four, up to 64.
    Backoff,
    /// Yield the core and try again.
    Yield,
}

/// The measurements of a run: their queues, places and durations.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The experiments; each runs only with the queues that can take part.
    pub experiments: Vec<Experiment>,
    /// Keep those queues of ours whose name contains one of these; empty keeps all.
    pub queues: Vec<String>,
    /// Whether other crates' queues take part.
    pub peers: bool,
    /// Keep those peers whose name contains one of these; empty keeps all.
    pub peer_filter: Vec<String>,
    /// Whether the bounds take part.
    pub bounds: bool,
    /// The producer's core, and the consumer's. An empty list means the first two of
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// Items that a queue can hold.
    pub capacity: usize,
    /// Batch sizes; 1 is the single-item interface, a greater one is for the queues with batches.
    pub batches: Vec<usize>,
    /// Bytes of an item: one of [`ITEM_BYTES`](aqueduct_measure::items::ITEM_BYTES). Items of more
    /// than a word have `spsc.throughput` only.
    pub item_bytes: usize,
    /// The place of the values.
    pub payloads: Vec<Payload>,
    /// The number of rounds, each of which measures everything once: A B C A B C ...
    pub rounds: usize,
    /// The duration of one measurement of one queue.
    pub slice: Duration,
    /// The duration of one cell of a load matrix.
    pub matrix_slice: Duration,
    /// The time after which no further round begins; `None` means no limit.
    pub limit: Option<Limit>,
    /// Emulated loads of the matrix, in nanoseconds, for either side.
    pub loads: Vec<u32>,
    /// Whether peers take part in the load matrices too.
    pub matrix_peers: bool,
    /// The behaviour of a thread while the queue is full or empty, in `spsc.throughput`.
    pub stream_wait: Wait,
    /// The behaviour of a thread while the queue is full or empty, in the experiments with emulated
    /// load: stalls are counted there.
    pub load_wait: Wait,
    /// The behaviour of a thread while it waits for the request or the response.
    pub bounce_wait: Wait,
    /// The time without progress after which a run counts as broken.
    pub patience: Duration,
}

impl Plan {
    /// Makes a plan of every experiment, which takes some minutes.
    #[must_use]
    pub fn full() -> Self {
        Self {
            experiments: Experiment::built(),
            queues: Vec::new(),
            peers: true,
            peer_filter: Vec::new(),
            bounds: true,
            cores: Vec::new(),
            capacity: 4096,
            batches: vec![1, 32],
            item_bytes: WORD,
            payloads: vec![Payload::Embedded, Payload::Indirect],
            rounds: 11,
            slice: Duration::from_millis(20),
            matrix_slice: Duration::from_millis(4),
            limit: None,
            loads: (0..10).map(|step| step * 10).collect(),
            matrix_peers: false,
            stream_wait: Wait::Yield,
            load_wait: Wait::Retry,
            bounce_wait: Wait::Retry,
            patience: Duration::from_secs(10),
        }
    }

    /// Makes a plan of every experiment within a minute: shorter slices and fewer rounds.
    #[must_use]
    pub fn quick() -> Self {
        Self {
            rounds: 5,
            slice: Duration::from_millis(8),
            matrix_slice: Duration::from_millis(1),
            limit: Some(Limit::QUICK),
            ..Self::full()
        }
    }
}
