//! `aqueduct bench cnq`: k-relaxed FIFO queues.

use std::fmt::Write;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use aqueduct_bench_mpmc::cnq::{self, Experiment, Plan};
use aqueduct_measure::rounds::{Findings, Observer, Threads};

use super::knobs::Knobs;
use super::results::or;
use crate::SUCCESS;
use crate::job::Job;
use crate::output;

/// Options of `aqueduct bench cnq`.
///
/// Our queue of capsules, where an item is overtaken by fewer than k others, beside strict queues
/// and other relaxed ones. Every run is checked: how many items came, and their sum.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CnqArgs {
    /// Experiments to run, see below [default: all]
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<Experiment>,
    /// Queues to measure, ours and others, separated by commas: a crate or a queue of it, with or
    /// without its k [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    queues: Vec<String>,
    /// Numbers of producers and consumers, such as 2x4 [default: 2x1,1x2,2x2]
    #[arg(long, value_delimiter = ',', value_name = "PxC")]
    threads: Vec<Threads>,
    /// Items per call in `throughput`; 1 is the single-item interface
    #[arg(long, value_delimiter = ',', value_name = "ITEMS", default_values_t = [1, 32])]
    batch: Vec<usize>,
    /// Items that a queue can hold; moodycamel is built for 64, 4096 and 65536
    #[arg(long, value_name = "ITEMS", default_value_t = 65_536)]
    capacity: usize,
    /// The k of the queues that have one, except in `sweep`
    #[arg(long, value_delimiter = ',', value_name = "K", default_values_t = [100, 1000, 10_000])]
    k: Vec<usize>,
    /// The k of `sweep` [default: powers of two from 2 to 16384, quick: every other one]
    #[arg(long, value_delimiter = ',', value_name = "K")]
    sweep: Vec<usize>,
    /// Microseconds that 99 of 100 items may stay in the queue: `order` then names the greatest k
    /// that keeps to it
    #[arg(long, value_name = "US", value_parser = clap::value_parser!(u64).range(1..=60_000_000))]
    p99: Option<u64>,
    /// Show all queues and their guarantees, and measure nothing
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    knobs: Knobs,
}

const AFTER_HELP: &str = "\
Experiments:
  throughput  items per second, without further work, and the limit by one ring for each pair of threads
  sweep       the same for our queue over each tube, for many k; those too small for the number of threads are left out
  order       by how many places items were out of order, beside the promised k, and their time in the queue
  memory      peak memory

Examples:
  aqueduct bench cnq --quick --html page.html
  aqueduct bench cnq throughput --threads 2x2 --batch 1 --k 1000 --rounds 21
  aqueduct bench cnq sweep --queues cnq_faaq --sweep 16,256,4096 --json runs.jsonl
  aqueduct bench cnq order --queues cnq_faaq --k 16,64,256,1024 --p99 20
  aqueduct bench cnq order --threads 1x2,2x2 --k 10,100 --no-peers";

impl CnqArgs {
    fn plan(&self) -> Plan {
        let threads = vec![Threads::new(2, 1), Threads::new(1, 2), Threads::new(2, 2)];
        let step = if self.knobs.is_quick() { 2 } else { 1 };
        Plan {
            experiments: or(&self.experiments, Experiment::built()),
            queues: self.queues.clone(),
            peers: self.knobs.peers(),
            threads: or(&self.threads, threads),
            batches: self.batch.clone(),
            capacity: self.capacity,
            orders: self.k.clone(),
            sweep: or(&self.sweep, (1..=14).step_by(step).map(|power| 1 << power).collect()),
            p99: self.p99.map(Duration::from_micros),
            cores: self.knobs.cores(),
            pace: self.knobs.pace(),
        }
    }

    /// Runs the requested measurements, and shows and writes nothing.
    pub(crate) fn measure(&self, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
        cnq::run(&self.plan(), stop, observer)
    }
}

impl Job for CnqArgs {
    fn outlook(&self) -> Result<String> {
        self.knobs.outlook(cnq::outlook(&self.plan()))
    }

    /// Measures, prints the tables, and writes the files.
    fn run(&self) -> Result<u8> {
        let plan = self.plan();
        if self.list {
            output::print(&list(&plan.orders))?;
            return Ok(SUCCESS);
        }
        self.knobs.run(
            |stop, observer| cnq::run(&plan, stop, observer),
            &[
                "[k=K] is the requested order: an item that is popped is one of the K oldest. Capsules are as large as that allows, and as \
                 the capacity does.",
                "Distributed queues have four small queues for each thread of the larger side. Where a choice is full or empty, the next one \
                 is tried, up to all.",
                "Every run checks how many items came, and their sum.",
            ],
        )
    }
}

/// Returns the queues, each with its guarantees.
fn list(orders: &[usize]) -> String {
    cnq::contestants(orders).iter().fold(String::new(), |mut out, one| {
        let _ = writeln!(out, "{}: {}", one.queue, one.promise.words());
        out
    })
}
