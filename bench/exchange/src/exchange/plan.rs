//! The plan of measurements.

use aqueduct_measure::rounds::{Pace, experiments};

experiments! {
    "exchange", "bench exchange" has IoUring without workloads:
    /// `exchange.io_uring`.
    IoUring = "io_uring",
    /// `exchange.multicast`.
    Multicast = "multicast",
}

/// The measurements of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Whether the rings of comparison take part.
    pub peers: bool,
    /// Sizes of the submission queue, powers of two.
    pub submissions: Vec<usize>,
    /// Numbers of threads on one side of the multicast, with one thread on the other side; 1 is a
    /// pair.
    pub sides: Vec<usize>,
    /// The capacity of a Disruptor, or of a queue in its place, in events; a power of two.
    pub events: usize,
    /// The cores of the threads, in their order. An empty list means
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// The number of rounds, and their duration.
    pub pace: Pace,
}
