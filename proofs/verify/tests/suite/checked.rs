//! The worker of the library's example `checked`, from the example's file, under the checker: it
//! does every job, and its variant with a mistake loses one.

#[path = "../../../../library/queues/examples/checked/worker.rs"]
mod worker;

use aqueduct::bbq::Queue;
use aqueduct_model::sync::Arc;
use aqueduct_model::{Config, FailureKind, Report, thread};
use worker::{Inbox, work, work_that_asks_late};

/// Explores all executions of two jobs and a stop.
fn explored(work: fn(&Inbox) -> u32) -> Report {
    Config::new().check(move || {
        let inbox = Arc::new(Inbox::new(Queue::new(64).expect("a small queue")));
        let theirs = Arc::clone(&inbox);
        let worker = thread::spawn(move || work(&theirs));
        (1..=2).for_each(|job| inbox.jobs.push(job).expect("there is room"));
        inbox.stop();
        assert_eq!(worker.join().expect("the worker does not panic"), 3, "a job was lost");
    })
}

#[test]
fn every_execution_does_all_jobs() {
    let report = explored(work);
    assert!(report.failure.is_none() && report.exhaustive, "{report}");
}

#[test]
fn a_worker_that_asks_late_loses_a_job() {
    let failure = explored(work_that_asks_late).failure.expect("it loses a job");
    assert!(failure.kind == FailureKind::Panic && failure.to_string().contains("a job was lost"), "{failure}");
}
