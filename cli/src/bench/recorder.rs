//! `aqueduct bench recorder`: the cost of a recorded event.

use anyhow::Result;
use aqueduct_bench_recorder::{self as recorder, Experiment, Plan};

use super::knobs::Knobs;
use super::results::{self, or};
use crate::job::Job;

/// Options of `aqueduct bench recorder`.
///
/// The flight recorder beside other recorders and logs. Output that others format and write in a
/// thread of their own is discarded.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct RecorderArgs {
    /// Experiments to run, see below [default: all]
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<Experiment>,
    /// Recorders to measure, ours and others, separated by commas: a crate or a recorder of it
    /// [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    recorders: Vec<String>,
    /// Numbers of threads that record [default: 1,2,4,8, quick: 1,4]
    #[arg(long, value_delimiter = ',', value_name = "COUNT")]
    producers: Vec<usize>,
    /// Numeric fields of an event: 0, 1 or 4 [default: 0,1,4, quick: 1]
    #[arg(long, value_delimiter = ',', value_name = "COUNT", value_parser = fields)]
    fields: Vec<usize>,
    /// Show all recorders, and measure nothing
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    knobs: Knobs,
}

const AFTER_HELP: &str = "\
Experiments:
  latency     an event in a batch of 20, with gaps between batches: its time, and that of the slowest ones
  spans       the start of a span and its end, in such batches
  throughput  events without gaps: events per second, and bytes of each
  vswitch     packets that the virtual switch forwards, with an event for each and without
  hyper       requests that a server of the crate hyper answers, with an event for each and without
  budget      one memory for many threads: a ring for each, or one that all share

Examples:
  aqueduct bench recorder --quick
  aqueduct bench recorder latency --producers 4 --fields 1 --rounds 21
  aqueduct bench recorder latency spans --recorders aqueduct,tracing --json runs.jsonl";

/// Parses a value of `--fields`.
fn fields(text: &str) -> Result<usize, String> {
    let asked = text.trim().parse().ok().filter(|count| [0, 1, 4].contains(count));
    asked.ok_or_else(|| "0, 1 and 4 are possible".to_owned())
}

impl RecorderArgs {
    fn plan(&self) -> Plan {
        let (threads, fields) =
            if self.knobs.is_quick() { (vec![1, 4], vec![1]) } else { (vec![1, 2, 4, 8], vec![0, 1, 4]) };
        Plan {
            experiments: or(&self.experiments, Experiment::ALL.to_vec()),
            queues: self.recorders.clone(),
            peers: self.knobs.peers(),
            threads: or(&self.producers, threads),
            fields: or(&self.fields, fields),
            cores: self.knobs.cores(),
            pace: self.knobs.pace(),
        }
    }
}

impl Job for RecorderArgs {
    fn outlook(&self) -> Result<String> {
        self.knobs.outlook(recorder::outlook(&self.plan()))
    }

    /// Measures, prints the tables, writes the requested files.
    fn run(&self) -> Result<u8> {
        if self.list {
            return results::list(recorder::names());
        }
        let plan = self.plan();
        self.knobs.run(
            |stop, observer| recorder::run(&plan, stop, observer),
            &[
                "Batches have 20 events, and a gap of 20 microseconds before the next one; a time is that of a batch divided by 20, the \
                 clock's own included. `bound/clock` reads the clock for each event and does nothing else.",
                "Logs and subscribers write to nowhere, in threads of their own where they have them, which take part of the cores.",
                "Bytes are those in memory, headers of blocks included.",
            ],
        )
    }
}
