//! Published queues as the benchmarks run them, compiled against the model checker's atomics and
//! memory: every execution of small programs, and some of larger ones.

#![cfg(target_arch = "x86_64")]
#![allow(unreachable_pub, reason = "they are public in their package")]
#![allow(clippy::duplicate_mod, reason = "the queues stand here with and without a fault")]

mod memory;
mod program;
#[path = "../common/slot.rs"]
mod slot;
mod sound;
mod torn;

use aqueduct_model::Config;
use aqueduct_model::minimal::{Client, Minimizer};

use Which::{BlockFifo, Bsq, CrTurn, Loo1, Loo2, PublishedWcq, Rdq, Rtsq, Sq, Usq, Wcq, Ymc1, Ymc2};
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
    (Program(Ymc1, "", &["+", "+"]), 8),
    (Program(Ymc1, "+-+-", &["-", "-"]), 232),
    (Program(Ymc2, "+", &["-", "-"]), 2),
    (Program(Ymc2, "+", &["+-", "-"]), 2),
    (Program(Wcq, "+++--+---+-+++", &["-"]), 1),
    (Program(Wcq, "", &["+", "+"]), 16),
    (Program(Wcq, "+", &["-", "-"]), 2),
    (Program(Bsq(1), "", &["+-", "-+"]), 374),
    (Program(Bsq(2), "+", &["+-", "-"]), 19),
    (Program(Usq(1), "", &["+-", "-+"]), 659),
    (Program(Usq(1), "+", &["+", "-", "-"]), 3012),
    (Program(Usq(2), "+", &["+-", "-"]), 34),
    (Program(Sq(1), "", &["+-", "-+"]), 28),
    (Program(Sq(1), "++", &["--", "-"]), 79),
    (Program(Sq(2), "++", &["+-", "-+"]), 69),
    (Program(Rdq(1), "", &["+-", "-+"]), 73),
    (Program(Rdq(2), "++", &["+-", "-"]), 4),
    (Program(Rtsq, "", &["+-", "-+"]), 35),
    (Program(Rtsq, "+", &["+-", "-"]), 112),
    (Program(BlockFifo(1), "", &["+-", "-+"]), 836),
    (Program(BlockFifo(2), "+", &["+", "-"]), 3),
];

/// Programs with many executions: some are picked by chance, equal ones each time.
const LARGE: &[Program] = &[
    Program(Loo1, "", &["+", "+", "--"]),
    Program(Loo1, "+", &["+", "-", "--"]),
    Program(Loo2, "+", &["++", "--", "--"]),
    Program(Loo2, "+-+", &["+", "+", "--"]),
    Program(Loo2, "+", &["+-", "+-", "+-"]),
    Program(CrTurn, "+", &["+-", "--", "-"]),
    Program(CrTurn, "", &["++-", "-+-+"]),
    Program(Ymc1, "", &["+", "-"]),
    Program(Ymc1, "+", &["+-", "-+"]),
    Program(Ymc2, "+-+-+-+-", &["+-", "-"]),
    Program(Ymc2, "", &["++", "--", "-"]),
    Program(Ymc2, "+", &["+-+-", "-+-+", "+-+-"]),
    Program(Wcq, "", &["+-", "-+"]),
    Program(Wcq, "+", &["+-+-", "-+-+"]),
    Program(Wcq, "++-", &["--+-", "-++-", "-+-+"]),
    Program(Wcq, "", &["+++", "---", "-+-+"]),
    Program(Wcq, "+", &["+-+-+-", "-+-+-+", "+-+-+-"]),
    Program(Wcq, "++", &["+-+-", "--++", "-+-+"]),
    Program(Bsq(1), "", &["+-", "-+"]),
    Program(Bsq(1), "+-+-", &["+-+", "-+-", "+-"]),
    Program(Bsq(2), "++", &["+-+-", "--++", "-+"]),
    Program(Usq(1), "", &["+-", "-+"]),
    Program(Usq(1), "+", &["+-", "-+", "+-"]),
    Program(Usq(2), "++", &["+-+-", "--++", "-+"]),
    Program(Sq(1), "+", &["+-", "-+", "-"]),
    Program(Sq(2), "+++-", &["+-+", "--+", "+-"]),
    Program(Rdq(1), "+", &["+-", "-+", "--"]),
    Program(Rdq(3), "+++", &["+-", "--", "-+"]),
    Program(Rtsq, "+", &["+-", "-+", "--"]),
    Program(Rtsq, "++", &["+--", "-+-", "--"]),
    Program(BlockFifo(1), "", &["+-", "-+"]),
    Program(BlockFifo(1), "+-+-", &["+-+", "-+-", "--"]),
    Program(BlockFifo(1), "", &["+", "+-+-+-", "+-+-+"]),
    Program(BlockFifo(2), "++", &["+-+-", "--++", "-+"]),
];

/// A program in which wCQ as published loses an item, and how many executions are picked to find
/// that.
const WCQ_LOSES: (&str, &[&str]) = ("++-", &["--+-", "-++-", "-+-+"]);
const WCQ_EXECUTIONS: u64 = 12_000;

/// Returns how many executions of a large program are picked: with the environment variable
/// `AQUEDUCT_THOROUGH=1`, more.
fn some() -> u64 {
    if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 5_000 } else { 500 }
}

#[test]
fn small_programs_are_right_in_every_execution() {
    let explore = |program: Program| {
        let report = Config::new().check(move || programs::run(program));
        assert!(report.exhaustive && report.failure.is_none(), "{program:?}: {report:?}");
        (program, report.executions)
    };
    let found: Vec<(Program, u64)> = SMALL.iter().map(|&(program, _)| explore(program)).collect();
    assert_eq!(found, SMALL);
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
    let is_missed = |&&program: &&Program| {
        Config::new().random(some(), 7).check(move || torn_programs::run(program)).failure.is_none()
    };
    let missed: Vec<&Program> = LARGE.iter().filter(is_missed).collect();
    assert!(missed.is_empty(), "{missed:?}");
}

/// Thread A's name is in a counter of the ring. B finds it, and before B reads A's record, others
/// remove the name and A announces its next step. B publishes that this step's position is taken;
/// it is not, so another request gets it as well.
///
/// Without the environment variable `AQUEDUCT_THOROUGH=1`, it is left out: few executions show it.
#[test]
fn the_error_of_wcq_as_published_is_found() {
    if std::env::var_os("AQUEDUCT_THOROUGH").is_none() {
        println!("left out: AQUEDUCT_THOROUGH=1 looks for the item that wCQ loses as published");
        return;
    }
    let found = |which: Which| {
        let program = Program(which, WCQ_LOSES.0, WCQ_LOSES.1);
        let report = Config::new().random(WCQ_EXECUTIONS, 7).check(move || programs::run(program));
        report.failure.is_some()
    };
    assert!(found(PublishedWcq), "the published form loses an item");
    assert!(!found(Wcq), "the form with a second look does not");
}

/// Without the environment variable `AQUEDUCT_THOROUGH=1`, it is left out: each ordering takes many
/// executions.
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
