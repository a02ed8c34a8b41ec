//! The clients tell right from wrong, and the model world is the one that runs.

use std::sync::atomic::Ordering;

use aqueduct_model::{Config, FailureKind, Override};
use aqueduct_verify::broken::{Broken, Fault};
use aqueduct_verify::clients;
use aqueduct_verify::seven::Setup;

/// The clients that fail on a ring with this fault, and how.
fn failing(fault: Fault) -> Vec<(String, FailureKind)> {
    let clients = clients::of_any("ring", 1, |setup: Setup| Broken { setup, fault });
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

#[test]
fn the_ring_without_a_fault_passes() {
    assert_eq!(failing(Fault::None), []);
}

/// Compiled natively the client would have one execution without sites; and no race would be seen.
#[test]
fn the_model_world_is_active() {
    let client = clients::all().into_iter().find(|client| client.name == "lamport/capacity-1").expect("a client");
    let report = client.check(&Config::new());
    assert_eq!(report.executions, 20);
    let mut sites = report.sites.iter().filter(|site| site.file.ends_with("aqueduct/src/spsc/lamport.rs"));
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
