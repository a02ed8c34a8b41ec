//! The options that benches of whole workloads share, and how they show what they found.

use std::time::Duration;

use anyhow::Result;
use aqueduct_bench::machine::Machine;
use aqueduct_bench::mpmc::Findings;
use aqueduct_bench::report::html::About;
use aqueduct_bench::rounds::{self, Pace};

use crate::output::{self, Files};
use crate::{FAILURE, INTERRUPTED, SUCCESS, interrupt};

/// How often, for how long, with whom, and where results go.
#[derive(Debug, clap::Args)]
pub(crate) struct Knobs {
    /// Shorter and fewer runs: ends within a minute
    #[arg(long)]
    quick: bool,
    /// Leave out what ours is compared with
    #[arg(long)]
    no_peers: bool,
    /// How often everything is measured [default: 11, quick: 3]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: Option<u32>,
    /// Milliseconds of one measurement [default: 200, quick: 50]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=60_000))]
    slice: Option<u64>,
    #[command(flatten)]
    files: Files,
}

impl Knobs {
    /// Whether runs are to be shorter and fewer.
    pub(crate) fn is_quick(&self) -> bool {
        self.quick
    }

    /// Whether others take part.
    pub(crate) fn peers(&self) -> bool {
        !self.no_peers
    }

    /// How often and for how long.
    pub(crate) fn pace(&self) -> Pace {
        let (rounds, slice) = if self.quick { (3, 50) } else { (11, 200) };
        Pace {
            rounds: self.rounds.unwrap_or(rounds) as usize,
            slice: Duration::from_millis(self.slice.unwrap_or(slice)),
        }
    }

    /// Begins: finds out whether the files can be written, and tells on which machine this is.
    pub(crate) fn begin(&self) -> Result<()> {
        self.files.check()?;
        output::print(&format!("{}\n\n", Machine::here()))
    }

    /// Prints the tables, writes what was asked for, and says with which code to exit.
    pub(crate) fn show(&self, findings: &Findings, method: &[&str]) -> Result<u8> {
        output::print(&rounds::render(&findings.records))?;
        let mut remarks = findings.notes.clone();
        remarks
            .extend(findings.faults.iter().map(|(bench, queue, fault)| format!("FAILED: {bench} of {queue}: {fault}")));
        let stopped = interrupt::interrupted();
        if stopped {
            remarks.push(format!("Stopped by Ctrl-C after {} full rounds.", findings.rounds));
        }
        output::print(&remarks.iter().map(|line| format!("{line}\n")).collect::<String>())?;
        self.files.write(&findings.records, &self.about(findings, method, remarks))?;
        Ok(match stopped {
            true => INTERRUPTED,
            false if findings.faults.is_empty() => SUCCESS,
            false => FAILURE,
        })
    }

    /// What the page tells about the run.
    fn about(&self, findings: &Findings, method: &[&str], remarks: Vec<String>) -> About {
        let machine = Machine::here();
        let fact = |name: &str, value: String| (name.to_owned(), value);
        let general = [
            "All are measured in one process, in turn: A B C, A B C, ... A round before the first finds out how many items fill a \
             measurement, and is not counted.",
            "Threads are pinned to the cores in turn. One that was refused gives its core a pause hint, and after every 64 failures \
             in a row offers it to other threads; the same for all queues.",
            "A figure is the median over the rounds. Ratios are speeds: 2.00 is twice as fast.",
        ];
        About {
            facts: vec![
                fact("Processor", format!("{}, {} cores usable", machine.processor, machine.cores.len())),
                fact("System", machine.system),
                fact("Date", output::now()),
                fact(
                    "Runs",
                    format!("{} rounds, {} ms for each measurement", findings.rounds, self.pace().slice.as_millis()),
                ),
            ],
            method: general.iter().chain(method).map(|&line| line.to_owned()).chain(remarks).collect(),
            sections: Vec::new(),
        }
    }
}
