//! What to measure: the plan that the program's options build and [`run`](super::run()) follows.

use crate::mpmc::Threads;
use crate::rounds::Pace;

/// One experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Experiment {
    /// `cnq.throughput`: items per second.
    Throughput,
    /// `cnq.sweep`: items per second over `k`.
    Sweep,
    /// `cnq.order` and `cnq.in_queue`: the order that was observed, and the time in the queue.
    Order,
    /// `cnq.memory`: peak memory.
    Memory,
}

impl Experiment {
    /// All experiments, in the order in which a run goes through them.
    pub const ALL: [Self; 4] = [Self::Throughput, Self::Sweep, Self::Order, Self::Memory];

    /// The name by which the experiment is asked for, without `cnq.`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Sweep => "sweep",
            Self::Order => "order",
            Self::Memory => "memory",
        }
    }

    /// The experiment of that name, with or without `cnq.` before it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let bare = name.strip_prefix("cnq.").unwrap_or(name);
        Self::ALL.into_iter().find(|one| one.name() == bare)
    }
}

/// What to measure, with which queues and threads, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Queues to measure, ours and others: full names, with or without `k`, the part after the slash, or the crate before it. Empty
    /// means all.
    pub queues: Vec<String>,
    /// Whether others' queues take part.
    pub peers: bool,
    /// The numbers of producers and consumers.
    pub threads: Vec<Threads>,
    /// Items per call, in `throughput`; 1 is the single-item interface.
    pub batches: Vec<usize>,
    /// Items that a queue can hold.
    pub capacity: usize,
    /// The values of `k`, except in `sweep`. One that so many threads cannot keep is left out for them.
    pub orders: Vec<usize>,
    /// The values of `k` in `sweep`.
    pub sweep: Vec<usize>,
    /// How often and for how long.
    pub pace: Pace,
}
