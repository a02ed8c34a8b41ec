//! `aqueduct bench model`: the model checkers side by side.

use std::time::Duration;

use anyhow::Result;
use aqueduct_bench::machine::Machine;
use aqueduct_bench::model::{self, Findings, PROGRAMS, Plan};
use aqueduct_bench::report::html::About;

use super::results::facts;
use crate::output::{self, Files};
use crate::progress::Bar;
use crate::{FAILURE, INTERRUPTED, Misuse, SUCCESS, interrupt};

/// Options of `aqueduct bench model`.
///
/// Every program is explored by our checker on one thread and on two, by loom, and by shuttle, in turn; the table shows
/// medians over the rounds. What does not come to an end is cut off and not repeated.
#[derive(Debug, clap::Args)]
pub(crate) struct ModelArgs {
    /// Programs to explore [default: all]
    #[arg(value_name = "PROGRAM")]
    programs: Vec<String>,
    /// Fewer rounds and earlier cuts: ends within 30 s
    #[arg(long)]
    quick: bool,
    /// How often everything is measured [default: 5, quick: 3]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,
    /// Seconds after which an exploration is cut off [default: 5, quick: 0.5]
    #[arg(long, value_name = "SECONDS")]
    limit: Option<f64>,
    /// Show the names of the programs, and measure nothing
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    files: Files,
}

impl ModelArgs {
    fn plan(&self) -> Result<Plan, Misuse> {
        let mut plan = if self.quick { Plan::quick() } else { Plan::full() };
        plan.programs.clone_from(&self.programs);
        if let Some(rounds) = self.rounds {
            plan.rounds = rounds as usize;
        }
        if let Some(limit) = self.limit {
            plan.limit = Duration::try_from_secs_f64(limit)
                .map_err(|_| Misuse(format!("{limit} is no number of seconds: something like 5 or 0.5 is needed")))?;
        }
        Ok(plan)
    }
}

/// Measures, prints the table, writes what was asked for.
pub(crate) fn run(args: &ModelArgs) -> Result<u8> {
    if args.list {
        let lines: Vec<String> =
            PROGRAMS.iter().map(|program| format!("{:<20} {}\n", program.name, program.about)).collect();
        output::print(&lines.concat())?;
        return Ok(SUCCESS);
    }
    let plan = args.plan()?;
    args.files.check()?;
    let stop = interrupt::listen()?;
    output::print(&format!("{}\n\n", Machine::here()))?;
    let findings = model::run(&plan, stop, &mut Bar::new("exploring")).map_err(Misuse)?;
    output::print(&model::render(&findings))?;
    args.files.write(&findings.records(), &about(&plan))?;
    if interrupt::interrupted() {
        output::print("Stopped by Ctrl-C.\n")?;
        return Ok(INTERRUPTED);
    }
    Ok(if ours_failed(&findings) { FAILURE } else { SUCCESS })
}

/// A peer that complains is a finding about the peer; ours that complains of a right program is a failure.
fn ours_failed(findings: &Findings) -> bool {
    findings.rows.iter().any(|row| row.fault().is_some() && row.checker.name().starts_with("aqueduct"))
}

fn about(plan: &Plan) -> About {
    About {
        facts: facts([("Runs", format!("{} rounds, cut off after {:?}", plan.rounds, plan.limit))]),
        method: vec![
            "Every program is explored by all checkers in one process, in turn.".to_owned(),
            "loom runs without a bound on preemptions. What it explores are interleavings, ours are RC11's executions."
                .to_owned(),
        ],
        sections: Vec::new(),
    }
}
