//! `aqueduct compare`: within 90 s, how our queues do on this machine and which to use for what.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use aqueduct_bench::machine::Machine;
use aqueduct_bench::record::Payload;
use aqueduct_bench::report::html::About;
use aqueduct_bench::report::{recommend, table};
use aqueduct_bench::spsc::{self, Experiment, Findings, Plan};

use crate::bench::{self, Misuse};
use crate::output::{self, Files};
use crate::progress::Bar;

/// Options of `aqueduct compare`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct CompareArgs {
    /// Where to write the page [default: aqueduct-report.html]
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write every record as one line of JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

const PAGE: &str = "aqueduct-report.html";

/// Measures, recommends, writes the page.
pub(crate) fn run(args: &CompareArgs) -> Result<u8> {
    let page = args.html.clone().unwrap_or_else(|| PAGE.into());
    let files = Files {
        json: args.json.clone(),
        html: Some(page),
    };
    files.check()?;
    let stop = crate::interrupt::listen()?;
    output::print(&format!("{}\n\n", Machine::here()))?;
    let plan = against_peers();
    let mut findings = measure(&plan, stop, "against the peers")?;
    output::print(&table::render(&findings.records))?;
    let about = about(&plan, &findings);
    if !crate::interrupt::interrupted() {
        add(
            &mut findings,
            measure(&by_load(), stop, "by emulated load ")?,
        );
    }
    output::print(&format!(
        "\n{}\n",
        recommend::render(&recommend::recommend(&findings.records))
    ))?;
    output::print(&bench::remarks(&findings))?;
    files.write(&findings.records, &about)?;
    Ok(bench::code(&findings))
}

/// Throughput with single items and in batches, round trips, and one thread alone: ours, peers, bounds.
fn against_peers() -> Plan {
    Plan {
        experiments: vec![
            Experiment::Throughput,
            Experiment::PingPong,
            Experiment::Uncontended,
        ],
        rounds: 11,
        slice: Duration::from_millis(8),
        limit: Some(Duration::from_secs(45)),
        ..Plan::full()
    }
}

/// The named regimes and the load matrices of ours, for the page.
fn by_load() -> Plan {
    Plan {
        experiments: vec![Experiment::Regimes, Experiment::Load],
        payloads: vec![Payload::Embedded],
        rounds: 3,
        slice: Duration::from_millis(4),
        matrix_slice: Duration::from_millis(1),
        limit: Some(Duration::from_secs(20)),
        ..Plan::full()
    }
}

fn measure(plan: &Plan, stop: &AtomicBool, what: &'static str) -> Result<Findings, Misuse> {
    spsc::run(plan, stop, &mut Bar::new(what)).map_err(Misuse)
}

fn add(findings: &mut Findings, more: Findings) {
    findings.records.extend(more.records);
    findings.faults.extend(more.faults);
    findings.notes.extend(more.notes);
}

fn about(plan: &Plan, findings: &Findings) -> About {
    let mut about = bench::about(plan, findings);
    about.method.push(
        "The figures by emulated load come from a second, shorter run: fewer rounds, shorter measurements.".to_owned(),
    );
    about
}
