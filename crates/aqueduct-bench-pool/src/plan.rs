//! What to measure.

use aqueduct_measure::rounds::{Pace, experiments};

experiments! {
    "pool":
    /// `pool.nothing`: joins of two closures that do nothing.
    Nothing = "nothing",
    /// `pool.fib`: Fibonacci numbers, a join for each addition.
    Fib = "fib",
    /// `pool.nqueens`: queens on a chessboard.
    Nqueens = "nqueens",
    /// `pool.skynet`: a million leaves, ten below each fork.
    Skynet = "skynet",
    /// `pool.matmul`: a product of matrices.
    Matmul = "matmul",
    /// `pool.quicksort`: sorting in place.
    Quicksort = "quicksort",
    /// `pool.mergesort`: sorting, whose merges fork, too.
    Mergesort = "mergesort",
    /// `pool.tree`: sums over trees, of 1,023 nodes and of many millions.
    Tree = "tree",
    /// `pool.items`: a sum over many small items, by each library's own iterators where it has them.
    Items = "items",
    /// `pool.bursts`: bursts of short jobs with gaps between them, and their processor time.
    Bursts = "bursts",
    /// `pool.spawn`: tasks that are made and awaited.
    Spawn = "spawn",
    /// `pool.pingpong`: pairs of tasks that wake each other.
    PingPong = "pingpong",
    /// `pool.yields`: tasks that let others run.
    Yields = "yields",
    /// `pool.chain`: tasks each of which wakes the next one.
    Chain = "chain",
    /// `pool.senders`: ten tasks send to one over a channel.
    Senders = "senders",
}

/// What to measure, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Pools to measure, ours and others: full names, the part after the slash, or the crate before it. Empty means
    /// all.
    pub pools: Vec<String>,
    /// Whether others' pools take part.
    pub peers: bool,
    /// Numbers of threads that a pool has. Empty means a thread for each core, at most [`MOST_THREADS`].
    pub threads: Vec<usize>,
    /// The cores on which the threads run: as many of the first ones as there are threads. None are those of
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// How often and for how long.
    pub pace: Pace,
}

/// The most threads that a pool has unless more are asked for.
pub const MOST_THREADS: usize = 16;

impl Plan {
    pub(crate) fn wants(&self, experiment: Experiment) -> bool {
        self.experiments.contains(&experiment)
    }

    /// The numbers of threads, with those cores.
    pub(crate) fn numbers_of_threads(&self, cores: &[usize]) -> Vec<usize> {
        if self.threads.is_empty() { vec![cores.len().clamp(1, MOST_THREADS)] } else { self.threads.clone() }
    }
}

/// Where the experiment whose bench begins these words stands among all.
pub(crate) fn place_of(words: &str) -> usize {
    let is_of = |one: &Experiment| words.strip_prefix("pool.").is_some_and(|rest| rest.starts_with(one.name()));
    Experiment::ALL.iter().position(is_of).unwrap_or(Experiment::ALL.len())
}
