//! The brute-force oracle against the reference answers.

use aqueduct_litmus::oracle::{self, Question};
use aqueduct_litmus::outcome::{Model, ReleaseSequences};

use crate::support;

#[test]
fn agrees_with_the_reference_under_rc11() {
    let cases = support::corpus();
    assert_eq!(cases.len(), 159, "the whole corpus is here");
    for case in cases {
        let outcome = oracle::outcome(&case.program, &Question::default()).expect("small enough");
        assert_eq!(case.difference(&outcome), None, "{}", case.name);
    }
}

#[test]
fn agrees_with_the_reference_on_release_sequences_of_c11() {
    let question = Question { release_sequences: ReleaseSequences::C11, ..Question::default() };
    let mut compared = 0;
    let mut different = 0;
    for case in support::corpus() {
        let Some(expected) = case.c11_executions() else {
            continue;
        };
        let outcome = oracle::outcome(&case.program, &question).expect("small enough");
        assert!(!outcome.racy, "{}", case.name);
        assert_eq!(outcome.executions, expected, "{}", case.name);
        compared += 1;
        different += usize::from(case.executions() != Some(expected));
    }
    assert_eq!((compared, different), (132, 2), "programs compared, programs with another count than in C++20");
}

#[test]
fn agrees_with_the_reference_under_sc() {
    let question = Question { model: Model::Sc, ..Question::default() };
    let mut compared = 0;
    for case in support::corpus() {
        let Some(expected) = case.sc_executions() else {
            continue;
        };
        let outcome = oracle::outcome(&case.program, &question).expect("small enough");
        assert_eq!(outcome.executions, expected, "{}", case.name);
        compared += 1;
    }
    assert_eq!(compared, 151, "programs compared: all that are free of races");
}
