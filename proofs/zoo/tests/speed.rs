//! The checkers side by side: their plans, and the figures made of their answers.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aqueduct_measure::rounds::Quiet;
use aqueduct_zoo::speed::{self, Checker, Findings, PROGRAMS, Plan};

fn explore(programs: &[&str]) -> Findings {
    let plan = Plan {
        programs: programs.iter().map(ToString::to_string).collect(),
        rounds: 1,
        limit: Duration::from_millis(500),
        slice: Duration::from_millis(1),
    };
    speed::run(&plan, &AtomicBool::new(false), &mut Quiet).unwrap()
}

/// Counting orders each thread's increments among the others': multinomial coefficients.
#[test]
fn ours_counts_what_a_formula_counts() {
    let findings = explore(&["counter_2x3", "counter_3x2", "counter_3x3"]);
    let ours = findings.rows.iter().filter(|row| matches!(row.checker, Checker::Aqueduct { .. }));
    let counts: Vec<_> = ours.map(|row| (row.program.name, row.rounds[0].executions, row.rounds[0].blocked)).collect();
    let expected = [("counter_2x3", 20), ("counter_3x2", 90), ("counter_3x3", 1680)]
        .iter()
        .flat_map(|&(name, count)| [(name, count, Some(0)); 2])
        .collect::<Vec<_>>();
    assert_eq!(counts, expected);
}

/// The programs are right: every checker that ends reports no error, and fewer executions block
/// than complete.
#[test]
fn no_checker_complains_of_a_small_program() {
    let findings = explore(&["store_buffering", "treiber_2x1", "michael_scott_1x3"]);
    for row in &findings.rows {
        assert_eq!(row.fault(), None, "{} by {}", row.program.name, row.checker.name());
        let round = &row.rounds[0];
        if let Some(blocked) = round.blocked {
            assert!(row.exhausted() && blocked < round.executions, "{} by {}", row.program.name, row.checker.name());
        }
    }
}

#[test]
fn times_to_exhaust_are_of_what_was_exhausted() {
    let findings = explore(&["counter_2x3"]);
    for record in findings.records() {
        assert_eq!(record.is_peer(), !record.queue.name.starts_with("aqueduct"), "{}", record.queue);
        assert!(record.median > 0.0 && record.bench.name.ends_with(".counter_2x3"));
        assert!(
            !(record.bench.name.starts_with("model.exhaust") && record.queue.name.starts_with("shuttle")),
            "shuttle has no end"
        );
    }
    let table = speed::render(&findings);
    assert!(table.contains("counter_2x3"), "{table}");
}

#[test]
fn an_unknown_program_is_answered_with_the_known_ones() {
    let plan = Plan { programs: vec!["bakery".to_owned()], ..Plan::quick() };
    let error = speed::run(&plan, &AtomicBool::new(false), &mut Quiet).unwrap_err();
    assert!(error.contains("there is no program bakery") && error.contains(PROGRAMS[0].name), "{error}");
}
