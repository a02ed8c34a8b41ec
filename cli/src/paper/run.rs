//! Runs the command lines of a paper, and keeps their figures.

use std::fmt::Write;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use aqueduct_measure::report::json;
use aqueduct_measure::rounds::Observer;
use aqueduct_vswitch::command::{self, Outcome, VswitchArgs};
use clap::{Parser, Subcommand};

use super::figures::AT;
use crate::bench::{Bench, Gathered, facts};
use crate::progress::Bar;
use crate::{Misuse, interrupt, output};

/// The file of figures in a paper's folder.
pub(super) const FIGURES: &str = "figures.jsonl";
/// The file that describes how the figures were measured.
pub(super) const RUN: &str = "run.txt";

/// An experiment.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The command, without the program's name.
    pub(super) words: String,
    /// The placement of the threads, where it is not the usual one.
    pub(super) placement: Option<&'static str>,
}

/// The options of a line.
#[derive(Parser)]
#[command(name = "aqueduct")]
struct Options {
    #[command(subcommand)]
    command: Command,
}

/// The program's commands that measure.
#[derive(Subcommand)]
pub(super) enum Command {
    #[command(subcommand)]
    Bench(Bench),
    Vswitch(VswitchArgs),
}

/// Returns the command of a line.
pub(super) fn parse(line: &str) -> Result<Command> {
    let words = ["aqueduct"].into_iter().chain(line.split_whitespace());
    Ok(Options::try_parse_from(words)?.command)
}

/// Runs the lines' measurements, one after the other, and writes figures and remarks into the
/// folder.
///
/// Returns whether a queue failed.
pub(super) fn measure(folder: &Path, lines: &[Line], stop: &AtomicBool) -> Result<bool> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join(FIGURES);
    let mut file = BufWriter::new(File::create(&path).with_context(|| format!("cannot write {}", path.display()))?);
    let before = load();
    let (mut remarks, mut has_failed) = (Vec::new(), false);
    for Line { words, placement } in lines.iter().take_while(|_| !interrupt::interrupted()) {
        output::print(&format!("aqueduct {words}\n"))?;
        let found = gathered(&parse(words)?, stop, &mut Bar::new("measuring")).map_err(Misuse)?;
        // No picture here needs the observations of a distribution, which would be most of the
        // file.
        let mut records: Vec<_> = found.records.into_iter().filter(|record| !record.bench.is_distribution()).collect();
        if let Some(placement) = placement {
            records.iter_mut().for_each(|record| record.queue.name.push_str(&format!("{AT}{placement}")));
        }
        json::write(&mut file, &records).with_context(|| format!("cannot write {}", path.display()))?;
        has_failed |= found.has_failed;
        for remark in found.remarks {
            if !remarks.contains(&remark) {
                remarks.push(remark);
            }
        }
    }
    let after = load();
    let loads = format!(
        "{before} before, {after} after; above the number of cores, threads wait for cores, and figures are noisy"
    );
    let loads = ("Load of the system", loads);
    let mut text = String::new();
    for (name, value) in facts([loads]) {
        let _ = writeln!(text, "- {name}: {value}");
    }
    text.push_str("\nThe experiments, each of which also runs alone:\n\n");
    for Line { words, placement } in lines {
        let placement = placement.map_or_else(String::new, |placement| format!("  # {placement}"));
        text.push_str(&format!("    aqueduct {words}{placement}\n"));
    }
    if !remarks.is_empty() {
        text.push_str("\nRemarks of the runs:\n\n");
        remarks.iter().for_each(|remark| text.push_str(&format!("- {remark}\n")));
    }
    fs::write(folder.join(RUN), text).with_context(|| format!("cannot write {}", folder.join(RUN).display()))?;
    Ok(has_failed)
}

/// Returns the system's load average over the last minute.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("unknown").to_owned()
}

fn gathered(command: &Command, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Gathered, String> {
    match command {
        Command::Bench(bench) => bench.measure(stop, observer),
        Command::Vswitch(args) => match command::run(args, stop, observer, &mut std::io::sink()) {
            Ok(Outcome::Measured(figures)) => {
                let records = figures.into_iter().map(|figure| figure.record).collect();
                Ok(Gathered { records, ..Gathered::default() })
            }
            Ok(Outcome::Forwarded(_)) => Err("a capture has no figures".to_owned()),
            Err(error) => Err(error.to_string()),
        },
    }
}
