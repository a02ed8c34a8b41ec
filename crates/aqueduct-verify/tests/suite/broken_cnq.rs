//! Each fault of CNQ in `aqueduct-broken` is found by the client that is there for it, and less of k than there is by
//! some.

use aqueduct_broken::Fault;
use aqueduct_model::{Config, FailureKind};
use aqueduct_verify::{broken_cnq, clients, cnq};

#[test]
fn each_fault_is_found_by_the_client_that_is_there_for_it() {
    use FailureKind::*;
    let table = [
        (Fault::CnqClosesNothing, "ahead", Panic),
        (Fault::CnqClosesItsLaneOnly, "three-late", Panic),
        (Fault::CnqClosesItsLaneOnly, "four-late", Panic),
        (Fault::CnqStaysOpenLate, "late", Panic),
        (Fault::CnqStaysOpenLate, "three-overtaken", Panic),
        (Fault::CnqStaysOpenLate, "slow-closing", Panic),
        (Fault::CnqLooksOnce, "slow-closing", Panic),
        (Fault::CnqClosesItsLaneOnly, "slow-pushes-four", Panic),
        (Fault::CnqAsksItsLaneOnly, "slow-pops", Panic),
        (Fault::CnqAddsToTheCount, "ahead", Panic),
        (Fault::CnqBelievesTheCount, "ahead-put", UseAfterFree),
        (Fault::CnqAnswersForAnother, "full-again", Panic),
        (Fault::CnqKeepsTheSpare, "closed-twice", Race),
        (Fault::CnqGivesBackTheCapsule, "closed-twice", Race),
        (Fault::CnqClosesUnseen, "closed", Panic),
        (Fault::CnqHasNoWindow, "behind", Panic),
        (Fault::CnqReadsAgain, "fragment", UseAfterFree),
        (Fault::CnqForgetsFragments, "fragment-taken", Panic),
        (Fault::CnqReadsTheForbidden, "reserved", Panic),
        (Fault::CnqForgetsTheForbidden, "reserved-exchanged", Panic),
        (Fault::CnqAsksItsLaneOnly, "reserved-passed", Panic),
    ];
    for (fault, name, kind) in table {
        let tube = if name.starts_with("reserved") { "faaq" } else { "ring" };
        let name = format!("cnq-{tube}/{name}");
        let client = broken_cnq::clients(Some(fault)).into_iter().find(|client| client.name == name);
        let failure = client.expect("a client").check(&Config::new()).failure;
        assert_eq!(failure.map(|failure| failure.kind), Some(kind), "{fault:?} in {name}");
    }
}

#[test]
fn each_fault_of_the_tubes_is_found() {
    use FailureKind::*;
    let table = [
        (Fault::IndicesFollowUnknowing, "tube-indices/2x2", TooManyEvents),
        (Fault::IndicesTakeAnyLap, "tube-indices/1x1", Uninitialized),
        (Fault::IndicesFillAnyLap, "tube-indices/2x1", Panic),
        (Fault::IndicesTakeAfterLoss, "tube-indices/3x1", Race),
        (Fault::RingTakesAfterLoss, "tube-ring/3x1", Race),
    ];
    for (fault, name, kind) in table {
        let client = broken_cnq::clients(Some(fault)).into_iter().find(|client| client.name == name);
        let failure = client.expect("a client").check(&Config::new()).failure;
        assert_eq!(failure.map(|failure| failure.kind), Some(kind), "{fault:?} in {name}");
    }
}

/// k cannot be less: not for what overtakes an item, nor for what is left behind by one.
#[test]
fn k_is_exact() {
    for name in ["late", "behind", "apart"] {
        let failure = cnq::world::with_less_k(name).expect("a client").check(&Config::new()).failure;
        let failure = failure.unwrap_or_else(|| panic!("{name} does with less"));
        assert!(failure.message.contains("not linearizable"), "{name}: {failure}");
    }
}

/// Without a fault, the copy is the library: it has the same executions.
#[test]
fn the_copy_without_a_fault_is_the_library() {
    let copies = broken_cnq::clients(None);
    for name in ["cnq-ring/closed", "cnq-ring/late", "cnq-ring/fragment-open", "tube-ring/2x1"] {
        let count = |clients: &[clients::Client]| {
            let client = clients.iter().find(|client| client.name == name).expect("a client");
            let report = client.check(&Config::new());
            assert!(report.failure.is_none(), "{name}: {}", report.failure.unwrap());
            report.executions
        };
        assert_eq!(count(&copies), count(&clients::all()), "{name}");
    }
}
