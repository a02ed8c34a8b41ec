//! The command line: the program's options.

#[cfg(all(test, feature = "checkers", feature = "workloads"))]
mod defaults;
#[cfg(all(test, not(feature = "workloads")))]
mod plain;

use aqueduct_vswitch::command::VswitchArgs;
use clap::{Parser, Subcommand};

use crate::bench::Bench;
use crate::checkers::{LitmusArgs, VerifyArgs, ZooArgs};
use crate::compare::CompareArgs;
use crate::job::Job;
use crate::paper::PaperArgs;
use crate::report::ReportArgs;
use crate::trace::TraceArgs;

/// Fast queues between cores, measured on your machine.
///
/// Without a command, `aqueduct compare` runs.
#[derive(Debug, Parser)]
#[command(name = "aqueduct", version, max_term_width = 100, after_help = AFTER_HELP)]
pub(crate) struct Options {
    /// Check the command line and describe the run, without running it
    #[arg(long, global = true)]
    pub(crate) dry_run: bool,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The program's commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See within 90 s how our queues do on this machine, and which to use for what (the default)
    Compare(CompareArgs),
    /// Measure one family of queues, with every knob
    #[command(subcommand)]
    Bench(Bench),
    /// Measure a virtual Ethernet switch on our queues, or forward a capture through it
    Vswitch(VswitchArgs),
    /// Run C litmus tests through the weak-memory model checker
    Litmus(LitmusArgs),
    /// Check our queues under the weak-memory model checker: every execution of every client
    Verify(VerifyArgs),
    /// Run each checker on real bugs, and show which ones it finds
    Zoo(ZooArgs),
    /// Run the experiments of a paper, and write a page: each claim, our figure, and whether it
    /// holds here
    Paper(PaperArgs),
    /// Show, filter, count or convert the events in a flight recorder's file
    Trace(TraceArgs),
    /// Show JSON lines of earlier runs as tables or as a page
    Report(ReportArgs),
}

impl Default for Command {
    fn default() -> Self {
        Self::Compare(CompareArgs::default())
    }
}

impl Command {
    /// Returns the command as a job.
    pub(crate) fn job(self) -> Box<dyn Job> {
        match self {
            Self::Bench(bench) => bench.job(),
            Self::Compare(args) => Box::new(args),
            Self::Vswitch(args) => Box::new(args),
            Self::Litmus(args) => Box::new(args),
            Self::Verify(args) => Box::new(args),
            Self::Zoo(args) => Box::new(args),
            Self::Paper(args) => Box::new(args),
            Self::Trace(args) => Box::new(args),
            Self::Report(args) => Box::new(args),
        }
    }
}

const AFTER_HELP: &str = "\
Examples:
  aqueduct                                   compare, and write aqueduct-report.html here
  aqueduct bench spsc --quick                every experiment within 60 s
  aqueduct bench spsc throughput --queues ring,lamport --peers rtrb --json runs.jsonl
  aqueduct bench mpmc --threads 2x2,8x8       many producers and many consumers
  aqueduct vswitch --pcap traffic.pcap --out received
  aqueduct report runs.jsonl --html page.html
  aqueduct verify stamped_line               check every execution of the ring's clients (feature `checkers`)";
