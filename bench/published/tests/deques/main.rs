//! The published queues as the benchmarks run them, compiled against the model checker's atomics:
//! every execution of small programs.

#![allow(unreachable_pub, reason = "they are public in their package")]
#![allow(clippy::duplicate_mod, reason = "the queues stand here with and without a fault")]

mod program;
#[path = "../common/slot.rs"]
mod slot;
mod sound;
mod torn;

use aqueduct_model::Config;
use aqueduct_model::minimal::{Client, Minimizer};

use program::{Program, Which};
use sound::programs;
use torn::programs as torn_programs;

const fn program(
    capacity: u32,
    before: &'static str,
    owner: &'static str,
    thieves: &'static [&'static str],
) -> Program {
    Program { capacity, before, owner, thieves }
}

/// Programs of each queue, with the number of their executions.
const PROGRAMS: &[(Which, Program, u64)] = &[
    (Which::Unbounded, program(2, "++", "--", &["11"]), 41),
    (Which::Unbounded, program(1, "+", "++--", &["11"]), 250),
    (Which::Unbounded, program(1, "+", "+-", &["1", "1"]), 210),
    (Which::Bounded, program(2, "++", "-+-", &["11"]), 87),
    (Which::Bounded, program(2, "++", "--", &["1", "1"]), 162),
    (Which::Bounded, program(1, "+", "-+-", &["11"]), 131),
    (Which::Tokio, program(2, "++", "-+-", &["12"]), 328),
    (Which::Tokio, program(2, "+-+", "+-+", &["2", "1"]), 1692),
    (Which::Tokio, program(4, "+++", "--+", &["22"]), 199),
    (Which::Go, program(2, "++", "-+-", &["12"]), 81),
    (Which::Go, program(2, "+", "*-*", &["11"]), 9),
    (Which::Go, program(2, "+-+", "+-+", &["2", "1"]), 296),
];

#[test]
fn small_programs_are_right_in_every_execution() {
    for &(which, program, executions) in PROGRAMS {
        let report = Config::new().check(move || programs::run(which, program));
        assert!(report.exhaustive && report.failure.is_none(), "{which:?} {program:?}: {report:?}");
        assert_eq!(report.executions, executions, "{which:?} {program:?}");
    }
}

#[test]
fn exchanges_that_are_not_atomic_are_found() {
    for &(which, program, _) in PROGRAMS {
        let report = Config::new().check(move || torn_programs::run(which, program));
        assert!(report.failure.is_some(), "{which:?} {program:?}");
    }
}

#[test]
fn every_ordering_is_needed_but_four_of_chase_and_lev() {
    let clients = PROGRAMS.iter().map(|&(which, program, _)| {
        let client = Client::new(format!("{which:?} {program:?}"), move || programs::run(which, program));
        // Go's thief reads slots before they are its own.
        if matches!(which, Which::Go) { client.against_load_buffering() } else { client }
    });
    let table = Minimizer::new(Config::new(), clients.collect()).table().expect("the clients pass");
    let too_strong: Vec<String> = table.too_strong().map(|row| row.site.to_string()).collect();
    let (_, names): (Vec<_>, Vec<_>) = too_strong.iter().filter_map(|site| site.rsplit_once('/')).unzip();
    let of_file = |name: &&str| name.starts_with("chase_lev.rs");
    assert!(names.iter().all(of_file), "{names:?}");
    let kinds = names.iter().filter_map(|name| Some(name.split_once(' ')?.1));
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        ["load Acquire", "compare_exchange SeqCst", "load Acquire", "compare_exchange SeqCst"],
        "in `push`, `pop` and twice in `steal`"
    );
    let not_relaxed = table.rows.iter().filter(|row| !row.weaker.is_empty()).count();
    assert_eq!(not_relaxed, 25);
}
