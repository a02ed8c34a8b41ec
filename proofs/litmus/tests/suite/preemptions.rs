//! The bound on preemptions against all orders of the events of all executions.

use aqueduct_litmus::ast::Program;
use aqueduct_litmus::oracle::preemptions::preemptions;
use aqueduct_litmus::oracle::{self, Limits, Question};
use aqueduct_litmus::outcome::{Model, ReleaseSequences};
use aqueduct_litmus::random::{self, Flavour, Rng};
use aqueduct_litmus::run::{Settings, config, run_with};
use aqueduct_model::Scheduler;

/// A bound that no schedule of a program of this size reaches.
const UNREACHED: u32 = 1000;

/// Returns how the checker differs from the oracle under some bound, and the greatest number of
/// preemptions; or `None` if the program is too big for the oracle, racy or has blocked executions.
fn differences(program: &Program, question: &Question, scheduler: Scheduler) -> Option<(Vec<String>, u32)> {
    let outcome = oracle::outcome(program, question).ok().filter(|outcome| !outcome.racy && outcome.blocked == 0)?;
    let expected = preemptions(program, question).ok()?;
    let most = expected.iter().map(|(preemptions, _)| *preemptions).max().unwrap_or(0);
    let settings = Settings {
        model: question.model,
        release_sequences: question.release_sequences,
        loop_bound: question.loop_bound,
        scheduler,
        ..Settings::default()
    };
    let mut found = Vec::new();
    for bound in (0..=most + 1).chain([UNREACHED]) {
        let answer = match run_with(program, &settings, config(&settings).max_preemptions(bound)) {
            Ok(answer) => answer,
            Err(error) => {
                found.push(format!("{bound}: {error}"));
                continue;
            }
        };
        let within = expected.iter().filter(|(preemptions, _)| *preemptions <= bound);
        let executions = within.clone().count() as u64;
        if answer.outcome.executions != executions {
            found.push(format!("{bound}: {} executions, oracle {executions}", answer.outcome.executions));
        }
        let missing = within.filter(|(_, state)| !answer.outcome.states.contains(state)).count();
        if missing > 0 {
            found.push(format!("{bound}: the states of {missing} executions are missing"));
        }
        if answer.left_out > 0 && bound == UNREACHED {
            found.push(format!("{bound}: {} branches left out", answer.left_out));
        }
        // A branch may be left out although it leads to no other execution.
        if answer.left_out == 0 && bound < most {
            found.push(format!("{bound}: no branch left out, of executions with up to {most}"));
        }
        if bound >= most && answer.outcome != outcome {
            found.push(format!("{bound}: another outcome than without a bound"));
        }
    }
    Some((found, most))
}

/// Compares random programs, and fails with the smallest one that differs.
fn compare(flavour: Flavour, seed: u64, count: usize) {
    let count = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 4 * count } else { count };
    let mut rng = Rng::with_seed(seed);
    let (mut judged, mut bounded) = (0, 0);
    for number in 0..count {
        let program = random::program(&mut rng, flavour);
        let model = [Model::Rc11, Model::Rc11, Model::Sc][number % 3];
        let limits = Limits { partial: 3_000, complete: 10_000 };
        let question = Question { model, release_sequences: ReleaseSequences::Cpp20, loop_bound: 2, limits };
        let scheduler = match number % 4 {
            0 => Scheduler::LowestFirst,
            1 => Scheduler::HighestFirst,
            2 => Scheduler::RoundRobin,
            _ => Scheduler::Seeded(rng.u64(..)),
        };
        let Some((found, most)) = differences(&program, &question, scheduler) else { continue };
        judged += 1;
        bounded += usize::from(most > 0);
        if !found.is_empty() {
            let fails = |program: &Program| {
                differences(program, &question, scheduler).is_some_and(|(found, _)| !found.is_empty())
            };
            let small = random::shrink(program, fails);
            let found = differences(&small, &question, scheduler);
            panic!("{flavour:?} {number}, {model:?} {scheduler:?}: {found:?}\n{small}");
        }
    }
    println!("{flavour:?}: {judged} programs of {count}, {bounded} with executions that need preemptions");
    assert!(judged * 3 > count && bounded * 10 > judged, "{judged} of {count}, {bounded} with preemptions");
}

#[test]
fn each_execution_within_a_bound_is_explored_once() {
    for (seed, flavour) in
        [Flavour::Mixed, Flavour::Rmw, Flavour::SeqCst, Flavour::ReleaseSequence].into_iter().enumerate()
    {
        compare(flavour, 31 + seed as u64, 150);
    }
}

#[test]
fn each_execution_within_a_bound_is_explored_after_branches() {
    compare(Flavour::Control, 41, 150);
}
