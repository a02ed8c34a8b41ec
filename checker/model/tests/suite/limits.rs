//! Checks with loom's interface that a limit ends: the executions that they explore before.

use std::env;
use std::panic::catch_unwind;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool as Native, AtomicUsize as Count};
use std::time::Duration;

use aqueduct_model::model::Builder;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::Relaxed;
use aqueduct_model::{Config, thread};

use crate::support::passed;

/// Returns one of two outcomes. Each has far more executions than can be explored.
fn outcome() -> usize {
    let (flag, sum) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let theirs = Arc::clone(&flag);
    thread::spawn(move || theirs.store(1, Relaxed));
    let outcome = flag.load(Relaxed);
    for _ in 0..4 {
        let sum = Arc::clone(&sum);
        thread::spawn(move || (0..5).for_each(|_| _ = sum.fetch_add(1, Relaxed)));
    }
    outcome
}

fn for_a_moment() -> Builder {
    let mut builder = Builder::new();
    builder.max_duration = Some(Duration::from_secs(1));
    builder
}

#[test]
fn a_check_that_time_ends_has_seen_more_than_the_corner_where_it_began() {
    let seen = Arc::new([const { Native::new(false) }; 2]);
    let note = Arc::clone(&seen);
    for_a_moment().check(move || note[outcome()].store(true, Relaxed));
    let seen = [0, 1].map(|outcome: usize| seen[outcome].load(Relaxed));
    assert_eq!(seen, [true, true]);
}

#[test]
fn what_is_met_by_chance_before_the_time_is_over_fails_with_a_replay_string() {
    for rare in [0, 1] {
        let failed = catch_unwind(|| for_a_moment().check(move || assert_ne!(outcome(), rare, "as told")));
        let text = *failed.expect_err("each outcome is met").downcast::<String>().expect("a message");
        assert!(text.contains("as told") && text.contains("to replay: AQUEDUCT_REPLAY='"), "{text}");
    }
}

#[test]
fn a_limit_of_executions_is_kept() {
    let runs = Arc::new(Count::new(0));
    let count = Arc::clone(&runs);
    let mut builder = for_a_moment();
    builder.max_permutations = Some(1);
    builder.check(move || {
        count.fetch_add(1, Relaxed);
        outcome();
    });
    assert_eq!(runs.load(Relaxed), 1);
}

/// The next test runs it with variables of the environment.
#[test]
fn three_threads_count() {
    let count = Arc::new(Count::new(0));
    let runs = Arc::clone(&count);
    Builder::new().check(move || {
        let x = Arc::new(AtomicUsize::new(0));
        let threads = [(); 3].map(|()| {
            let x = Arc::clone(&x);
            thread::spawn(move || _ = x.fetch_add(1, Relaxed))
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        runs.fetch_add(1, Relaxed);
    });
    let runs = count.load(Relaxed);
    assert!(runs >= 6, "the threads count in six orders");
    println!("{runs} runs");
}

#[test]
fn variables_of_the_environment_choose_workers_and_random_executions() {
    let run = |variables: &[(&str, &str)]| {
        let mut child = Command::new(env::current_exe().expect("this test's path"));
        child.args(["--exact", "limits::three_threads_count", "--nocapture"]);
        let output = child.envs(variables.iter().copied()).output().expect("it can be started");
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text")).concat();
        (output.status.success(), text)
    };
    for variables in [&[][..], &[("AQUEDUCT_MODEL_JOBS", "2")]] {
        let (passed, text) = run(variables);
        assert!(passed && text.contains("6 runs") && !text.contains("NOT EXHAUSTIVE"), "{variables:?}: {text}");
    }
    let (passed, text) = run(&[("AQUEDUCT_MODEL_RANDOM", "20")]);
    assert!(passed && text.contains("NOT EXHAUSTIVE, nothing found in 20 executions"), "{text}");
    assert!(text.contains("they were picked by chance"), "{text}");
    let (passed, text) = run(&[("AQUEDUCT_MODEL_JOBS", "many")]);
    assert!(!passed && text.contains("AQUEDUCT_MODEL_JOBS must be a whole number"), "{text}");
}

/// `std`'s threads have 2 MiB.
#[test]
fn threads_have_as_much_stack_as_those_of_std() {
    let uses_much = || _ = std::hint::black_box(&[1_u8; 1_500_000]);
    passed(Config::new().check(move || {
        uses_much();
        thread::spawn(uses_much).join().unwrap();
    }));
}
