//! `aqueduct bench steal`: work-stealing queues.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use aqueduct_bench_steal::{self as steal, Experiment, Findings, Plan, Policy};
use aqueduct_measure::report::html::About;
use aqueduct_measure::report::table;
use aqueduct_measure::rounds::Observer;

use super::results::{self, or};
use crate::cores::Cores;
use crate::guides::GUIDES;
use crate::job::Job;
use crate::output::Files;

/// Options of `aqueduct bench steal`.
///
/// Every queue is measured in turn (A B C, A B C, ...), owner and thief pinned to a core each. Each
/// run is checked: how many items came out, and their sum. The tables show medians over the rounds.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct StealArgs {
    /// Experiments to run, see below [default: all]
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<Experiment>,
    /// Shorter and fewer runs, two policies: ends within a minute
    #[arg(long)]
    quick: bool,
    /// Queues to measure, ours and others, separated by commas: a crate or a queue of it [default:
    /// all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    queues: Vec<String>,
    /// Leave out other crates' queues
    #[arg(long)]
    no_peers: bool,
    /// Leave out the bounds: arrays without theft, and one with a precomputed split between owner
    /// and thief
    #[arg(long)]
    no_bounds: bool,
    /// The percentage of items that are stolen, of reads of the size in `looked`, or of turns in
    /// `lines`, 0 to 50 [default: 0,10,20,50]
    #[arg(long, value_delimiter = ',', value_name = "PERCENT")]
    stolen: Vec<u32>,
    /// Items per steal; 1 is the single-item interface [default: 1,32]
    #[arg(long, value_delimiter = ',', value_name = "ITEMS")]
    batch: Vec<usize>,
    /// Percentage of a filling that the members of a pool attempt to steal, 0 to 100 [default:
    /// 0,10,100, quick: 0,100]
    #[arg(long, value_delimiter = ',', value_name = "PERCENT")]
    factors: Vec<u32>,
    /// The queues that they steal from: random, sequential, last, best_of_two, best_of_many, near,
    /// each with or without `+chance` [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME", value_parser = policy)]
    policies: Vec<Policy>,
    /// Numbers of blocks, in `blocks` [default: 2,4,8,16,32,64,128]
    #[arg(long, value_delimiter = ',', value_name = "COUNT")]
    blocks: Vec<usize>,
    /// Items of a filling; also the queues' capacity
    #[arg(long, value_name = "ITEMS", default_value_t = 8192)]
    capacity: usize,
    /// The number of times that everything is measured [default: 11, quick: 5]
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
  alone   the owner fills the queue and drains it, with no thief
  stolen  a thief takes a share of the items: items per second of both (stolen_10: 10 %), and the owner's in the time
          without its waits for the thief (owner_10)
  looked  a thief reads the number of items, as often as it would steal, and takes none: the owner's rate (looked_10)
  lines   a thread writes one cache line, or one of 64, and another one writes or reads them too in a share of its turns: turns of
          the first one (lines_written_10, lines_read_10)
  blocks  our queues in fewer and in more blocks (:8x1024, 8 blocks of 1024 entries): alone, and with 10 % stolen
  hungry  two items in a queue of 64-entry blocks and an idle thief: the owner's operations until the thief has one; and
          the time until then if the owner stops (idle)
  pool    eight queues: each owner fills its own, drains it, and attempts to steal a share of a filling from the others (pool_10:
          10 %); puts, gets and steals per second, and how many attempts had an item (pool_10_stolen)
  join    fork and join by a worker on each core: two spins of 20 us, one of them forked (join_pair), a scope of eight forked
          spins (join_scope), and a recursion that forks in each call (join_fib: tasks per second, and the share of stolen ones)
  tree    the files of a tree in memory are hashed by a worker on each core, a task for each file and each directory: files of
          64 bytes to 64 KiB (tree), and of 64 bytes (tree_small); the share of the tasks that were stolen (tree_stolen), and how
          many in a hundred attempts on single queues had one (tree_steals)

Examples:
  aqueduct bench steal --quick --html page.html
  aqueduct bench steal alone --rounds 21
  aqueduct bench steal stolen --stolen 10,20 --batch 1 --queues bwos_lifo,crossbeam-deque --json runs.jsonl
  aqueduct bench steal hungry --no-peers
  aqueduct bench steal pool --factors 50 --policies random,near,near+chance";

fn policy(name: &str) -> Result<Policy, String> {
    Policy::named(name).ok_or_else(|| {
        let valid: Vec<String> = Policy::all().into_iter().map(Policy::name).collect();
        format!("there is no policy of that name; there are: {}", valid.join(", "))
    })
}

impl StealArgs {
    fn plan(&self) -> Plan {
        let usual = if self.quick { Plan::quick() } else { Plan::full() };
        Plan {
            experiments: or(&self.experiments, usual.experiments),
            queues: self.queues.clone(),
            peers: !self.no_peers,
            bounds: !self.no_bounds,
            percents: or(&self.stolen, usual.percents),
            batches: or(&self.batch, usual.batches),
            factors: or(&self.factors, usual.factors),
            policies: or(&self.policies, usual.policies),
            blocks: or(&self.blocks, usual.blocks),
            capacity: self.capacity,
            cores: self.cores.cores.clone(),
            rounds: self.rounds.map_or(usual.rounds, |rounds| rounds as usize),
            slice: self.slice.map_or(usual.slice, Duration::from_millis),
            ..usual
        }
    }

    /// Runs the requested measurements, and shows and writes nothing.
    pub(crate) fn measure(&self, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
        steal::run(&self.plan(), stop, observer)
    }
}

impl Job for StealArgs {
    fn outlook(&self) -> Result<String> {
        results::outlook(&self.files, steal::outlook(&self.plan()))
    }

    /// Measures, prints the tables, and writes the files.
    fn run(&self) -> Result<u8> {
        if self.list {
            return results::list(steal::subjects().iter().map(|subject| subject.name()));
        }
        let plan = self.plan();
        results::run(
            &self.files,
            &self.cores,
            |stop, observer| steal::run(&plan, stop, observer),
            |records| table::render(records, GUIDES),
            |findings| about(&plan, findings),
        )
    }
}

/// Returns the page's facts about a run.
fn about(plan: &Plan, findings: &Findings) -> About {
    let method = [
        "All queues are measured in one process, in turn: A B C, A B C, ... A round before the first finds out how much fills a \
         measurement, and is not counted.",
        "The owner is pinned to the first core, the thief to the second. Where either cannot go on, it gives the core a pause hint, and \
         after every 64 of them in a row offers it to other threads; the same for all queues.",
        "With a thief, the owner leaves it its share, and waits for it where it is behind by more than half the share of a filling, so \
         that all queues are measured with the same share. `stolen_10` counts all items and all the time; `owner_10` counts the \
         owner's operations and the time in which it was not waiting.",
        "A pool has eight members, distributed over the cores, without SMT siblings where there are eight; the first four are near each other and the last four. \
         Each fills its queue, drains it, and attempts to steal, by its policy, from the other seven. Other crates' queues are stolen \
         from by the same policies, but for those that their interfaces do not allow.",
        "Every run checks how many items came out, and their sum.",
        "A figure is the median over the rounds. Ratios are speeds: 2.00 is twice as fast. Bounds are arrays without atomics, which \
         nobody can steal from; `divided_ring` divides the items between owner and thief in advance.",
    ];
    let capacity = format!("{} items", plan.capacity);
    results::about(findings, [("Capacity", capacity), results::runs(findings, plan.slice)], &method)
}
