//! The plan of measurements, which the program's options build and [`run`](super::run()) follows.

use std::time::Duration;

use super::pool::Policy;
use aqueduct_measure::rounds::{Limit, experiments};

experiments! {
    "steal", "bench steal" has Alone, Stolen, Looked, Lines, Blocks without workloads:
    /// `steal.alone`: the owner fills the queue and drains it.
    Alone = "alone",
    /// `steal.stolen`: a thief takes a share of the items.
    Stolen = "stolen",
    /// `steal.looked`: a thief reads the number of items, and takes none.
    Looked = "looked",
    /// `steal.lines_written` and `steal.lines_read`: the slowdown of a thread that writes cache
    /// lines, by one that writes or reads them too.
    Lines = "lines",
    /// `steal.blocks_alone` and `steal.blocks_stolen`: the first two, with 10 % stolen, in fewer
    /// and in more blocks.
    Blocks = "blocks",
    /// `steal.hungry` and `steal.idle`: the time until an idle thief gets one of two items, while
    /// their owner works or does nothing.
    Hungry = "hungry",
    /// `steal.pool`: eight queues whose owners steal from each other.
    Pool = "pool",
    /// `steal.join_pair`, `steal.join_scope` and `steal.join_fib`: forks and joins of a small pool.
    Join = "join",
    /// `steal.tree` and `steal.tree_small`: the files of a tree are hashed by a small pool.
    Tree = "tree",
}

/// The measurements of a run: their queues, shares and durations.
///
/// The owner runs on the first core that this process may use, the thief on the second. A thread
/// that cannot go on executes one `spin_loop` hint, and after every 64 of them in a row yields its
/// core instead. This holds for all queues.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Queues to measure, ours and others: full names, the part after the slash, or the crate
    /// before it. Empty means all.
    pub queues: Vec<String>,
    /// Whether other crates' queues take part.
    pub peers: bool,
    /// Whether the bounds take part.
    pub bounds: bool,
    /// The percentage of items that are stolen, in `steal.stolen`: up to 50. In `steal.looked` a
    /// thief looks as often, and in `steal.lines` it is the percentage of the second thread's turns
    /// in which it takes a line.
    pub percents: Vec<u32>,
    /// Items per steal, in `steal.stolen`; 1 is the single-item interface.
    pub batches: Vec<usize>,
    /// The percentage of a filling that each member of a pool then attempts to steal, in
    /// `steal.pool`.
    pub factors: Vec<u32>,
    /// The policies, in `steal.pool`.
    pub policies: Vec<Policy>,
    /// The numbers of blocks, in `steal.blocks`.
    pub blocks: Vec<usize>,
    /// Items of a filling: what a queue can hold. (In `steal.hungry` it is 448, which makes blocks
    /// of 64 entries.)
    pub capacity: usize,
    /// The cores of the threads, in their order. An empty list means
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// The number of rounds, each of which measures everything once: A B C A B C ...
    pub rounds: usize,
    /// The duration of one measurement of one queue.
    pub slice: Duration,
    /// The time after which no further round begins; `None` means no limit.
    pub limit: Option<Limit>,
    /// The time limit of the owner's wait for a thief, after which the run counts as broken.
    pub patience: Duration,
}

impl Plan {
    /// Makes a plan of every experiment, within five minutes.
    #[must_use]
    pub fn full() -> Self {
        Self {
            experiments: Experiment::built(),
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

    /// Makes a plan of every experiment within less than a minute: shorter slices, fewer rounds,
    /// and two of the policies.
    #[must_use]
    pub fn quick() -> Self {
        let policies = ["random", "near+chance"].into_iter().filter_map(Policy::named).collect();
        let (rounds, slice, limit) = (5, Duration::from_millis(25), Some(Limit::QUICK));
        Self { rounds, slice, limit, factors: vec![0, 100], policies, ..Self::full() }
    }
}
