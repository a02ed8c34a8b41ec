//! Published queues as the benchmarks run them, compiled against the model checker's atomics and memory: every
//! execution of small programs, and some of larger ones.

#![allow(clippy::duplicate_mod, reason = "the queues stand here with and without a fault")]

mod memory;
mod program;
#[path = "../common/slot.rs"]
mod slot;
mod sound;
mod torn;

use aqueduct_model::Config;
use aqueduct_model::minimal::{Client, Minimizer};

use Which::{CrTurn, Loo1, Loo2};
use program::{Program, Which};
use sound::programs;
use torn::programs as torn_programs;

/// Programs, with the number of their executions.
const SMALL: &[(Program, u64)] = &[
    (Program(Loo1, "", &["+", "--"]), 68),
    (Program(Loo1, "", &["++", "--"]), 1479),
    (Program(Loo1, "", &["+", "+-"]), 66),
    (Program(Loo1, "+", &["+", "-", "-"]), 1028),
    (Program(Loo1, "+", &["+", "+"]), 302),
    (Program(Loo1, "++-", &["-", "-"]), 248),
    (Program(Loo2, "+", &["++", "--"]), 108),
    (Program(Loo2, "++", &["+", "-", "-"]), 92),
    (Program(Loo2, "++", &["+", "+"]), 194),
    (Program(Loo2, "++-", &["+", "+-"]), 202),
    (Program(Loo2, "+++-", &["-", "-"]), 16),
    (Program(CrTurn, "", &["+", "-"]), 25),
    (Program(CrTurn, "", &["+", "+"]), 819),
    (Program(CrTurn, "+", &["-", "-"]), 938),
    (Program(CrTurn, "", &["+", "+-"]), 7748),
];

/// Programs of which some executions are picked by chance, equal ones each time.
const LARGE: &[Program] = &[
    Program(Loo1, "", &["+", "+", "--"]),
    Program(Loo1, "+", &["+", "-", "--"]),
    Program(Loo2, "+", &["++", "--", "--"]),
    Program(Loo2, "+-+", &["+", "+", "--"]),
    Program(Loo2, "+", &["+-", "+-", "+-"]),
    Program(CrTurn, "+", &["+-", "--", "-"]),
    Program(CrTurn, "", &["++-", "-+-+"]),
];

/// Returns how many executions of a large program are picked: with the environment variable `AQUEDUCT_THOROUGH=1`,
/// more.
fn some() -> u64 {
    if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 5_000 } else { 500 }
}

#[test]
fn small_programs_are_right_in_every_execution() {
    for &(program, executions) in SMALL {
        let report = Config::new().check(move || programs::run(program));
        assert!(report.exhaustive && report.failure.is_none(), "{program:?}: {report:?}");
        assert_eq!(report.executions, executions, "{program:?}");
    }
}

#[test]
fn large_programs_are_right() {
    for &program in LARGE {
        let report = Config::new().random(some(), 7).check(move || programs::run(program));
        assert!(report.failure.is_none(), "{program:?}: {report:?}");
    }
}

#[test]
fn operations_that_are_not_atomic_are_found() {
    for &program in LARGE {
        let report = Config::new().random(some(), 7).check(move || torn_programs::run(program));
        assert!(report.failure.is_some(), "{program:?}");
    }
}

/// Without the environment variable `AQUEDUCT_THOROUGH=1`, it is left out: each ordering takes many executions.
#[test]
fn every_ordering_of_loo_is_needed_but_three() {
    if std::env::var_os("AQUEDUCT_THOROUGH").is_none() {
        println!("left out: AQUEDUCT_THOROUGH=1 weakens each ordering of LOO");
        return;
    }
    let of_loo = LARGE.iter().filter(|program| matches!(program.0, Loo1 | Loo2)).copied();
    let clients = of_loo.map(|program| Client::new(format!("{program:?}"), move || programs::run(program))).collect();
    let table = Minimizer::new(Config::new().random(12_000, 7).jobs(2), clients).table().expect("the clients pass");
    let too_strong: Vec<String> = table.too_strong().map(|row| row.site.to_string()).collect();
    let kinds: Vec<&str> = too_strong.iter().filter_map(|site| Some(site.split_once(' ')?.1)).collect();
    assert_eq!(kinds, ["load Acquire", "compare_exchange Release", "load Acquire"], "{too_strong:?}");
}
