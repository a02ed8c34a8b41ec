//! What to measure: the plan that the program's options build and [`run`](super::run()) follows.

use crate::rounds::Pace;

/// One experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Experiment {
    /// `nblfq.pairs`: N producers and N consumers.
    Pairs,
    /// `nblfq.alone`: a push and a pop on one thread.
    Alone,
    /// `nblfq.single`: messages between two nodes of one thread each.
    Single,
    /// `nblfq.threads`: messages between two nodes of N threads and some workers each.
    Threads,
    /// `nblfq.retries`: failed exchanges in `pairs` and in `threads`.
    Retries,
}

impl Experiment {
    /// All experiments, in the order in which a run goes through them.
    pub const ALL: [Self; 5] = [Self::Pairs, Self::Alone, Self::Single, Self::Threads, Self::Retries];

    /// The name by which the experiment is asked for, without `nblfq.`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Alone => "alone",
            Self::Single => "single",
            Self::Threads => "threads",
            Self::Retries => "retries",
        }
    }

    /// The experiment of that name, with or without `nblfq.` before it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let bare = name.strip_prefix("nblfq.").unwrap_or(name);
        Self::ALL.into_iter().find(|one| one.name() == bare)
    }
}

/// What to measure, with which queues and threads, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Queues to measure, ours and others: full names, the part after the slash, or the crate before it. Empty means all.
    pub queues: Vec<String>,
    /// Whether others' queues take part.
    pub peers: bool,
    /// The numbers N of producers and of consumers, and of threads of a node that send or answer messages.
    pub threads: Vec<usize>,
    /// Threads of a node that serve the socket, in `threads`.
    pub workers: usize,
    /// Items that a queue can hold: one of [`CAPACITIES`](super::CAPACITIES).
    pub capacity: usize,
    /// How often and for how long.
    pub pace: Pace,
}
