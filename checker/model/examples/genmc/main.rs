//! Programs whose twins for GenMC are in `programs.c` beside this file: `scripts/genmc.sh`
//! runs both.
//!
//! `cargo run --release -p aqueduct-model --example genmc -- [--loops] [--jobs N] [--runs N] [PROGRAM]..`
//!
//! A loop that fails is a wait, unless `--loops` is there: then it is an ordinary loop, and each
//! failed round of it is explored. Time is that of the median run.

mod programs;
mod structures;

use aqueduct_model::{Config, Report};

use programs::{PROGRAMS, Program};

fn check(program: &Program, loops: bool, jobs: usize) -> Report {
    let body = program.body;
    Config::new().jobs(jobs).finds_leaks(false).all_failed_rounds(loops).check(move || body(loops))
}

fn main() {
    let (mut loops, mut jobs, mut runs, mut names) = (false, 1, 3, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|number| number.parse().ok()).expect("a number follows");
        match argument.as_str() {
            "--loops" => loops = true,
            "--jobs" => jobs = number(),
            "--runs" => runs = number(),
            _ => names.push(argument),
        }
    }
    for program in PROGRAMS.iter().filter(|program| names.is_empty() || names.iter().any(|name| name == program.name)) {
        let mut reports: Vec<_> = (0..runs.max(1)).map(|_| check(program, loops, jobs)).collect();
        reports.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        let report = &reports[reports.len() / 2];
        assert!(report.exhaustive, "{}: {report}", program.name);
        println!(
            "{:12} {:8} executions {:8} blocked {:8} discarded {:5.1} events each {:9.4} s",
            program.name,
            report.executions,
            report.blocked,
            report.discarded,
            report.events as f64 / report.executions as f64,
            report.seconds,
        );
    }
}
