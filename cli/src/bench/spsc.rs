//! `aqueduct bench spsc`: the experiments, with every knob.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use aqueduct_bench_spsc::{self as spsc, Experiment, Findings, Plan, Wait};
use aqueduct_measure::machine::{self, Machine};
use aqueduct_measure::record::{Payload, WORD};
use aqueduct_measure::report::html::About;
use aqueduct_measure::report::table;
use aqueduct_measure::rounds::Observer;
use clap::ValueEnum;

use super::knobs::item_bytes;
use super::{names, results};
use crate::cores::Cores;
use crate::guides::GUIDES;
use crate::job::Job;
use crate::output::{self, Files};
use crate::{Misuse, SUCCESS};

/// Options of `aqueduct bench spsc`.
///
/// Every queue is measured in turn (A B C, A B C, ...), pinned to two cores, and each run is
/// checked for order and checksum. The tables show medians over the rounds.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct SpscArgs {
    /// Experiments to run, see below [default: all]
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<Experiment>,
    /// Shorter and fewer runs: ends within 60 s
    #[arg(long)]
    quick: bool,
    /// Our queues to measure, separated by commas, or `none` [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    queues: Vec<String>,
    /// Peers to measure: a crate or a queue of it, separated by commas, or `none` [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    peers: Vec<String>,
    /// Leave out the bounds: the limits of the machine, without any queue
    #[arg(long)]
    no_bounds: bool,
    #[command(flatten)]
    cores: Cores,
    /// Items that a queue can hold
    #[arg(long, value_name = "ITEMS", default_value_t = 4096)]
    capacity: usize,
    /// Batch sizes; 1 is the single-item interface
    #[arg(long, value_delimiter = ',', value_name = "ITEMS", default_values_t = [1, 32])]
    batch: Vec<usize>,
    /// Bytes of an item: 8, 16, 64, 256 or 4096. Above 8 only throughput is measured, of the queues
    /// that people use
    #[arg(long, value_name = "BYTES", value_parser = item_bytes, default_value_t = WORD)]
    item_bytes: usize,
    /// Where the values live: in the slots or behind pointers [default: both]
    #[arg(long, value_delimiter = ',', value_name = "WHERE")]
    payload: Vec<PayloadName>,
    /// The number of times that everything is measured [default: 11, quick: 5]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: Option<u32>,
    /// Milliseconds of one measurement [default: 20, quick: 8]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=60_000))]
    time: Option<u64>,
    /// Milliseconds of one cell of a load matrix [default: 4, quick: 1]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=60_000))]
    cell_time: Option<u64>,
    /// Start no further round when this many seconds have passed [default: none, quick: 45]
    #[arg(long, value_name = "SECONDS")]
    limit: Option<u64>,
    /// Measure load matrices of the peers too
    #[arg(long)]
    matrix_peers: bool,
    // The plan's defaults are in its help.
    #[arg(long, value_enum, value_name = "HOW", help = wait_help())]
    wait: Option<WaitName>,
    /// Show the names of all queues, peers and bounds, and measure nothing
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    files: Files,
}

const AFTER_HELP: &str = "\
Experiments:
  throughput       items per second, without further work
  regime           the same in the regimes FP (fast producer), FC (fast consumer) and NOLOAD
  load             the same for each pair of emulated loads, 0 to 90 ns on either side: 10 x 10 matrices
  perceived_batch  items between two stalls of the producer and of the consumer, per regime
  pingpong         round trips of a single item, and their distribution
  uncontended      push and pop on one thread
  l1_misses        L1 misses per item, by the processor's counters, per regime; with `load` per item of each pair of loads,
                   with `pingpong` per round trip

Examples:
  aqueduct bench spsc --quick --html page.html
  aqueduct bench spsc pingpong --queues ring,fast_forward --peers rtrb,ringbuf
  aqueduct bench spsc throughput --batch 1,8,32 --capacity 1024 --cores 0,1 --rounds 21 --json runs.jsonl
  aqueduct bench spsc load --queues ring --peers none --payload embedded --batch 1

Buffers of indirect payload are on huge pages where the system has them. Queues are, too, with glibc 2.35 or later and
  GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=16777216 aqueduct bench spsc ...";

/// The place of values.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum PayloadName {
    Embedded,
    Indirect,
}

/// A thread's action while it has to wait.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum WaitName {
    /// Try again at once
    Retry,
    /// Give the core a pause hint first
    Pause,
    /// One pause hint after the first failure in a row, then two, four, up to 64
    Backoff,
    /// Yield the core to other threads first
    Yield,
}

impl From<WaitName> for Wait {
    fn from(name: WaitName) -> Self {
        match name {
            WaitName::Retry => Self::Retry,
            WaitName::Pause => Self::Pause,
            WaitName::Backoff => Self::Backoff,
            WaitName::Yield => Self::Yield,
        }
    }
}

/// Returns the help of `--wait`, with the defaults.
fn wait_help() -> String {
    let name = |wait: Wait| {
        let of_wait = WaitName::value_variants().iter().find(|&&name| Wait::from(name) == wait);
        let value = of_wait.and_then(ValueEnum::to_possible_value).expect("each way to wait has a name");
        value.get_name().to_owned()
    };
    let usual = Plan::full();
    format!(
        "What a thread does while the queue is full or empty, in `throughput` and `pingpong` [default: {} and {}, which serve the \
         peers best]",
        name(usual.stream_wait),
        name(usual.bounce_wait)
    )
}

impl SpscArgs {
    fn plan(&self) -> Result<Plan, Misuse> {
        let mut plan = if self.quick { Plan::quick() } else { Plan::full() };
        if !self.experiments.is_empty() {
            plan.experiments.clone_from(&self.experiments);
        }
        plan.queues = names::ours(&self.queues)?;
        plan.peer_filter = names::peers(&self.peers)?;
        plan.bounds = !self.no_bounds;
        plan.cores.clone_from(&self.cores.cores);
        plan.capacity = self.capacity;
        plan.item_bytes = self.item_bytes;
        plan.batches.clone_from(&self.batch);
        if !self.payload.is_empty() {
            plan.payloads = self.payload.iter().map(|name| payload(*name)).collect();
        }
        if let Some(rounds) = self.rounds {
            plan.rounds = rounds as usize;
        }
        if let Some(time) = self.time {
            plan.slice = Duration::from_millis(time);
        }
        if let Some(time) = self.cell_time {
            plan.matrix_slice = Duration::from_millis(time);
        }
        if let Some(limit) = self.limit {
            plan.limit = Some(Duration::from_secs(limit).into());
        }
        plan.matrix_peers = self.matrix_peers;
        if let Some(wait) = self.wait {
            (plan.stream_wait, plan.bounce_wait) = (wait.into(), wait.into());
        }
        Ok(plan)
    }

    /// Runs the requested measurements, and shows and writes nothing.
    pub(crate) fn measure(&self, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
        spsc::run(&self.plan().map_err(|Misuse(why)| why)?, stop, observer)
    }
}

fn payload(name: PayloadName) -> Payload {
    match name {
        PayloadName::Embedded => Payload::Embedded,
        PayloadName::Indirect => Payload::Indirect,
    }
}

impl Job for SpscArgs {
    fn outlook(&self) -> Result<String> {
        results::outlook(&self.files, spsc::outlook(&self.plan()?))
    }

    /// Measures, prints the tables, and writes the files.
    fn run(&self) -> Result<u8> {
        if self.list {
            output::print(&names::list())?;
            return Ok(SUCCESS);
        }
        let plan = self.plan()?;
        results::run(
            &self.files,
            &self.cores,
            |stop, observer| spsc::run(&plan, stop, observer),
            |records| table::render(records, GUIDES),
            |findings| about(&plan, findings),
        )
    }
}

/// Returns the page's facts about a run.
fn about(plan: &Plan, findings: &Findings) -> About {
    let method = [
        "All queues are measured in one process, in turn: A B C, A B C, ... A round before the first warms up and is not counted.",
        "Producer and consumer are pinned to a core each. Every run checks that all items arrive once and in order.",
        "A figure is the median over the rounds. Ratios are speeds: 2.00 is twice as fast.",
        "Bounds are not queues: they are the machine's limits for a queue that costs nothing.",
    ];
    let facts = [
        ("Caches", caches_in_words()),
        ("Cores", cores_in_words(plan)),
        ("Capacity", format!("{} items", plan.capacity)),
        results::runs(findings, plan.slice),
    ];
    results::about(findings, facts, &method)
}

fn caches_in_words() -> String {
    let caches: Vec<String> = Machine::here().caches.iter().map(|(name, size)| format!("{name} {size}")).collect();
    if caches.is_empty() { "unknown".to_owned() } else { caches.join(", ") }
}

fn cores_in_words(plan: &Plan) -> String {
    match machine::Cores::choose(&plan.cores) {
        Ok(machine::Cores { producer: Some(producer), consumer: Some(consumer) }) => {
            format!("producer on core {producer}, consumer on core {consumer}")
        }
        _ => "not pinned".to_owned(),
    }
}
