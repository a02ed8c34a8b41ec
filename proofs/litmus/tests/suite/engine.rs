//! The model checker against the reference answers and against the oracle.

use aqueduct_litmus::ast::Program;
use aqueduct_litmus::oracle::{self, Limits, Question};
use aqueduct_litmus::outcome::{Model, Outcome, ReleaseSequences};
use aqueduct_litmus::random::{self, Flavour, Rng};
use aqueduct_litmus::run::{Answer, Settings, config, run, run_with};
use aqueduct_model::{Fault, Scheduler};

use crate::support;

const SCHEDULERS: [Scheduler; 4] =
    [Scheduler::LowestFirst, Scheduler::HighestFirst, Scheduler::RoundRobin, Scheduler::Seeded(7)];

/// Every combination of the settings of a program.
const QUESTIONS: [(Model, ReleaseSequences); 3] = [
    (Model::Rc11, ReleaseSequences::Cpp20),
    (Model::Rc11, ReleaseSequences::C11),
    (Model::Sc, ReleaseSequences::Cpp20),
];

fn settings(scheduler: Scheduler) -> Settings {
    Settings { scheduler, ..Settings::default() }
}

#[test]
fn agrees_with_the_reference_under_every_scheduler() {
    let mut differences = Vec::new();
    for case in support::corpus() {
        for scheduler in SCHEDULERS {
            let answer = run(&case.program, &settings(scheduler)).expect("within the checker's limits");
            differences
                .extend(case.difference(&answer.outcome).map(|found| format!("{} {scheduler:?} {found}", case.name)));
        }
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn agrees_with_the_reference_under_sc_and_c11() {
    for case in support::corpus() {
        let sc = Settings { model: Model::Sc, ..Settings::default() };
        let c11 = Settings { release_sequences: ReleaseSequences::C11, ..Settings::default() };
        for (settings, expected) in [(sc, case.sc_executions()), (c11, case.c11_executions())] {
            if let Some(expected) = expected {
                let answer = run(&case.program, &settings).expect("within the checker's limits");
                assert_eq!(answer.outcome.executions, expected, "{} {settings:?}", case.name);
            }
        }
    }
}

/// Describes how the checker's answer about `program` differs from the oracle's.
fn difference(program: &Program, question: &Question, scheduler: Scheduler, expected: &Outcome) -> Option<String> {
    let settings = Settings {
        model: question.model,
        release_sequences: question.release_sequences,
        loop_bound: question.loop_bound,
        scheduler,
        ..Settings::default()
    };
    let answer = match run(program, &settings) {
        Ok(answer) => answer,
        Err(error) => return Some(error.to_string()),
    };
    let found = &answer.outcome;
    if found.racy || expected.racy {
        return (found.racy != expected.racy).then(|| format!("racy: {}, oracle {}", found.racy, expected.racy));
    }
    if answer.ended != found.executions + found.blocked {
        return Some(format!("{} runs to the end for {found:?}", answer.ended));
    }
    (found != expected).then(|| describe(&answer, expected))
}

/// Describes how the checker's answer differs from the oracle's, or returns `None` if the program
/// is too big for it.
fn difference_from_oracle(program: &Program, question: &Question, scheduler: Scheduler) -> Option<String> {
    let expected = oracle::outcome(program, question).ok()?;
    difference(program, question, scheduler, &expected)
}

fn describe(answer: &Answer, expected: &Outcome) -> String {
    let found = &answer.outcome;
    format!(
        "executions {} blocked {}, oracle {} and {}; states missing {:?}, too many {:?}",
        found.executions,
        found.blocked,
        expected.executions,
        expected.blocked,
        expected.states.difference(&found.states).collect::<Vec<_>>(),
        found.states.difference(&expected.states).collect::<Vec<_>>(),
    )
}

/// Compares `count` random programs of `flavour` and fails with the smallest program that differs.
///
/// `AQUEDUCT_THOROUGH=1` compares ten times as many, `AQUEDUCT_LITMUS_PROGRAMS=N` `N` programs of
/// each flavour, `AQUEDUCT_LITMUS_SEED=N` others.
fn compare_random(flavour: Flavour, seed: u64, count: usize) {
    let from_environment = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().expect("a number"));
    let count = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 10 * count } else { count };
    let count = from_environment("AQUEDUCT_LITMUS_PROGRAMS").map_or(count, |count| count as usize);
    let seed = seed + from_environment("AQUEDUCT_LITMUS_SEED").unwrap_or(0);
    let mut rng = Rng::with_seed(seed);
    let mut judged = 0;
    for number in 0..count {
        let program = random::program(&mut rng, flavour);
        let (model, release_sequences) = QUESTIONS[[0, 0, 1, 2][number % 4]];
        let limits = Limits { partial: 3_000, complete: 10_000 };
        let question = Question { model, release_sequences, loop_bound: 2, limits };
        let scheduler = match number % 5 {
            4 => Scheduler::Seeded(rng.u64(..)),
            known => SCHEDULERS[known],
        };
        let Ok(expected) = oracle::outcome(&program, &question) else {
            continue;
        };
        judged += 1;
        if difference(&program, &question, scheduler, &expected).is_some() {
            let fails = |program: &Program| difference_from_oracle(program, &question, scheduler).is_some();
            let small = random::shrink(program, fails);
            let what = difference_from_oracle(&small, &question, scheduler);
            panic!("{flavour:?} {number}, {model:?} {release_sequences:?} {scheduler:?}: {what:?}\n{small}");
        }
    }
    assert!(judged * 10 > count * 7, "only {judged} of {count} programs were small enough for the oracle");
}

#[test]
fn random_mixed() {
    compare_random(Flavour::Mixed, 11, 200);
}

#[test]
fn random_rmw() {
    compare_random(Flavour::Rmw, 12, 100);
}

#[test]
fn random_seq_cst() {
    compare_random(Flavour::SeqCst, 13, 400);
}

#[test]
fn random_release_sequence() {
    compare_random(Flavour::ReleaseSequence, 14, 100);
}

#[test]
fn random_plain() {
    compare_random(Flavour::Plain, 15, 150);
}

#[test]
fn random_control() {
    compare_random(Flavour::Control, 16, 200);
}

/// The corpus finds each fault planted in the checker.
#[test]
fn planted_faults_are_caught() {
    let faults = [Fault::SkippedRevisit, Fault::WrongClock, Fault::IgnoredReleaseSequence, Fault::RmwReadsNewest];
    let settings = Settings::default();
    let cases = support::corpus();
    let caught = |fault: Fault| {
        let wrong = |case: &&support::Case| {
            let answer = run_with(&case.program, &settings, config(&settings).fault(fault));
            answer.map_or(true, |answer| case.difference(&answer.outcome).is_some())
        };
        cases.iter().filter(wrong).count()
    };
    assert_eq!(caught(Fault::None), 0);
    for fault in faults {
        assert!(caught(fault) > 0, "{fault:?} goes unnoticed");
    }
}

#[test]
fn several_jobs_give_the_same_answers() {
    let parallel = Settings { jobs: 2, ..Settings::default() };
    for case in support::corpus() {
        let answer = run(&case.program, &parallel).expect("within the checker's limits");
        assert_eq!(case.difference(&answer.outcome), None, "{}", case.name);
    }
}
