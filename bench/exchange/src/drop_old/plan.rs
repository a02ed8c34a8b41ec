//! The plan of measurements.

use aqueduct_measure::rounds::{Pace, experiments};

experiments! {
    "drop-old", "bench drop-old" has Written without workloads:
    /// `drop-old.written`, `drop-old.slowdown` and `drop-old.read`: threads as fast as they can.
    Written = "written",
    /// `drop-old.complex.written`, `.slowdown` and `.read`: with allocations and pauses.
    Complex = "complex",
    /// `drop-old.profiling.push`: at a fixed rate.
    Profiling = "profiling",
}

/// The measurements of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// The number of producers.
    pub producers: Vec<usize>,
    /// Numbers of items that a reader asks for at a time, in `written`; more than 1 where readers
    /// can read slices.
    pub batches: Vec<usize>,
    /// Whether other crates' queues take part.
    pub peers: bool,
    /// Items that a queue keeps.
    pub capacity: usize,
    /// The cores of the threads, in their order. An empty list means
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// The number of rounds, and their duration.
    pub pace: Pace,
}
