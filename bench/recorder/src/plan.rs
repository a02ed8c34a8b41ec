//! The plan of measurements.

use aqueduct_measure::rounds::{Pace, experiments};

experiments! {
    "recorder":
    /// `recorder.latency`: events in batches with gaps.
    Latency = "latency",
    /// `recorder.spans`: spans in batches with gaps.
    Spans = "spans",
    /// `recorder.throughput`: events without gaps, and their bytes.
    Throughput = "throughput",
    /// `recorder.vswitch`: an event for each packet that the virtual switch forwards.
    Vswitch = "vswitch",
    /// `recorder.hyper`: an event for each request that a server answers.
    Hyper = "hyper",
    /// `recorder.budget`: one memory, divided into rings or shared.
    Budget = "budget",
}

/// The measurements of a run, and their durations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Recorders to measure, ours and others: full names, the part after the slash, or the crate
    /// before it. Empty means all.
    pub queues: Vec<String>,
    /// Whether other crates' recorders and logs take part.
    pub peers: bool,
    /// Numbers of recording threads.
    pub threads: Vec<usize>,
    /// Numbers that an event carries: 0, 1 or 4.
    pub fields: Vec<usize>,
    /// The cores of the threads, in their order. An empty list means
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// The number of rounds, and their duration.
    pub pace: Pace,
}

impl Plan {
    pub(crate) fn wants(&self, experiment: Experiment) -> bool {
        self.experiments.contains(&experiment)
    }
}
