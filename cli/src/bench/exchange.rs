//! `aqueduct bench exchange`: workloads of whole programs.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use aqueduct_bench_exchange::exchange::{self, Experiment, Plan};
use aqueduct_measure::rounds::{Findings, Observer};

use super::knobs::Knobs;
use super::results::or;
use crate::job::Job;

/// Options of `aqueduct bench exchange`.
///
/// Workloads of several threads and queues, beside the queues in common use for them. Every run is
/// checked: each item came once and in order.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ExchangeArgs {
    /// Experiments to run, see below [default: all]
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<Experiment>,
    /// Sizes of the queue of submissions, powers of two
    #[arg(long, value_delimiter = ',', value_name = "ENTRIES", default_values_t = [32, 1024])]
    submissions: Vec<usize>,
    /// Producers in `multicast` beside one consumer, and consumers beside one producer
    #[arg(long, value_delimiter = ',', value_name = "COUNT", default_values_t = [1, 3])]
    sides: Vec<usize>,
    /// Events that can be in flight, a power of two
    #[arg(long, value_name = "EVENTS", default_value_t = 65_536)]
    events: usize,
    #[command(flatten)]
    knobs: Knobs,
}

const AFTER_HELP: &str = "\
Experiments:
  io_uring   a queue of submissions and one of completions, three threads, against a ring of that kind
  multicast  events that every consumer sees, against the `disruptor` crate and a queue with a lock

Examples:
  aqueduct bench exchange --quick --html page.html
  aqueduct bench exchange io_uring --submissions 32,256,1024 --json runs.jsonl";

impl ExchangeArgs {
    fn plan(&self) -> Plan {
        Plan {
            experiments: or(&self.experiments, Experiment::built()),
            peers: self.knobs.peers(),
            submissions: self.submissions.clone(),
            sides: self.sides.clone(),
            events: self.events,
            cores: self.knobs.cores(),
            pace: self.knobs.pace(),
        }
    }

    /// Runs the requested measurements, and shows and writes nothing.
    pub(crate) fn measure(&self, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
        exchange::run(&self.plan(), stop, observer)
    }
}

impl Job for ExchangeArgs {
    fn outlook(&self) -> Result<String> {
        self.knobs.outlook(exchange::outlook(&self.plan()))
    }

    /// Measures, prints the tables, and writes the files.
    fn run(&self) -> Result<u8> {
        let plan = self.plan();
        self.knobs.run(
            |stop, observer| exchange::run(&plan, stop, observer),
            &[
                "Requests are of 64 bytes, confirmations of 16; the queue of confirmations is twice as large. A batch of 0 is a random \
                 one of 1 to 32.",
                "For several consumers a queue's producer pushes to as many queues; a Disruptor's consumers see the same slots. Consumers \
                 take all events, at most 256 events at once.",
                "Every run checks that each item came once and in order.",
            ],
        )
    }
}
