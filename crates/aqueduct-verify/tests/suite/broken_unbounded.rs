//! Each fault of `aqueduct-broken` that is of the unbounded queue is found by the client that is there for it.

use aqueduct_broken::Fault;
use aqueduct_model::{Config, FailureKind};
use aqueduct_verify::{broken_unbounded, clients};

#[test]
fn each_fault_is_found_by_the_client_that_is_there_for_it() {
    use FailureKind::*;
    let table = [
        (Fault::UnboundedIgnoresTheSkip, "unbounded/1x1-2", Panic),
        (Fault::UnboundedLastSlotIsAll, "unbounded/slow-pops-2", UseAfterFree),
        (Fault::UnboundedFreesUnread, "unbounded/late-pop-beside", Race),
        (Fault::UnboundedCountsOneVisitor, "unbounded/2x1-end-1", Leak),
        (Fault::UnboundedCountsOneVisitor, "unbounded/slow-pushes-1", UseAfterFree),
        (Fault::UnboundedHeadPassesTheTail, "unbounded/late-link-stopped", TooManyEvents),
        (Fault::UnboundedFillsTheFirstAgain, "unbounded/1x1-1", Panic),
        (Fault::UnboundedBelievesTwoWords, "unbounded/never-empty", Panic),
    ];
    for (fault, name, kind) in table {
        let client = broken_unbounded::clients(Some(fault)).into_iter().find(|client| client.name == name);
        let failure = client.expect("a client").check(&Config::new()).failure;
        assert_eq!(failure.map(|failure| failure.kind), Some(kind), "{fault:?} in {name}");
    }
}

/// A consumer that waits for a producer also waits when that one is stopped.
#[test]
fn a_pop_that_waits_is_seen() {
    let subjects = broken_unbounded::stalls(Fault::UnboundedWaitsForTheProducer);
    let subject = subjects.iter().find(|subject| subject.name() == "unbounded-2").expect("it is there");
    let table = subject.table();
    assert!(!table.is_right(), "{table}");
    let text = table.to_string();
    let wrong: Vec<&str> = text.lines().filter(|line| line.starts_with("WRONG")).collect();
    assert!(wrong.iter().any(|line| line.contains("victim: Push") && line.contains("suspended after step")), "{text}");
}

/// Without a fault, the copy is the library: it has the same executions.
#[test]
fn the_copy_without_a_fault_is_the_library() {
    let copies = broken_unbounded::clients(None);
    for name in ["unbounded/1x1-1", "unbounded/1x1-2", "unbounded/late-pop-listed", "unbounded/slices-2"] {
        let count = |clients: &[clients::Client]| {
            let client = clients.iter().find(|client| client.name == name).expect("a client");
            let report = client.check(&Config::new());
            assert!(report.failure.is_none(), "{name}: {}", report.failure.unwrap());
            report.executions
        };
        assert_eq!(count(&copies), count(&clients::all()), "{name}");
    }
}
