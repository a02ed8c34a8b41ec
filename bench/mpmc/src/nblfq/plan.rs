//! The plan of measurements, which the program's options build and [`run`](super::run()) follows.

use aqueduct_measure::rounds::{Pace, experiments};

experiments! {
    "nblfq", "bench nblfq" has Pairs, Alone without workloads:
    /// `nblfq.pairs`: N producers and N consumers.
    Pairs = "pairs",
    /// `nblfq.alone`: a push and a pop on one thread.
    Alone = "alone",
    /// `nblfq.single`: messages between two nodes of one thread each.
    Single = "single",
    /// `nblfq.processes`: messages between two nodes that are processes of one thread each.
    Processes = "processes",
    /// `nblfq.threads`: messages between two nodes of N threads and some workers each.
    Threads = "threads",
}

/// The measurements of a run: their queues, threads and durations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Queues to measure, ours and others: full names, the part after the slash, or the crate
    /// before it. Empty means all.
    pub queues: Vec<String>,
    /// Whether other crates' queues take part.
    pub peers: bool,
    /// The numbers N of producers and of consumers, and of threads of a node that send or answer
    /// messages.
    pub threads: Vec<usize>,
    /// Threads of a node that serve the socket, in `threads`.
    pub workers: usize,
    /// Items that a queue can hold, in the [`RANGE`](super::RANGE). Those of ours that have their
    /// capacity in the type take part if it is one of [`CAPACITIES`](super::CAPACITIES).
    pub capacity: usize,
    /// The cores of the threads, in their order. An empty list means
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// The number of rounds, and their duration.
    pub pace: Pace,
}
