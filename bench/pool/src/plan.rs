//! The plan of measurements.

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
    /// `pool.items`: a sum over many small items, by each library's own iterators where it has
    /// them.
    Items = "items",
    /// `pool.bursts`: bursts of short jobs with gaps between them, and their processor time.
    Bursts = "bursts",
    /// `pool.spawn`: tasks that are made and awaited.
    Spawn = "spawn",
    /// `pool.pingpong`: pairs of tasks that wake each other.
    PingPong = "pingpong",
    /// `pool.yields`: tasks that yield to each other.
    Yields = "yields",
    /// `pool.chain`: tasks each of which wakes the next one.
    Chain = "chain",
    /// `pool.senders`: ten tasks send to one task over a channel.
    Senders = "senders",
}

/// The measurements of a run, and their durations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Pools to measure, ours and others: full names, the part after the slash, or the crate before
    /// it. Empty means all.
    pub pools: Vec<String>,
    /// Whether other crates' pools take part.
    pub peers: bool,
    /// Numbers of threads of a pool. Empty means one thread for each core, at most
    /// [`MOST_THREADS`].
    pub threads: Vec<usize>,
    /// The cores of the threads. A pool of fewer threads has the first of them. An empty list means
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// The number of rounds, and their duration.
    pub pace: Pace,
}

/// The greatest number of threads of a pool by default.
pub const MOST_THREADS: usize = 16;

impl Plan {
    pub(crate) fn wants(&self, experiment: Experiment) -> bool {
        self.experiments.contains(&experiment)
    }

    /// Returns the numbers of threads, with these cores.
    pub(crate) fn numbers_of_threads(&self, cores: &[usize]) -> Vec<usize> {
        if self.threads.is_empty() { vec![cores.len().clamp(1, MOST_THREADS)] } else { self.threads.clone() }
    }
}
