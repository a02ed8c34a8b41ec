//! `aqueduct bench model`: the model checkers side by side.

use std::time::Duration;

use anyhow::Result;
use aqueduct_measure::machine::Machine;
use aqueduct_measure::report::html::About;
use aqueduct_zoo::speed::{self, Findings, PROGRAMS, Plan};

use super::results::{self, facts};
use crate::job::Job;
use crate::output::{self, Files};
use crate::progress::Bar;
use crate::{FAILURE, INTERRUPTED, Misuse, SUCCESS, interrupt};

/// Options of `aqueduct bench model`.
///
/// Our checker explores every program on one thread and on two, in turn with loom and shuttle if
/// they are compiled in (the feature `rivals`). The table shows medians over the rounds. An
/// exploration that does not end within its time is cut off and not repeated.
#[derive(Debug, clap::Args)]
pub(crate) struct ModelArgs {
    /// Programs to explore [default: all]
    #[arg(value_name = "PROGRAM")]
    programs: Vec<String>,
    /// Fewer rounds and earlier cuts: ends within 30 s
    #[arg(long)]
    quick: bool,
    /// The number of times that everything is measured [default: 5, quick: 3]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,
    /// Seconds after which an exploration is cut off [default: 5, quick: 0.5]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    limit: Option<Duration>,
    /// Show the names of the programs, and measure nothing
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    files: Files,
}

/// Parses seconds, less than a day.
fn seconds(text: &str) -> Result<Duration, String> {
    const LEAST: Duration = Duration::from_millis(1);
    const MOST: Duration = Duration::from_secs(24 * 3600);
    let duration = text.trim().parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.filter(|duration| (LEAST..=MOST).contains(duration)).ok_or_else(|| {
        format!("between {} and {} seconds are possible, such as 0.5", LEAST.as_secs_f64(), MOST.as_secs())
    })
}

impl ModelArgs {
    fn plan(&self) -> Plan {
        let mut plan = if self.quick { Plan::quick() } else { Plan::full() };
        plan.programs.clone_from(&self.programs);
        if let Some(rounds) = self.rounds {
            plan.rounds = rounds as usize;
        }
        plan.limit = self.limit.unwrap_or(plan.limit);
        plan
    }
}

impl Job for ModelArgs {
    fn outlook(&self) -> Result<String> {
        results::outlook(&self.files, speed::outlook(&self.plan()))
    }

    /// Measures, prints the table, and writes the files.
    fn run(&self) -> Result<u8> {
        if self.list {
            let lines: Vec<String> =
                PROGRAMS.iter().map(|program| format!("{:<20} {}\n", program.name, program.about)).collect();
            output::print(&lines.concat())?;
            return Ok(SUCCESS);
        }
        let plan = self.plan();
        self.files.check()?;
        let stop = interrupt::listen()?;
        output::print(&format!("{}\n\n", Machine::here()))?;
        let findings = speed::run(&plan, stop, &mut Bar::new("exploring")).map_err(Misuse)?;
        output::print(&speed::render(&findings))?;
        self.files.write(&findings.records(), &about(&plan))?;
        if interrupt::interrupted() {
            output::print("Stopped by Ctrl-C.\n")?;
            return Ok(INTERRUPTED);
        }
        Ok(if ours_failed(&findings) { FAILURE } else { SUCCESS })
    }
}

/// Whether our checker reports an error in a correct program, which is a failure. A peer's false
/// report is a finding about the peer.
fn ours_failed(findings: &Findings) -> bool {
    findings.rows.iter().any(|row| row.fault().is_some() && row.checker.name().starts_with("aqueduct"))
}

fn about(plan: &Plan) -> About {
    About {
        facts: facts([("Runs", format!("{} rounds, cut off after {:?}", plan.rounds, plan.limit))]),
        method: vec![
            "Every program is explored by all checkers in one process, in turn.".to_owned(),
            "loom runs without a bound on preemptions. It counts interleavings; our checker counts executions under RC11."
                .to_owned(),
        ],
        sections: Vec::new(),
    }
}
