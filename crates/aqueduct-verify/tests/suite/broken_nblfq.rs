//! Each fault of `aqueduct-broken` that is of NBLFQ is found by the client that is there for it.

use aqueduct_broken::Fault;
use aqueduct_model::{Config, FailureKind};
use aqueduct_verify::{broken_nblfq, clients};

#[test]
fn each_fault_is_found_by_the_client_that_is_there_for_it() {
    use FailureKind::*;
    let table = [
        (Fault::NblfqAnyEmptySlot, "nblfq/2x1-full-4", Panic),
        (Fault::NblfqNoNewPass, "nblfq/1x1-2", TooManyEvents),
        (Fault::NblfqAnyItem, "nblfq/1x2-full-2", Panic),
        (Fault::NblfqPopDoesNotCount, "nblfq/1x1-2", Panic),
        (Fault::NblfqFullByNeighbours, "nblfq/3x1-4", Panic),
    ];
    for (fault, name, kind) in table {
        let client = broken_nblfq::clients(Some(fault)).into_iter().find(|client| client.name == name);
        let failure = client.expect("a client").check(&Config::new()).failure;
        assert_eq!(failure.map(|failure| failure.kind), Some(kind), "{fault:?} in {name}");
    }
}

/// A thread that waits for another one also waits when that one is stopped.
#[test]
fn a_push_that_waits_is_seen() {
    let subjects = broken_nblfq::stalls(Fault::NblfqWaitsForTheHead);
    let subject = subjects.iter().find(|subject| subject.name() == "nblfq-3").expect("it is there");
    let table = subject.table();
    assert!(!table.is_right(), "{table}");
    // A loop of several loads is none of the model's waits, and runs away.
    let text = table.to_string();
    let wrong: Vec<&str> = text.lines().filter(|line| line.starts_with("WRONG")).collect();
    assert!(wrong.iter().all(|line| line.contains("victim: Push") && line.contains("TooManyEvents")), "{text}");
    assert!(wrong.iter().any(|line| line.contains("suspended after step 4")), "once its item is there: {text}");
    assert!(!wrong.iter().any(|line| line.contains("after step 3")), "{text}");
}

/// Without a fault, the copy is the library: it has the same executions.
#[test]
fn the_copy_without_a_fault_is_the_library() {
    let copies = broken_nblfq::clients(None);
    for name in ["nblfq/1x1-2", "nblfq/2x1-4", "nblfq/1x2-lap-wide-2", "nblfq/interrupted-push"] {
        let count = |clients: &[clients::Client]| {
            let client = clients.iter().find(|client| client.name == name).expect("a client");
            let report = client.check(&Config::new());
            assert!(report.failure.is_none(), "{name}: {}", report.failure.unwrap());
            report.executions
        };
        assert_eq!(count(&copies), count(&clients::all()), "{name}");
    }
}
