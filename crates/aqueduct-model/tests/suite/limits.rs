//! Checks with loom's interface that a limit ends: which executions they explore before.

use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool as Native, AtomicUsize as Count};
use std::time::Duration;

use aqueduct_model::model::Builder;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::Relaxed;
use aqueduct_model::thread;

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
