//! The plan of measurements, which the program's options build and [`run`](super::run()) follows.

use std::time::Duration;

use crate::mpmc::Threads;
use aqueduct_measure::rounds::{Pace, experiments};

experiments! {
    "cnq", "bench cnq" has Throughput, Sweep, Memory without workloads:
    /// `cnq.throughput`: items per second.
    Throughput = "throughput",
    /// `cnq.sweep`: items per second over `k`.
    Sweep = "sweep",
    /// `cnq.order` and `cnq.in_queue`: the order that was observed, and the time in the queue.
    Order = "order",
    /// `cnq.memory`: peak memory.
    Memory = "memory",
}

/// The measurements of a run: their queues, threads and durations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Queues to measure, ours and others: full names, with or without `k`, the part after the
    /// slash, or the crate before it. Empty means all.
    pub queues: Vec<String>,
    /// Whether other crates' queues take part.
    pub peers: bool,
    /// The numbers of producers and consumers.
    pub threads: Vec<Threads>,
    /// Items per call, in `throughput`; 1 is the single-item interface.
    pub batches: Vec<usize>,
    /// Items that a queue can hold.
    pub capacity: usize,
    /// The values of `k`, except in `sweep`. Values too small for the number of threads are left
    /// out.
    pub orders: Vec<usize>,
    /// The values of `k` in `sweep`.
    pub sweep: Vec<usize>,
    /// The longest time in the queue that is wanted for 99 of 100 items. A note on `order` then
    /// names the greatest `k` that keeps to it: a greater `k` is faster, and items stay for longer.
    pub p99: Option<Duration>,
    /// The cores of the threads, in their order. An empty list means
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// The number of rounds, and their duration.
    pub pace: Pace,
}
