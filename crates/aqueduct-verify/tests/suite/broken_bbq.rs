//! Each fault of `aqueduct-broken` is found by the client that is there for it.

use aqueduct_broken::Fault;
use aqueduct_model::{Config, FailureKind};
use aqueduct_verify::{broken_bbq, clients};

#[test]
fn each_fault_is_found_by_the_client_that_is_there_for_it() {
    use FailureKind::*;
    let table = [
        (Fault::BbqOpenUnlessUsedUp, "bbq-spmc/1x2-laps", DoubleFree),
        (Fault::BbqLastEntryIsAll, "bbq-mpmc/1x2-full-wide", Race),
        (Fault::BbqReaderDoesNotLook, "bbq-drop_old_spmc/1x1-over", Panic),
        (Fault::BbqReaderDoesNotLook, "bbq-drop_old_mpmc/2x1-over-wide", Panic),
        (Fault::BbqOrdersVersions, "bbq-drop_old_mpmc/1x1-rested", Panic),
        (Fault::BbqMarksEarly, "bbq-spsc/1x1-full", Race),
        (Fault::BbqMarksEarly, "bbq-mpmc/2x2", Race),
        (Fault::BbqGoesOnUnseen, "bbq-spsc/slices-lines", Uninitialized),
        (Fault::BbqGoesOnUnseen, "bbq-mpsc-each/slices-lines", Uninitialized),
        (Fault::BbqOpensAnyBlock, "bbq-mpmc/2x1-full", Race),
        (Fault::FaaqLastEntryIsAll, "faaq/2x1-wide", Uninitialized),
        (Fault::FaaqGivesOverAnyLap, "faaq/late-opened", Panic),
        (Fault::FaaqOpensAnyLap, "faaq/late-mark", Panic),
        (Fault::BbqFollowsNoHead, "bbq-drop_old_mpmc/2x1-over", TooManyEvents),
        (Fault::BbqKeepsTheOldHead, "bbq-drop_old_spmc/1x2-asleep", Panic),
        (Fault::BbqKeepsTheOldHead, "bbq-drop_old_mpmc/1x2-asleep", Panic),
        (Fault::BbqSkipsUncounted, "bbq-drop_old_spmc/1x1-over", Panic),
        (Fault::BbqLeavesTheHeadBehind, "bbq-mpmc/late-opener", TooManyEvents),
        (Fault::BbqLeavesTheHeadBehind, "faaq/late-opener", TooManyEvents),
        (Fault::BbqTakesAnyLap, "bbq-mpmc/late-opener", TooManyEvents),
        (Fault::BbqTakesAnyLap, "bbq-shared/2x2", TooManyEvents),
        (Fault::BbqSaysAlone, "bbq-drop_old_mpmc/2x1-alone", Panic),
        (Fault::BbqStaysAlone, "bbq-drop_old_mpmc/2x1-paused", Panic),
        (Fault::BbqRenewsToThisLap, "bbq-drop_old_mpmc/2x1-renew", Panic),
        (Fault::BbqRenewsBlindly, "bbq-records_mpsc/2x1-renew", Panic),
        (Fault::BbqRenewsBlindly, "bbq-records_mpmc/2x1-renew", Panic),
        (Fault::BbqTakesAfterLoss, "bbq-mpsc/3x1-last", Race),
        (Fault::BbqTakesAfterLoss, "bbq-records_mpsc/3x1-wide", Race),
        (Fault::BbqPopsAfterLoss, "bbq-spmc/1x3-last", UseAfterFree),
        (Fault::FaaqMarksAfterLoss, "faaq/slow-pops-two", UseAfterFree),
        (Fault::BbqGoesBlindly, "bbq-drop_old_spmc/1x1-spare", Panic),
    ];
    for (fault, name, kind) in table {
        let client = broken_bbq::clients(Some(fault)).into_iter().find(|client| client.name == name);
        let failure = client.expect("a client").check(&Config::new()).failure;
        assert_eq!(failure.map(|failure| failure.kind), Some(kind), "{fault:?} in {name}");
    }
}

/// Without a fault, the copy is the library: it has the same executions.
#[test]
fn the_copy_without_a_fault_is_the_library() {
    let copies = broken_bbq::clients(None);
    for name in ["bbq-spmc/1x2-laps", "bbq-mpmc/1x2-full-wide", "bbq-drop_old_spmc/1x1-over-wide", "bbq-mpmc/2x2"] {
        let count = |clients: &[clients::Client]| {
            let client = clients.iter().find(|client| client.name == name).expect("a client");
            let report = client.check(&Config::new());
            assert!(report.failure.is_none(), "{name}: {}", report.failure.unwrap());
            report.executions
        };
        assert_eq!(count(&copies), count(&clients::all()), "{name}");
    }
}
