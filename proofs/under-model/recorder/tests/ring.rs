//! The recorder's ring on the model: every execution of each client, and a writer that ends at each
//! of its steps.

#[path = "clients/ring.rs"]
mod clients;

use std::sync::atomic::Ordering::Relaxed;

use aqueduct_checks::check_orderings;
use aqueduct_model::Config;
use aqueduct_recorder_under_model as library;

#[test]
fn each_record_is_found_once_losses_are_exact_and_every_ordering_is_needed() {
    check_orderings(&[], clients::CLIENTS, &[("library/recorder/src/ring/", 8)]);
}

#[test]
fn a_writer_that_is_killed_at_any_step_leaves_what_it_had_committed() {
    let mut steps = 0;
    while !clients::IS_COMPLETE.load(Relaxed) {
        let report = Config::new().kill(1, steps).finds_leaks(false).check(clients::a_writer_is_killed);
        assert!(report.failure.is_none() && report.exhaustive, "after {steps} steps: {report}");
        steps += 1;
    }
    assert_eq!(steps, 58, "each access of the writer is a step");
}

#[test]
fn a_writer_that_is_stopped_at_any_step_holds_up_no_reader() {
    for steps in 0..40 {
        let config = Config::new().suspend(1, steps).finds_leaks(false);
        let report = config.check(clients::a_writer_is_stopped);
        assert!(report.failure.is_none() && report.exhaustive, "after {steps} steps: {report}");
        assert!(report.threads[0].always_ends(), "after {steps} steps: {report}");
    }
}
