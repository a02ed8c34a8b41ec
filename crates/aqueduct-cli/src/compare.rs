//! `aqueduct compare`: within 90 s, how our queues do on this machine and which to use for what.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use aqueduct_bench::machine::Machine;
use aqueduct_bench::record::{Payload, Record};
use aqueduct_bench::report::html::About;
use aqueduct_bench::report::sheet::is_distribution;
use aqueduct_bench::report::{recommend, table};
use aqueduct_bench::spsc::{self, Experiment, Findings, Plan};

use aqueduct_vswitch::placement::Placement;
use aqueduct_vswitch::ports::Kind;
use aqueduct_vswitch::replay::{BUILT_IN_NAME, replay_builtin};

use crate::job::Job;
use crate::output::{self, Files};
use crate::progress::Bar;
use crate::{Misuse, bench, interrupt};

/// Options of `aqueduct compare`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct CompareArgs {
    /// Seconds to spend on measuring; one round against the peers is always done, the load matrices only if
    /// time is left [default: 70]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u16).range(1..))]
    seconds: Option<u16>,
    /// Where to write the page [default: aqueduct-report.html]
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write every record as one line of JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

const PAGE: &str = "aqueduct-report.html";
const SECONDS: u16 = 70;
const SWITCH: &str = "A recorded capture, forwarded by a virtual switch on our queues";

impl CompareArgs {
    fn files(&self) -> Files {
        Files { json: self.json.clone(), html: Some(self.html.clone().unwrap_or_else(|| PAGE.into())) }
    }

    fn time(&self) -> Duration {
        Duration::from_secs(self.seconds.unwrap_or(SECONDS).into())
    }
}

impl Job for CompareArgs {
    fn outlook(&self) -> Result<String> {
        let files = self.files();
        files.check()?;
        let (time, page) = (self.time(), files.html.unwrap_or_default());
        let plan = spsc::outlook(&against_peers(time)).map_err(Misuse)?;
        Ok(format!("{plan}; {} s in all, and a page in {}", time.as_secs(), page.display()))
    }

    /// Measures, recommends, writes the page.
    fn run(&self) -> Result<u8> {
        let files = self.files();
        files.check()?;
        let stop = interrupt::listen()?;
        let begin = Instant::now();
        let time = self.time();
        output::print(&format!("{}\n\n", Machine::here()))?;
        let plan = against_peers(time);
        let mut findings = measure(&plan, stop, "against the peers")?;
        output::print(&table::render(&without_distributions(&findings.records)))?;
        let mut about = about(&plan, &findings);
        if !interrupt::interrupted() {
            let switch = forward_capture()?;
            output::print(&format!("\n{SWITCH}\n{switch}"))?;
            about.sections.push((SWITCH.to_owned(), switch.lines().map(str::to_owned).collect()));
            let left = time.saturating_sub(begin.elapsed());
            if !left.is_zero() {
                add(&mut findings, measure(&by_load(left), stop, "by emulated load")?);
            }
        }
        let picks = recommend::recommend(&findings.records);
        output::print(&format!("\n{}\n", recommend::render(&picks)))?;
        output::print(&bench::remarks(&findings))?;
        files.write(&findings.records, &about)?;
        Ok(bench::code(&findings))
    }
}

/// Throughput with single items and in batches, round trips, and one thread alone: ours, peers, bounds. Takes
/// two thirds of `time` at most.
fn against_peers(time: Duration) -> Plan {
    Plan {
        experiments: vec![Experiment::Throughput, Experiment::PingPong, Experiment::Uncontended],
        rounds: 21,
        slice: (time / 9000).clamp(Duration::from_millis(1), Duration::from_millis(8)),
        limit: Some(time * 2 / 3),
        ..Plan::full()
    }
}

/// The named regimes and the load matrices of ours, for the page.
fn by_load(limit: Duration) -> Plan {
    Plan {
        experiments: vec![Experiment::Regimes, Experiment::Load],
        payloads: vec![Payload::Embedded],
        rounds: 3,
        slice: Duration::from_millis(4),
        matrix_slice: Duration::from_millis(1),
        limit: Some(limit),
        ..Plan::full()
    }
}

/// The tables on the terminal leave the distributions to the page.
fn without_distributions(records: &[Record]) -> Vec<Record> {
    records.iter().filter(|record| !is_distribution(&record.bench)).cloned().collect()
}

/// Forwards the capture that comes with the program; says what became of every frame.
fn forward_capture() -> Result<String> {
    let placement = Placement::choose(&[]).map_err(Misuse)?;
    let summary = replay_builtin(Kind::Ring, &placement).context(BUILT_IN_NAME)?;
    Ok(format!("{BUILT_IN_NAME}:\n{summary}\n"))
}

fn measure(plan: &Plan, stop: &AtomicBool, what: &'static str) -> Result<Findings, Misuse> {
    spsc::run(plan, stop, &mut Bar::new(what)).map_err(Misuse)
}

fn add(findings: &mut Findings, more: Findings) {
    findings.records.extend(more.records);
    findings.faults.extend(more.faults);
    findings.notes.extend(more.notes.into_iter().map(|note| format!("by emulated load: {note}")));
}

fn about(plan: &Plan, findings: &Findings) -> About {
    let mut about = bench::about(plan, findings);
    about.method.push(
        "The figures by emulated load come from a second, shorter run: fewer rounds, shorter measurements.".to_owned(),
    );
    about
}
