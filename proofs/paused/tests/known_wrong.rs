//! The mirror finds known faults.
//!
//! In turns, a fault is found in one round, until the library's source changes. The faults were
//! chosen because ten of ten other seeds found them quickly; `BbqStaysAlone` and
//! `NblfqWaitsForTheHead` take longer.

use aqueduct_paused::Fault::{self, *};
use aqueduct_paused::pauses::Mode;
use aqueduct_paused::workouts::{Case, cases_of, first_failure};

/// The most rounds of each case.
const ROUNDS: u64 = 1500;

fn is_found(fault: Fault, mode: Mode, which: impl Fn(&Case) -> bool) {
    let mut cases = cases_of(fault);
    cases.retain(which);
    let failure = first_failure(&cases, mode, 0..ROUNDS, Some(fault));
    println!("{fault:?}: {}", failure.unwrap_or_else(|| panic!("{fault:?} is not found")));
}

fn are_found(faults: &[Fault]) {
    faults.iter().for_each(|&fault| is_found(fault, Mode::Turns, |_| true));
}

#[test]
fn faults_of_blocks() {
    are_found(&[
        BbqOpenUnlessUsedUp,
        BbqLastEntryIsAll,
        BbqMarksEarly,
        BbqGoesOnUnseen,
        BbqBusyIsFull,
        BbqOpensAnyBlock,
        BbqTakesAnyLap,
        BbqBusyIsEmpty,
        BbqSaysAlone,
        FaaqLastEntryIsAll,
        FaaqGivesOverAnyLap,
        FaaqOpensAnyLap,
    ]);
}

/// The fault shows when a producer holds a grant while a consumer goes on.
#[test]
fn a_record_that_comes_before_it_is_committed() {
    is_found(BbqGrantsAreRecords, Mode::Turns, |case| case.queue.name.starts_with("records::"));
}

#[test]
fn faults_of_drop_old_queues() {
    are_found(&[BbqReaderDoesNotLook, BbqKeepsTheOldHead, BbqSkipsUncounted]);
}

/// The fault shows when several producers come to a fresh block at once, one of them slow.
#[test]
fn a_producer_that_takes_itself_for_alone() {
    is_found(BbqStaysAlone, Mode::Turns, |case| case.queue.name == "drop_old::mpmc" && case.threads[0] > 2);
}

#[test]
fn faults_of_cnq() {
    are_found(&[
        CnqClosesNothing,
        CnqStaysOpenLate,
        CnqAddsToTheCount,
        CnqKeepsTheSpare,
        CnqGivesBackTheCapsule,
        CnqClosesUnseen,
        CnqHasNoWindow,
        CnqReadsAgain,
        CnqRefusedIsEmpty,
        CnqForgetsFragments,
    ]);
}

/// With the fault, only a capsule of its own lane closes a producer's last capsule. With three
/// producers, the other two go on while one is slow.
#[test]
fn cnq_with_three_producers() {
    is_found(CnqClosesItsLaneOnly, Mode::Turns, |case| case.to_string() == "cnq::SequencedRing 3x1");
}

#[test]
fn faults_of_index_queues() {
    are_found(&[IndicesTakeAnyLap, IndicesFillAnyLap, IndicesWaitForTheTail]);
}

#[test]
fn faults_of_nblfq() {
    are_found(&[NblfqAnyEmptySlot, NblfqNoNewLap, NblfqAnyItem, NblfqPopDoesNotCount, NblfqWaitsForTheHead]);
}

#[test]
fn faults_of_the_unbounded_queue() {
    are_found(&[UnboundedIgnoresTheSkip, UnboundedWaitsForTheProducer, UnboundedFillsTheFirstAgain]);
}

#[test]
fn faults_of_work_stealing_queues() {
    are_found(&[BwosLastMarkIsAll, BwosKeepsMarks, BwosMarksEarly]);
}

/// Threads of the operating system find the faults that show most often.
#[test]
fn faults_that_free_threads_find() {
    let faults = [BbqMarksEarly, BbqReaderDoesNotLook, BbqSkipsUncounted, CnqRefusedIsEmpty];
    // One fault shows that free threads find faults; rounds in turns find each of them.
    let few = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 4 } else { 1 };
    for fault in faults.into_iter().take(few) {
        is_found(fault, Mode::Free, |_| true);
    }
}
