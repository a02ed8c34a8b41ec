//! The common options of the benches of whole workloads, and their output.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use aqueduct_measure::items;
use aqueduct_measure::record::WORD;
use aqueduct_measure::rounds::{self, Findings, Limit, Observer, Outlook, Pace};

use super::results;
use crate::cores::Cores;
use crate::guides::GUIDES;
use crate::output::Files;

/// The rounds and durations of measurements, their queues, and the places of results.
#[derive(Debug, clap::Args)]
pub(crate) struct Knobs {
    /// Shorter and fewer runs: ends within a minute
    #[arg(long)]
    quick: bool,
    /// Leave out the peers
    #[arg(long)]
    no_peers: bool,
    /// The number of times that everything is measured [default: 11, quick: 3]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rounds: Option<u32>,
    /// Milliseconds of one measurement [default: 200, quick: 50]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=60_000))]
    slice: Option<u64>,
    #[command(flatten)]
    cores: Cores,
    #[command(flatten)]
    files: Files,
}

impl Knobs {
    /// Whether the requested runs are shorter and fewer.
    pub(crate) fn is_quick(&self) -> bool {
        self.quick
    }

    /// Whether peers take part.
    pub(crate) fn peers(&self) -> bool {
        !self.no_peers
    }

    /// Returns the requested cores.
    pub(crate) fn cores(&self) -> Vec<usize> {
        self.cores.cores.clone()
    }

    /// Returns how often and how long to measure.
    pub(crate) fn pace(&self) -> Pace {
        let (rounds, slice, limit) = if self.quick { (3, 50, Some(Limit::QUICK)) } else { (11, 200, None) };
        Pace {
            rounds: self.rounds.unwrap_or(rounds) as usize,
            slice: Duration::from_millis(self.slice.unwrap_or(slice)),
            limit,
        }
    }

    /// Describes what the bench will do.
    pub(crate) fn outlook(&self, outlook: Result<Outlook, String>) -> Result<String> {
        results::outlook(&self.files, outlook)
    }

    /// Measures, prints the tables, writes the files, and returns the exit code. `method` is the
    /// page's text about this bench.
    pub(crate) fn run(
        &self,
        measure: impl FnOnce(&AtomicBool, &mut dyn Observer) -> Result<Findings, String>,
        method: &[&str],
    ) -> Result<u8> {
        let general = [
            "All are measured in one process, in turn: A B C, A B C, ... A round before the first finds out how many items fill a \
             measurement, and is not counted.",
            "While there are cores, each thread is pinned to one of its own, and the sides alternate. A thread whose call fails gives its core a pause hint, and after every 64 failures \
             in a row offers it to other threads; the same for all queues.",
            "A figure is the median over the rounds. Ratios are speeds: 2.00 is twice as fast.",
        ];
        results::run(
            &self.files,
            &self.cores,
            measure,
            |records| rounds::render(records, GUIDES),
            |findings| {
                results::about(findings, [results::runs(findings, self.pace().slice)], &[&general, method].concat())
            },
        )
    }
}

/// Parses the value of `--item-bytes`.
pub(crate) fn item_bytes(text: &str) -> Result<usize, String> {
    let asked = text.trim().parse().ok().filter(|bytes| items::ITEM_BYTES.contains(bytes));
    let bytes = asked.ok_or_else(|| format!("{} are possible", items::possible()))?;
    if bytes != WORD && !cfg!(feature = "workloads") {
        return Err(format!(
            "this build has {WORD} alone; one that has {bytes}: cargo run --release --features workloads"
        ));
    }
    Ok(bytes)
}
