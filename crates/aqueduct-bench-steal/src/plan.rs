//! The plan of measurements, which the program's options build and [`run`](super::run()) follows.

use std::time::Duration;

use super::pool::Policy;
use aqueduct_measure::rounds::{Limit, experiments};

experiments! {
    "bwos":
    /// `bwos.alone`: the owner fills the queue and drains it.
    Alone = "alone",
    /// `bwos.stolen`: a thief takes a share of the items.
    Stolen = "stolen",
    /// `bwos.blocks_alone` and `bwos.blocks_stolen`: the first two, with 10 % stolen, in fewer and in more blocks.
    Blocks = "blocks",
    /// `bwos.hungry`: the time until an idle thief gets one of two items.
    Hungry = "hungry",
    /// `bwos.pool`: eight queues whose owners steal from each other.
    Pool = "pool",
    /// `bwos.tree` and `bwos.tree_small`: the files of a tree are hashed by a small pool.
    Tree = "tree",
}

/// The measurements of a run: their queues, shares and durations.
///
/// The owner runs on the first core that this process may use, the thief on the second. A waiting thread gives the
/// core `spin_loop` hints; after every 64 of them it yields to other threads. This holds for all queues.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Queues to measure, ours and others: full names, the part after the slash, or the crate before it. Empty means
    /// all.
    pub queues: Vec<String>,
    /// Whether other crates' queues take part.
    pub peers: bool,
    /// Whether the bounds take part.
    pub bounds: bool,
    /// The percentage of items that are stolen, in `bwos.stolen`: up to 50.
    pub percents: Vec<u32>,
    /// Items per steal, in `bwos.stolen`; 1 is the single-item interface.
    pub batches: Vec<usize>,
    /// The percentage of a filling that each member of a pool then attempts to steal, in `bwos.pool`.
    pub factors: Vec<u32>,
    /// By which policies, in `bwos.pool`.
    pub policies: Vec<Policy>,
    /// In how many blocks, in `bwos.blocks`.
    pub blocks: Vec<usize>,
    /// Items of a filling: what a queue can hold. (In `bwos.hungry` it is 448, which makes blocks of 64 entries.)
    pub capacity: usize,
    /// The cores that threads are placed on, in their order. None are those of
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// The number of rounds, each of which measures everything once: A B C A B C ...
    pub rounds: usize,
    /// The duration of one measurement of one queue.
    pub slice: Duration,
    /// The time after which no further round begins; none is no limit.
    pub limit: Option<Limit>,
    /// The time limit of the owner's wait for a thief, after which the run counts as broken.
    pub patience: Duration,
}

impl Plan {
    /// Every experiment, within five minutes.
    #[must_use]
    pub fn full() -> Self {
        Self {
            experiments: Experiment::ALL.to_vec(),
            queues: Vec::new(),
            peers: true,
            bounds: true,
            percents: vec![0, 10, 20, 50],
            batches: vec![1, 32],
            factors: vec![0, 10, 100],
            policies: Policy::all(),
            blocks: vec![2, 4, 8, 16, 32, 64, 128],
            capacity: 8192,
            cores: Vec::new(),
            rounds: 11,
            slice: Duration::from_millis(100),
            limit: None,
            patience: Duration::from_secs(10),
        }
    }

    /// Every experiment within less than a minute: shorter slices, fewer rounds, and two of the policies.
    #[must_use]
    pub fn quick() -> Self {
        let policies = ["random", "near+chance"].into_iter().filter_map(Policy::named).collect();
        let (rounds, slice, limit) = (5, Duration::from_millis(25), Some(Limit::QUICK));
        Self { rounds, slice, limit, factors: vec![0, 100], policies, ..Self::full() }
    }
}
