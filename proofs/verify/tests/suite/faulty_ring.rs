//! The clients tell right from wrong, and the model backend is the one that runs.

use std::sync::atomic::Ordering;

use aqueduct_model::{Config, FailureKind, Override};
use aqueduct_verify::clients;
use aqueduct_verify::clients::spsc::{self, Setup};
use aqueduct_verify::faults::ring::{Fault, FaultyRing};

const FAULTS: [Fault; 10] = [
    Fault::AnnouncesEarly,
    Fault::ReleasesEarly,
    Fault::OneTooMany,
    Fault::ComparesIndices,
    Fault::SwallowsRefused,
    Fault::PopsTwice,
    Fault::LeavesRest,
    Fault::DropsPopped,
    Fault::FreesFirst,
    Fault::AbandonedEarly,
];

/// Returns the clients that fail on a ring with this fault, and how.
fn failing(fault: Fault) -> Vec<(String, FailureKind)> {
    let clients = spsc::of_any("ring", 1, |setup: Setup| FaultyRing { setup, fault });
    (clients.into_iter().filter(|client| !client.big))
        .filter_map(|client| Some((client.name.clone(), client.check(&Config::new()).failure?.kind)))
        .collect()
}

#[test]
fn each_fault_is_caught_by_the_client_that_is_there_for_it() {
    use FailureKind::*;
    let table = [
        (Fault::AnnouncesEarly, "ring/capacity-1", Uninitialized),
        (Fault::ReleasesEarly, "ring/full-1", Race),
        (Fault::OneTooMany, "ring/wait", Race),
        (Fault::ComparesIndices, "ring/wait", Liveness),
        (Fault::SwallowsRefused, "ring/full-1", Panic),
        (Fault::SwallowsRefused, "ring/history-full", Panic),
        (Fault::PopsTwice, "ring/capacity-1", UseAfterFree),
        (Fault::LeavesRest, "ring/drop-full", Leak),
        (Fault::DropsPopped, "ring/drop", DoubleFree),
        (Fault::FreesFirst, "ring/drop", UseAfterFree),
        (Fault::AbandonedEarly, "ring/last", Panic),
    ];
    let mut wrong = String::new();
    for (fault, name, kind) in table {
        let failing = failing(fault);
        if !failing.contains(&(name.to_owned(), kind)) {
            wrong += &format!("{fault:?} is not caught by {name} as {kind:?}; caught: {failing:?}\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Random executions find each fault, too, and the replay string leads to it again.
#[test]
fn each_fault_is_found_by_chance_and_replayed() {
    for fault in FAULTS {
        let clients = spsc::of_any("ring", 1, |setup: Setup| FaultyRing { setup, fault });
        let found = clients.into_iter().filter(|client| !client.big).find_map(|client| {
            let failure = client.check(&Config::new().random(300, 4)).failure?;
            Some((client, failure))
        });
        let (client, failure) = found.unwrap_or_else(|| panic!("{fault:?} is not found by chance"));
        let again = client.check(&Config::new().replay(&failure.replay)).failure;
        let again = again.unwrap_or_else(|| panic!("{fault:?}: the replay of {} passes: {failure}", client.name));
        // The drawing marks both accesses of a race.
        let marked = failure.graph.events.iter().filter(|event| event.marked).count();
        assert!(failure.kind != FailureKind::Race || marked == 2, "{fault:?}: {marked} events are marked: {failure}");
        // In the replay, errors of destructors during an unwinding panic count as the panic.
        assert!(
            again.kind == failure.kind || again.kind == FailureKind::Panic,
            "{fault:?}: {failure}\n\nreplayed: {again}"
        );
    }
}

#[test]
fn the_ring_without_a_fault_passes() {
    assert_eq!(failing(Fault::None), []);
}

/// Natively compiled, the client would have one execution without sites, and no race would be
/// reported.
#[test]
fn the_model_world_is_active() {
    let client = clients::all().into_iter().find(|client| client.name == "lamport/capacity-1").expect("a client");
    let report = client.check(&Config::new());
    assert_eq!(report.executions, 20);
    let mut sites = report.sites.iter().filter(|site| site.file.ends_with("library/queues/src/spsc/lamport.rs"));
    let publication = sites.find(|site| site.ordering == "Release").expect("Lamport's queue publishes an index");
    let weaker = Override {
        file: publication.file.to_owned(),
        line: publication.line,
        column: publication.column,
        ordering: Some(Ordering::Relaxed),
        failure: None,
    };
    let weakened = client.check(&Config::new().overrides([weaker]));
    assert_eq!(weakened.failure.map(|failure| failure.kind), Some(FailureKind::Race));
}
