//! Faults planted in the checker must show in counts or outcomes that other tests assert.

use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use aqueduct_model::{Config, Fault};

use crate::support::{Body, Outcome, explore};

const NONE: Vec<usize> = Vec::new();

fn outcome(fault: Fault, bodies: &[Body]) -> Outcome {
    explore(&Config::new().fault(fault), bodies).1
}

fn is_caught(fault: Fault, bodies: &[Body]) {
    assert_ne!(outcome(fault, bodies), outcome(Fault::None, bodies), "{fault:?}");
}

#[test]
fn a_skipped_revisit_misses_executions() {
    let bodies: [Body; 2] = [
        |c| vec![c.x.load(Relaxed), c.y.load(Relaxed), c.z.load(Relaxed)],
        |c| {
            c.x.store(1, Relaxed);
            c.y.store(1, Relaxed);
            c.z.store(1, Relaxed);
            NONE
        },
    ];
    assert!(outcome(Fault::SkippedRevisit, &bodies).executions < 8);
    is_caught(Fault::SkippedRevisit, &bodies);
}

#[test]
fn a_wrong_clock_allows_stale_messages() {
    let bodies: [Body; 2] = [
        |c| {
            c.x.store(1, Relaxed);
            c.y.store(1, Release);
            NONE
        },
        |c| vec![c.y.load(Acquire), c.x.load(Relaxed)],
    ];
    assert!(outcome(Fault::WrongClock, &bodies).states.contains(&vec![1, 0]));
    is_caught(Fault::WrongClock, &bodies);
}

#[test]
fn an_ignored_release_sequence_allows_stale_messages() {
    let bodies: [Body; 3] = [
        |c| {
            c.x.store(1, Relaxed);
            c.y.store(1, Release);
            NONE
        },
        |c| vec![c.y.fetch_add(1, Relaxed)],
        |c| vec![c.y.load(Acquire), c.x.load(Relaxed)],
    ];
    assert!(outcome(Fault::IgnoredReleaseSequence, &bodies).states.contains(&vec![1, 2, 0]));
    is_caught(Fault::IgnoredReleaseSequence, &bodies);
}

#[test]
fn a_read_modify_write_that_reads_only_the_newest_misses_outcomes() {
    let bodies: [Body; 2] = [
        |c| {
            c.x.store(1, Relaxed);
            c.y.store(1, Relaxed);
            NONE
        },
        |c| vec![c.y.load(Relaxed), c.x.fetch_add(10, Relaxed)],
    ];
    assert!(!outcome(Fault::RmwReadsNewest, &bodies).states.contains(&vec![1, 0]));
    is_caught(Fault::RmwReadsNewest, &bodies);
}
