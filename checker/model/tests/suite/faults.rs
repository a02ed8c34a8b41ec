//! Faults planted in the checker must show in counts or outcomes that other tests assert.

use aqueduct_model::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::fence;
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

#[test]
fn a_failure_with_the_ordering_of_success_forbids_stale_messages() {
    let bodies: [Body; 2] = [
        |c| {
            c.x.store(1, Relaxed);
            c.y.store(1, Release);
            NONE
        },
        |c| {
            let seen = c.y.compare_exchange(5, 6, Acquire, Relaxed).unwrap_or_else(|seen| seen);
            vec![seen, c.x.load(Relaxed)]
        },
    ];
    assert!(!outcome(Fault::FailureTakesSuccess, &bodies).states.contains(&vec![1, 0]));
    is_caught(Fault::FailureTakesSuccess, &bodies);
}

/// IRIW with SC writes and acquiring first reads: RC11 lets the readers disagree, C11 as first
/// repaired does not.
#[test]
fn an_sc_axiom_of_all_hb_misses_outcomes() {
    let bodies: [Body; 4] = [
        |c| {
            c.x.store(1, SeqCst);
            NONE
        },
        |c| {
            c.y.store(1, SeqCst);
            NONE
        },
        |c| vec![c.x.load(Acquire), c.y.load(SeqCst)],
        |c| vec![c.y.load(Acquire), c.x.load(SeqCst)],
    ];
    assert!(!outcome(Fault::ScTakesAllHb, &bodies).states.contains(&vec![1, 0, 1, 0]));
    is_caught(Fault::ScTakesAllHb, &bodies);
}

#[test]
fn an_sc_axiom_without_eco_allows_store_buffering() {
    let bodies: [Body; 2] = [
        |c| {
            c.x.store(1, Relaxed);
            fence(SeqCst);
            vec![c.y.load(Relaxed)]
        },
        |c| {
            c.y.store(1, Relaxed);
            fence(SeqCst);
            vec![c.x.load(Relaxed)]
        },
    ];
    assert!(outcome(Fault::ScForgetsEco, &bodies).states.contains(&vec![0, 0]));
    is_caught(Fault::ScForgetsEco, &bodies);
}

/// Store buffering with a fence in one thread and SC accesses in the other.
#[test]
fn an_sc_axiom_that_forgets_accesses_before_fences_allows_store_buffering() {
    let bodies: [Body; 2] = [
        |c| {
            c.x.store(1, Relaxed);
            fence(SeqCst);
            vec![c.y.load(Relaxed)]
        },
        |c| {
            c.y.store(1, SeqCst);
            vec![c.x.load(SeqCst)]
        },
    ];
    assert!(outcome(Fault::ScForgetsAccessToFence, &bodies).states.contains(&vec![0, 0]));
    is_caught(Fault::ScForgetsAccessToFence, &bodies);
}
