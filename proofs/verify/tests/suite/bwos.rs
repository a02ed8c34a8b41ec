//! BWoS: planted faults are found, and no thief blocks the owner.

use aqueduct_model::{Config, FailureKind};
use aqueduct_verify::clients::bwos::stopped;
use aqueduct_verify::faults::deque::{self, Fault};

fn failing(fault: Fault) -> Vec<(String, FailureKind)> {
    let clients = deque::clients(fault).into_iter();
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

/// The case of many executions runs with the environment variable `AQUEDUCT_THOROUGH=1` only, which
/// the gate sets.
#[test]
fn an_owner_completes_whatever_step_a_thief_stops_at() {
    let is_thorough = std::env::var_os("AQUEDUCT_THOROUGH").is_some();
    for case in stopped::cases().iter().filter(|case| is_thorough || !case.is_large) {
        let (name, reports) = (case.name, case.reports());
        assert!(reports.len() > 3, "{name}: a thief has {} steps", reports.len());
        for (steps, report) in reports.into_iter().enumerate() {
            let owner = report.threads.first().cloned().unwrap_or_default();
            assert!(report.failure.is_none() && report.exhaustive, "{name}, after {steps} steps: {report}");
            assert!(owner.ended > 0 && owner.waiting == 0 && report.cut == 0, "{name}, after {steps} steps: {owner:?}");
            assert_eq!(owner.ended, report.executions, "{name}, after {steps} steps");
        }
    }
}
