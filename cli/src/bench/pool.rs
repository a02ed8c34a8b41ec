//! `aqueduct bench pool`: the cost of joins and tasks.

use anyhow::Result;
use aqueduct_bench_pool::{self as pool, Experiment, Plan};

use super::knobs::Knobs;
use super::results::{self, or};
use crate::job::Job;

/// Options of `aqueduct bench pool`.
///
/// The pool beside others, with joins and with tasks. Every run is checked: the program's answer is
/// right.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct PoolArgs {
    /// Experiments to run, see below [default: all]
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<Experiment>,
    /// Pools to measure, ours and others, separated by commas: a crate or a pool of it [default:
    /// all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pools: Vec<String>,
    // The plan's default is in its help.
    #[arg(long, value_delimiter = ',', value_name = "COUNT", help = threads_help())]
    threads: Vec<usize>,
    /// Show all pools, and measure nothing
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    knobs: Knobs,
}

const AFTER_HELP: &str = "\
Experiments:
  nothing    joins of two closures that do nothing
  fib        Fibonacci numbers: a join for each addition
  nqueens    twelve queens on a chessboard
  skynet     a million leaves, ten below each fork
  matmul     a product of matrices, by their quarters
  quicksort  sorting in place, down to 64 items
  mergesort  sorting, whose merges fork, too
  tree       sums over trees of 1,023 nodes and of 33 millions
  items      a sum over a thousand and a million small items, by parallel iterators and by joins of halves
  bursts     bursts of short jobs with gaps between them: the time of one burst, and the processor time of all threads
  spawn      a task is made and awaited, and a thousand are
  pingpong   pairs of tasks that wake each other
  yields     two hundred tasks that yield to each other
  chain      tasks in a row: each makes, or wakes, the next one
  senders    ten tasks send to one, over a channel of ours and of tokio's

Examples:
  aqueduct bench pool --quick
  aqueduct bench pool fib tree --pools aqueduct,chili --threads 1,2,4 --rounds 21
  aqueduct bench pool spawn yields --json runs.jsonl";

/// Returns the help of `--threads`, with the default.
fn threads_help() -> String {
    format!(
        "Threads of each pool, and cores for them [default: a thread for each core, at most {}]",
        pool::MOST_THREADS
    )
}

impl PoolArgs {
    fn plan(&self) -> Plan {
        Plan {
            experiments: or(&self.experiments, Experiment::ALL.to_vec()),
            pools: self.pools.clone(),
            peers: self.knobs.peers(),
            threads: self.threads.clone(),
            cores: self.knobs.cores(),
            pace: self.knobs.pace(),
        }
    }
}

impl Job for PoolArgs {
    fn outlook(&self) -> Result<String> {
        self.knobs.outlook(pool::outlook(&self.plan()))
    }

    /// Measures, prints the tables, writes the requested files.
    fn run(&self) -> Result<u8> {
        if self.list {
            return results::list(pool::names());
        }
        let plan = self.plan();
        self.knobs.run(
            |stop, observer| pool::run(&plan, stop, observer),
            &[
                "Threads of pools are not pinned to a core each, because some pools do not let others do so: all keep to as many cores as \
                 there are threads. A pool is made for each run, outside of the measured time.",
                "In chili's pool, the caller is one of the threads. `bound/sequential` is the same program with calls instead of joins, in one \
                 thread.",
                "In `tree` and the suite, a run is one call into the pool; in `items` and `bursts`, each sum and each burst is a call from a \
                 thread outside of the pool.",
            ],
        )
    }
}
