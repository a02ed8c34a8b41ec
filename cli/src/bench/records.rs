//! `aqueduct bench records`: queues of records of any length.

use anyhow::Result;
use aqueduct_bench_exchange::records::{self, LONGEST, Plan};
use aqueduct_measure::rounds::Threads;

use super::knobs::Knobs;
use super::results;
use crate::job::Job;

/// Options of `aqueduct bench records`.
///
/// Producers write records of 8 to 256 bytes, consumers read each byte. Every run is checked: how
/// many records came whole, and the sum of their numbers.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct RecordsArgs {
    /// Queues to measure, ours and others, separated by commas: a crate or a queue of it [default:
    /// all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    queues: Vec<String>,
    /// Numbers of producers and consumers
    #[arg(long, value_delimiter = ',', value_name = "PxC", default_values_t = [Threads::PAIR, Threads::new(2, 1), Threads::new(2, 2)])]
    threads: Vec<Threads>,
    /// Bytes that a queue has for records
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 18)]
    capacity: usize,
    /// Show the names of all queues, and measure nothing
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    knobs: Knobs,
}

const AFTER_HELP: &str = "\
Examples:
  aqueduct bench records --quick --html page.html
  aqueduct bench records --threads 1x1 --queues records_spsc,bbqueue --rounds 21 --json runs.jsonl";

impl RecordsArgs {
    fn plan(&self) -> Plan {
        Plan {
            queues: self.queues.clone(),
            peers: self.knobs.peers(),
            threads: self.threads.clone(),
            capacity: self.capacity,
            cores: self.knobs.cores(),
            pace: self.knobs.pace(),
        }
    }
}

impl Job for RecordsArgs {
    fn outlook(&self) -> Result<String> {
        self.knobs.outlook(records::outlook(&self.plan()))
    }

    /// Measures, prints the tables, and writes the files.
    fn run(&self) -> Result<u8> {
        if self.list {
            return results::list(records::contestants().iter().map(|one| one.name));
        }
        let plan = self.plan();
        let lengths = format!("Records have 8 to {LONGEST} bytes, by their numbers, the same in each run.");
        self.knobs.run(
            |stop, observer| records::run(&plan, stop, observer),
            &[
                &lengths,
                "Our queues and bbqueue's hold the records; the others hold boxes, as many as have room in as many bytes if their \
                 lengths are the mean.",
                "Every run checks that all records came whole, and the sum of their numbers.",
            ],
        )
    }
}
