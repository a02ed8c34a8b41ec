//! The program's options.

use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use aqueduct_bench_dpdk::{Experiment, Plan, follow, run, self_test};
use aqueduct_measure::machine::Machine;
use aqueduct_measure::report::json;
use aqueduct_measure::rounds::{self, Pace, Quiet};
use clap::Parser;

/// Packets between processes by DPDK's interface of ports, with aqueduct's queues in place of
/// DPDK's ring.
///
/// Needs memory in huge pages: as root, `echo 256 > /proc/sys/vm/nr_hugepages` and
/// `mount -t hugetlbfs nodev /mnt`.
#[derive(Debug, Parser)]
#[command(version, after_help = AFTER_HELP)]
struct Options {
    /// Experiments to run, see below [default: all]
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<Experiment>,
    /// Shorter and fewer runs: ends within a minute
    #[arg(long)]
    quick: bool,
    /// Leave out DPDK's rings
    #[arg(long)]
    no_peers: bool,
    /// The number of times that everything is measured [default: 11, quick: 3]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: Option<u32>,
    /// Milliseconds of one measurement [default: 200, quick: 50]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=60_000))]
    slice: Option<u64>,
    /// Cores of the sending process and of its two clients [default: all usable ones]
    #[arg(long, value_delimiter = ',', value_name = "CORES")]
    cores: Vec<usize>,
    /// Write every record as one line of JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Run the tests that DPDK's software event device brings, with aqueduct's queue, and measure
    /// nothing
    #[arg(long)]
    self_test: bool,
    /// Be the client of that number
    #[arg(long, hide = true, requires_all = ["core", "prefix"])]
    client: Option<usize>,
    /// The client's core
    #[arg(long, hide = true)]
    core: Option<usize>,
    /// The prefix that distinguishes the processes of one run from others
    #[arg(long, hide = true)]
    prefix: Option<String>,
    /// More options for DPDK, such as `--huge-dir`
    #[arg(last = true, value_name = "OPTION")]
    dpdk: Vec<String>,
}

const AFTER_HELP: &str = "\
Experiments:
  l2fwd       a process sends packets to another one, which sends them back, in bursts of 32
  round_trip  a packet is sent when the one before has come back
  clients     a process hands packets to two others, which send them back into one queue
  stops       one of the two is stopped at an instruction: how often do packets of the other one still come, and its calls come back?
  call        a push and a pop of one thread, by calls and by DPDK's inline functions
  pipeline    events go through two stages of DPDK's software event device (see the README of this package)

Examples:
  aqueduct-dpdk --quick
  aqueduct-dpdk l2fwd --rounds 21 --json runs.jsonl -- --huge-dir /mnt";

/// Measures, and prints the tables.
///
/// # Errors
/// What is wrong with the options, with DPDK, or with a queue.
pub(crate) fn main() -> Result<()> {
    let options = Options::parse();
    if let (Some(client), Some(core), Some(prefix)) = (options.client, options.core, &options.prefix) {
        return follow(client, core, prefix, &options.dpdk).map_err(anyhow::Error::msg);
    }
    if options.self_test {
        return self_test(&options.dpdk).map_err(anyhow::Error::msg);
    }
    let (rounds, slice) = if options.quick { (3, 50) } else { (11, 200) };
    let (rounds, slice) = (options.rounds.unwrap_or(rounds), options.slice.unwrap_or(slice));
    let experiments =
        if options.experiments.is_empty() { Experiment::ALL.to_vec() } else { options.experiments.clone() };
    let plan = Plan {
        experiments,
        peers: !options.no_peers,
        cores: options.cores.clone(),
        pace: Pace::new(rounds as usize, Duration::from_millis(slice)),
        more: options.dpdk.clone(),
    };
    println!("{}", Machine::here());
    let findings = run(&plan, &AtomicBool::new(false), &mut Quiet).map_err(anyhow::Error::msg)?;
    print!("{}", rounds::render(&findings.records, &[]));
    if let Some(path) = &options.json {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        json::write(&mut BufWriter::new(file), &findings.records)?;
    }
    findings.notes.iter().for_each(|note| println!("{note}"));
    for (bench, queue, fault) in &findings.faults {
        println!("FAILED: {bench} of {queue}: {fault}");
    }
    if !findings.faults.is_empty() {
        bail!("a queue failed");
    }
    Ok(())
}
