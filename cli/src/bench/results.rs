//! The course of any bench: its output, its files, and its exit code.

use std::fmt::Display;
use std::iter;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use aqueduct_measure::machine::Machine;
use aqueduct_measure::record::Record;
use aqueduct_measure::report::html::About;
use aqueduct_measure::rounds::{Findings, Observer};

use crate::cores::Cores;
use crate::output::{self, Files};
use crate::progress::Bar;
use crate::{FAILURE, INTERRUPTED, Misuse, SUCCESS, interrupt};

/// Measures, prints the tables and the remarks, writes the files, and returns the exit code.
pub(super) fn run<F: Display>(
    files: &Files,
    cores: &Cores,
    measure: impl FnOnce(&AtomicBool, &mut dyn Observer) -> Result<Findings<F>, String>,
    render: impl FnOnce(&[Record]) -> String,
    about: impl FnOnce(&Findings<F>) -> About,
) -> Result<u8> {
    files.check()?;
    let stop = interrupt::listen()?;
    output::print(&format!("{}\n", Machine::here()))?;
    cores.tell()?;
    let findings = measure(stop, &mut Bar::new("measuring")).map_err(Misuse)?;
    output::print(&render(&findings.records))?;
    output::print(&remarks(&findings))?;
    files.write(&findings.records, &about(&findings))?;
    Ok(code(&findings))
}

/// Describes what a bench will do, if its files can be written.
pub(super) fn outlook(files: &Files, outlook: Result<impl Display, String>) -> Result<String> {
    let outlook = outlook.map_err(Misuse)?;
    files.check()?;
    Ok(outlook.to_string())
}

/// Prints each name on a line of its own, and measures nothing.
pub(super) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<u8> {
    let lines: Vec<String> = names.into_iter().map(|name| format!("{name}\n")).collect();
    output::print(&lines.concat())?;
    Ok(SUCCESS)
}

/// Returns the requested values, or the usual ones if there are none.
pub(super) fn or<T: Clone>(asked: &[T], usual: Vec<T>) -> Vec<T> {
    if asked.is_empty() { usual } else { asked.to_vec() }
}

/// Returns the remarks besides the figures: notes, faults, and whether the run was cut short.
fn remarks<F: Display>(findings: &Findings<F>) -> String {
    sentences(findings, "FAILED").map(|line| format!("{line}\n")).collect()
}

fn sentences<F: Display>(findings: &Findings<F>, failed: &str) -> impl Iterator<Item = String> {
    let faults =
        (findings.faults.iter()).map(move |(bench, queue, fault)| format!("{failed}: {bench} of {queue}: {fault}"));
    let stopped = interrupt::interrupted().then(|| format!("Stopped by Ctrl-C after {} full rounds.", findings.rounds));
    findings.notes.iter().cloned().chain(faults).chain(stopped)
}

/// The findings of a bench.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// The figures.
    pub(crate) records: Vec<Record>,
    /// Notes and failures.
    pub(crate) remarks: Vec<String>,
    /// Whether a queue failed.
    pub(crate) has_failed: bool,
}

impl<F: Display> From<Findings<F>> for Gathered {
    fn from(findings: Findings<F>) -> Self {
        let remarks = sentences(&findings, "Failed").collect();
        Self { remarks, has_failed: !findings.faults.is_empty(), records: findings.records }
    }
}

/// Returns the exit code for `findings`.
pub(crate) fn code<F>(findings: &Findings<F>) -> u8 {
    if interrupt::interrupted() {
        INTERRUPTED
    } else if findings.faults.is_empty() {
        SUCCESS
    } else {
        FAILURE
    }
}

/// Returns the page's facts about a run: the machine, its particulars, the method, and the remarks.
pub(super) fn about<F: Display>(
    findings: &Findings<F>,
    more: impl IntoIterator<Item = (&'static str, String)>,
    method: &[&str],
) -> About {
    let method = method.iter().map(|&line| line.to_owned()).chain(sentences(findings, "Failed")).collect();
    About { facts: facts(more), method, sections: Vec::new() }
}

/// Returns the machine, the time, and the particulars.
pub(crate) fn facts(more: impl IntoIterator<Item = (&'static str, String)>) -> Vec<(String, String)> {
    let machine = Machine::here();
    let processor = format!("{}, {} cores usable", machine.processor, machine.cores.len());
    iter::empty()
        .chain([("Processor", processor), ("System", machine.system), ("Date", output::now())])
        .chain(more)
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Returns the number and the length of the runs, as a fact.
pub(super) fn runs<F>(findings: &Findings<F>, slice: Duration) -> (&'static str, String) {
    let plural = if findings.rounds == 1 { "" } else { "s" };
    ("Runs", format!("{} round{plural}, {} ms for each measurement", findings.rounds, slice.as_millis()))
}
