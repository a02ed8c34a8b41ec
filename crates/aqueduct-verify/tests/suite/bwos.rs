//! BWoS: what is wrong is found, and no thief blocks the owner.

use aqueduct_model::{Config, FailureKind};
use aqueduct_verify::broken_bwos;
use aqueduct_verify::bwos::broken::{self, Fault};
use aqueduct_verify::bwos::stopped;

fn failing(fault: Fault) -> Vec<(String, FailureKind)> {
    let clients = broken::clients(fault).into_iter();
    clients.filter_map(|client| Some((client.name.clone(), client.check(&Config::new()).failure?.kind))).collect()
}

#[test]
fn the_queue_without_a_fault_passes() {
    assert_eq!(failing(Fault::None), []);
}

#[test]
fn each_fault_is_found_by_the_client_that_is_there_for_it() {
    for (fault, client) in [
        (Fault::ThiefResets, "bwos-broken/meeting"),
        (Fault::RelaxedGrant, "bwos-broken/again"),
        (Fault::SkipsRefilled, "bwos-broken/found"),
    ] {
        let failing = failing(fault);
        assert!(failing.contains(&(client.to_owned(), FailureKind::Panic)), "{fault:?}: {failing:?}");
    }
}

/// Of the library's own source.
#[test]
fn marks_that_are_not_heeded_are_found() {
    use FailureKind::{Race, UseAfterFree};
    for (fault, name, kind) in [
        (aqueduct_broken::Fault::BwosLastMarkIsAll, "bwos-lifo/batches", Race),
        (aqueduct_broken::Fault::BwosFifoLastMarkIsAll, "bwos-fifo/stolen-together", Race),
        (aqueduct_broken::Fault::BwosKeepsMarks, "bwos-fifo/stolen-again", Race),
        (aqueduct_broken::Fault::BwosMarksEarly, "bwos-lifo/lap", Race),
        (aqueduct_broken::Fault::BwosMarksEarly, "bwos-fifo/lap-three", Race),
        (aqueduct_broken::Fault::BwosLastTwoMarksAreAll, "bwos-lifo/three-thieves-block", Race),
        (aqueduct_broken::Fault::BwosFifoLastTwoMarksAreAll, "bwos-fifo/slow-thieves-three", UseAfterFree),
    ] {
        let failure_with = |fault| {
            let client = broken_bwos::clients(fault).into_iter().find(|client| client.name == name).expect("a client");
            client.check(&Config::new()).failure
        };
        assert_eq!(failure_with(Some(fault)).map(|failure| failure.kind), Some(kind), "{fault:?} in {name}");
        assert!(failure_with(None).is_none(), "{name}");
    }
}

#[test]
fn an_owner_completes_whatever_step_a_thief_stops_at() {
    for (name, reports) in stopped::all() {
        assert!(reports.len() > 3, "{name}: a thief has {} steps", reports.len());
        for (steps, report) in reports.into_iter().enumerate() {
            let owner = report.threads.first().cloned().unwrap_or_default();
            assert!(report.failure.is_none() && report.exhaustive, "{name}, after {steps} steps: {report}");
            assert!(owner.ended > 0 && owner.waiting == 0 && report.cut == 0, "{name}, after {steps} steps: {owner:?}");
            assert_eq!(owner.ended, report.executions, "{name}, after {steps} steps");
        }
    }
}
