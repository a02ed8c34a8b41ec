//! `aqueduct bench drop-old`: queues that overwrite items not read in time.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use aqueduct_bench_exchange::drop_old::{self, Experiment, Plan};
use aqueduct_measure::rounds::{Findings, Observer};

use super::knobs::Knobs;
use super::results::or;
use crate::job::Job;

/// Options of `aqueduct bench drop-old`.
///
/// Producers write, without a reader and with one. Every run is checked: each written item was read
/// or lost, and each producer's items came in order.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct DropOldArgs {
    /// Experiments to run, see below [default: all]
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<Experiment>,
    /// Numbers of producers
    #[arg(long, value_delimiter = ',', value_name = "COUNT", default_values_t = [1, 2, 4])]
    producers: Vec<usize>,
    /// Numbers of items that a reader asks for at a time, in `written`; more than 1 where readers
    /// can read slices [default: those of 1, 8 and 32 that are not above the capacity]
    #[arg(long, value_delimiter = ',', value_name = "ITEMS")]
    batch: Vec<usize>,
    /// Items that a queue keeps
    #[arg(long, value_name = "ITEMS", default_value_t = 4096)]
    capacity: usize,
    #[command(flatten)]
    knobs: Knobs,
}

const AFTER_HELP: &str = "\
Experiments:
  written    items per second as fast as producers can, the slowdown by a reader, and the share that it gets
  complex    as `written`, with memory that is allocated and freed for each write, and pauses of up to 100 no-ops
  profiling  time of a write at 10,000 a second from each producer; the reader takes 1,000 a second

Examples:
  aqueduct bench drop-old --quick
  aqueduct bench drop-old profiling --producers 1,2,8
  aqueduct bench drop-old --producers 1 --capacity 65536 --json runs.jsonl";

impl DropOldArgs {
    fn plan(&self) -> Plan {
        Plan {
            experiments: or(&self.experiments, Experiment::built()),
            producers: self.producers.clone(),
            batches: or(&self.batch, [1, 8, 32].into_iter().filter(|&batch| batch <= self.capacity.max(1)).collect()),
            peers: self.knobs.peers(),
            capacity: self.capacity,
            cores: self.knobs.cores(),
            pace: self.knobs.pace(),
        }
    }

    /// Runs the requested measurements, and shows and writes nothing.
    pub(crate) fn measure(&self, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
        drop_old::run(&self.plan(), stop, observer)
    }
}

impl Job for DropOldArgs {
    fn outlook(&self) -> Result<String> {
        self.knobs.outlook(drop_old::outlook(&self.plan()))
    }

    /// Measures, prints the tables, and writes the files.
    fn run(&self) -> Result<u8> {
        let plan = self.plan();
        self.knobs.run(
            |stop, observer| drop_old::run(&plan, stop, observer),
            &[
                "Each measurement is made twice, without a reader and with one; the loss is of these two.",
                "A producer's rate is taken over the time for which it had a core.",
                "Every run checks that each written item was either read or lost, and the order of each producer's items.",
            ],
        )
    }
}
