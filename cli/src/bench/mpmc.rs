//! `aqueduct bench mpmc`: queues of many producers and many consumers.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use aqueduct_bench_mpmc::mpmc::{self, Experiment, Findings, Plan, Threads};
use aqueduct_measure::record::WORD;
use aqueduct_measure::report::html::About;
use aqueduct_measure::rounds::Observer;

use super::knobs::item_bytes;
use super::results::{self, or};
use crate::cores::Cores;
use crate::job::Job;
use crate::output::Files;

/// Options of `aqueduct bench mpmc`.
///
/// Every queue is measured in turn (A B C, A B C, ...), each thread pinned to a core of its own
/// while there are cores. Each run is checked: how many items came, and their sum. The tables show
/// medians over the rounds.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct MpmcArgs {
    /// Experiments to run, see below [default: all]
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<Experiment>,
    /// Shorter and fewer runs: ends within a minute
    #[arg(long)]
    quick: bool,
    /// Queues to measure, ours and others, separated by commas: a crate or a queue of it [default:
    /// all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    queues: Vec<String>,
    /// Leave out other crates' queues
    #[arg(long)]
    no_peers: bool,
    /// Producers and consumers, such as 2x2,8x8 [default: up to 4x4, different ones for each
    /// experiment]
    #[arg(long, value_delimiter = ',', value_name = "PxC")]
    threads: Vec<Threads>,
    /// Batch sizes; 1 is the single-item interface [default: 1,8,32]
    #[arg(long, value_delimiter = ',', value_name = "ITEMS")]
    batch: Vec<usize>,
    /// Bytes of an item: 8, 16, 64, 256 or 4096. Above 8 only throughput is measured, of the queues
    /// that people use
    #[arg(long, value_name = "BYTES", value_parser = item_bytes, default_value_t = WORD)]
    item_bytes: usize,
    /// Items that a queue can hold [default: 4096, drain: 32768, latency: 128]
    #[arg(long, value_name = "ITEMS")]
    capacity: Option<usize>,
    /// The load of the producers in the open loop, in per cent of the slowest queue's throughput
    /// [default: 10,30,60,90, quick: 30,90]
    #[arg(long, value_delimiter = ',', value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=1000))]
    loads: Vec<u32>,
    /// Numbers of blocks, in the sweep [default: 2 to 64, quick: 2 to 16]
    #[arg(long, value_delimiter = ',', value_name = "BLOCKS")]
    blocks: Vec<usize>,
    /// Entries of a block, in the sweep [default: 8 to 2048, quick: 8 to 512]
    #[arg(long, value_delimiter = ',', value_name = "ENTRIES")]
    block_size: Vec<usize>,
    /// The number of times that everything is measured [default: 5, quick: 3]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: Option<u32>,
    /// Milliseconds of one measurement [default: 100, quick: 25]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=60_000))]
    slice: Option<u64>,
    /// Show the names of all queues, and measure nothing
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    cores: Cores,
    #[command(flatten)]
    files: Files,
}

const AFTER_HELP: &str = "\
Experiments:
  throughput        items per second through the queue, for each number of producers and consumers
  drain             items per second that consumers take out of a queue that was filled before
  uncontended       push and pop on one thread
  full              push to a full queue, on one thread, or on as many producers as --threads has beside one consumer
  empty             pop from an empty queue, on one thread, or on as many consumers as --threads has beside one producer
  complex           throughput where items are allocated and freed, with up to 100 no-ops around each call
  profiling         time of a push at 10,000 a second from each producer; each consumer pops 1,000 a second
  latency           time that an item stays in the queue, time of a push and of a pop, in the complex workload
  open-loop         time from when an item was due to its pop, at fixed rates below the slowest queue's throughput
  fairness          share of each thread in the operations of its side
  oversubscription  throughput with one to five times as many threads as cores
  sweep             throughput of our queues over the number of blocks and their size
  sweep-latency     time that an item stays in our queues over the number of blocks and their size, in the complex workload

Examples:
  aqueduct bench mpmc --quick --html page.html
  aqueduct bench mpmc throughput --threads 2x2,8x8 --batch 1
  aqueduct bench mpmc throughput --queues bbq_mpmc,crossbeam-queue --rounds 21 --json runs.jsonl
  aqueduct bench mpmc uncontended full empty --capacity 1024 --no-peers
  aqueduct bench mpmc latency fairness --threads 4x1,1x4 --slice 500
  aqueduct bench mpmc open-loop --threads 1x1,4x4 --loads 30,60,90 --capacity 1024
  aqueduct bench mpmc sweep --threads 4x1 --blocks 2,8,32 --block-size 16,64,256 --html page.html";

impl MpmcArgs {
    fn plan(&self) -> Plan {
        let usual = if self.quick { Plan::quick() } else { Plan::full() };
        Plan {
            experiments: or(&self.experiments, usual.experiments),
            queues: self.queues.clone(),
            peers: !self.no_peers,
            threads: or(&self.threads, usual.threads),
            batches: or(&self.batch, usual.batches),
            item_bytes: self.item_bytes,
            capacity: self.capacity.unwrap_or(usual.capacity),
            drain_capacity: self.capacity.unwrap_or(usual.drain_capacity),
            latency_capacity: self.capacity.unwrap_or(usual.latency_capacity),
            loads: or(&self.loads, usual.loads),
            blocks: or(&self.blocks, usual.blocks),
            block_sizes: or(&self.block_size, usual.block_sizes),
            cores: self.cores.cores.clone(),
            rounds: self.rounds.map_or(usual.rounds, |rounds| rounds as usize),
            slice: self.slice.map_or(usual.slice, Duration::from_millis),
            ..usual
        }
    }

    /// Runs the requested measurements, and shows and writes nothing.
    pub(crate) fn measure(&self, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
        mpmc::run(&self.plan(), stop, observer)
    }
}

impl Job for MpmcArgs {
    fn outlook(&self) -> Result<String> {
        results::outlook(&self.files, mpmc::outlook(&self.plan()))
    }

    /// Measures, prints the tables, and writes the files.
    fn run(&self) -> Result<u8> {
        if self.list {
            return results::list(mpmc::subjects().iter().map(|subject| subject.name()));
        }
        let plan = self.plan();
        results::run(
            &self.files,
            &self.cores,
            |stop, observer| mpmc::run(&plan, stop, observer),
            mpmc::render,
            |findings| about(&plan, findings),
        )
    }
}

/// Returns the page's facts about a run.
fn about(plan: &Plan, findings: &Findings) -> About {
    let method = [
        "All queues are measured in one process, in turn: A B C, A B C, ... A round before the first finds out how many items fill a \
         measurement, and is not counted.",
        "While there are cores, each thread is pinned to one of its own, and producers and consumers alternate. A thread whose call fails gives the core a \
         pause hint, and after every 64 failures in a row offers it to other threads; the same for all queues.",
        "Every run checks how many items came, and their sum.",
        "A figure is the median over the rounds. Ratios are speeds: 2.00 is twice as fast.",
    ];
    let capacity =
        format!("{} items, drain: {}, latency: {}", plan.capacity, plan.drain_capacity, plan.latency_capacity);
    results::about(findings, [("Capacity", capacity), results::runs(findings, plan.slice)], &method)
}
