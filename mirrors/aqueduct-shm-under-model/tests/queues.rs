//! The queues on the model: every execution of each client, and sides that are killed at each of their steps.

mod clients;
#[path = "../../aqueduct-channel-under-model/tests/common/checks.rs"]
mod common;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use aqueduct_model::Config;
use aqueduct_shm_under_model as library;
use clients::{IS_COMPLETE, Items, Records};
use common::{check_all, check_orderings};

#[test]
fn each_number_comes_once_and_in_order() {
    check_all(clients::CLIENTS);
}

#[test]
fn every_ordering_is_needed() {
    check_orderings(clients::CLIENTS, "aqueduct-shm/src/", 16);
}

/// Kills the client's thread after each number of its steps. Returns how many there are.
fn kills(client: fn()) -> usize {
    // The clients say in one static word that their thread has come to its end.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    IS_COMPLETE.store(false, Relaxed);
    let mut steps = 0;
    while !IS_COMPLETE.load(Relaxed) {
        let report = Config::new().kill(1, steps).finds_leaks(false).check(client);
        assert!(report.failure.is_none() && report.exhaustive, "after {steps} steps: {report}");
        steps += 1;
    }
    steps
}

#[test]
fn a_producer_that_is_killed_at_any_step_loses_nothing_that_it_has_pushed() {
    let clients: [fn(); 4] = [
        clients::producer_is_killed::<Items<1>>,
        clients::producer_is_killed::<Items<2>>,
        clients::producer_is_killed::<Records<4>>,
        clients::producer_is_killed::<Records<8>>,
    ];
    assert_eq!(clients.map(kills), [18, 22, 15, 21], "steps: each access of the thread is one");
}

#[test]
fn a_consumer_that_is_killed_at_any_step_leaves_the_rest_to_its_successor() {
    let clients: [fn(); 4] = [
        clients::consumer_is_killed::<Items<1>>,
        clients::consumer_is_killed::<Items<2>>,
        clients::consumer_is_killed::<Records<4>>,
        clients::consumer_is_killed::<Records<8>>,
    ];
    assert_eq!(clients.map(kills), [13, 12, 13, 13], "steps: each access of the thread is one");
}
