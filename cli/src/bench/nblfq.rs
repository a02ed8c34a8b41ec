//! `aqueduct bench nblfq`: lock-free queues for many producers and consumers.

use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use aqueduct_bench_mpmc::nblfq::{self, CAPACITIES, Experiment, Plan};
use aqueduct_measure::rounds::{Findings, Observer};

use super::knobs::Knobs;
use super::results::or;
use crate::job::Job;
use crate::output;
use crate::{Misuse, SUCCESS};

/// Options of `aqueduct bench nblfq`.
///
/// Lock-free queues beside queues in common use. Every run is checked: how many items came and
/// their sum, or that each message was answered once.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct NblfqArgs {
    /// Experiments to run, see below [default: all]
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<Experiment>,
    /// Queues to measure, ours and others, separated by commas: a crate or a queue of it [default:
    /// all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    queues: Vec<String>,
    /// Numbers of producers and of as many consumers, and of threads of a node that send messages
    #[arg(long, value_delimiter = ',', value_name = "COUNT", default_values_t = [1, 2, 4])]
    threads: Vec<usize>,
    /// Threads of a node that serve the socket, in `threads`
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    workers: usize,
    /// Items that a queue can hold. `nblfq` and `nblfq_wide` have it in their type and take part
    /// with 16, 128 or 1024
    #[arg(long, value_name = "ITEMS", default_value_t = 1024)]
    capacity: usize,
    /// Show all queues and their guarantees, and measure nothing
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    knobs: Knobs,
}

const AFTER_HELP: &str = "\
Experiments:
  pairs    N producers and N consumers: items per second
  alone    a push and a pop on one thread
  single   round trips of messages between two nodes of one thread each, over a datagram socket of this machine; each node has a
           queue of submissions and one of completions
  processes  single, with a process for each node
  threads  the same with N threads and some workers a node

Examples:
  aqueduct bench nblfq --quick --html page.html
  aqueduct bench nblfq pairs --threads 1 --rounds 21
  aqueduct bench nblfq single threads --queues aqueduct,published,crossbeam-queue --json runs.jsonl
  aqueduct bench nblfq pairs --capacity 16 --no-peers";

impl NblfqArgs {
    fn plan(&self) -> Plan {
        Plan {
            experiments: or(&self.experiments, Experiment::built()),
            queues: self.queues.clone(),
            peers: self.knobs.peers(),
            threads: self.threads.clone(),
            workers: self.workers,
            capacity: self.capacity,
            cores: self.knobs.cores(),
            pace: self.knobs.pace(),
        }
    }

    /// Runs the requested measurements, and shows and writes nothing.
    pub(crate) fn measure(&self, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
        nblfq::run(&self.plan(), stop, observer)
    }
}

impl Job for NblfqArgs {
    fn outlook(&self) -> Result<String> {
        self.knobs.outlook(nblfq::outlook(&self.plan()))
    }

    /// Measures, prints the tables, and writes the files.
    fn run(&self) -> Result<u8> {
        if self.list {
            output::print(&list()?)?;
            return Ok(SUCCESS);
        }
        let plan = self.plan();
        self.knobs.run(
            |stop, observer| nblfq::run(&plan, stop, observer),
            &[
                "A message is 8 bytes. It is submitted, sent by a worker of its node, handed on by one of the other node, answered, and \
                 comes back the same way: four pushes and four pops. No thread blocks in the system.",
                "Threads 1x0 are a node of one thread, which is its own worker; NxW are N threads and W workers of each node. The threads \
                 of a node share its two queues.",
                "Where there are more threads than cores, a thread that waits for a message yields at once.",
                "Every run checks how many items came and their sum, or that each message was answered once.",
            ],
        )
    }
}

/// Returns the queues, by their guarantees.
fn list() -> Result<String> {
    let all = nblfq::contestants(CAPACITIES[0]).map_err(Misuse)?;
    let mut out = String::new();
    for progress in nblfq::Progress::ALL {
        let _ = writeln!(out, "{}:", progress.words());
        for one in all.iter().filter(|one| one.progress == progress) {
            let _ = writeln!(out, "  {}", one.name);
        }
    }
    Ok(out)
}
