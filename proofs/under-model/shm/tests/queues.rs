//! The queues on the model: every execution of each client, and sides that are killed at each of
//! their steps.

mod clients;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use aqueduct_checks::check_orderings;
use aqueduct_model::Config;
use aqueduct_shm_under_model as library;
use clients::drop_old::Slots;
use clients::drop_old_records::{Long, Short};
use clients::left::{self, Lanes, OfMany, OfOne, Read};
use clients::many::goes_on_beside_a_stopped_one;
use clients::mpmc::Mpmc;
use clients::nblfq::Nblfq;
use clients::{Items, Records, WAS_KILLED, drop_old, drop_old_records, mpmc, nblfq, overwritten};

#[test]
fn each_number_comes_once_and_in_order_and_every_ordering_is_needed() {
    // From this client on, the table has those with many producers and consumers.
    let of_many = clients::CLIENTS.iter().position(|client| client.0 == "one_slot").expect("a client");
    let (of_one, of_many) = clients::CLIENTS.split_at(of_many);
    // RC11 forbids load buffering, and Arm does not. The search takes two clients of the lock-free
    // queue: with two threads of a side, it takes minutes.
    let is_short = |name: &str| {
        !name.contains("lock_free") && !name.contains("without_locks")
            || ["two_lock_free_slots", "attempts_on_two_lock_free_slots"].contains(&name)
    };
    let (short, long): (Vec<_>, Vec<_>) = of_many.iter().copied().partition(|client| is_short(client.0));
    check_orderings(&[of_one, &long].concat(), &short, &[("library/shm/src/", 40)]);
}

/// Kills the client's thread after each number of its steps, up to the greatest number in any
/// execution. Returns that number.
fn kills(client: fn()) -> usize {
    // The clients record in one static word that their thread was killed.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut steps = 0;
    loop {
        WAS_KILLED.store(false, Relaxed);
        let report = Config::new().kill(1, steps).finds_leaks(false).check(client);
        assert!(report.failure.is_none() && report.exhaustive, "after {steps} steps: {report}");
        if !WAS_KILLED.load(Relaxed) {
            return steps;
        }
        steps += 1;
    }
}

#[test]
fn a_producer_that_is_killed_at_any_step_loses_nothing_that_it_has_pushed() {
    let clients: [fn(); 4] = [
        clients::producer_is_killed::<Items<1>>,
        clients::producer_is_killed::<Items<2>>,
        clients::producer_is_killed::<Records<4>>,
        clients::producer_is_killed::<Records<8>>,
    ];
    assert_eq!(clients.map(kills), [24, 22, 29, 37], "steps: each access of the thread is one");
}

#[test]
fn a_consumer_that_is_killed_at_any_step_leaves_the_rest_to_its_successor() {
    let clients: [fn(); 4] = [
        clients::consumer_is_killed::<Items<1>>,
        clients::consumer_is_killed::<Items<2>>,
        clients::consumer_is_killed::<Records<4>>,
        clients::consumer_is_killed::<Records<8>>,
    ];
    assert_eq!(clients.map(kills), [23, 21, 23, 23], "steps: each access of the thread is one");
}

#[test]
fn one_of_many_producers_that_is_killed_at_any_step_loses_nothing_and_holds_up_nobody() {
    assert_eq!(kills(mpmc::producer_is_killed), 30, "steps: each access of the thread is one");
}

#[test]
fn one_of_many_consumers_that_is_killed_at_any_step_leaves_what_it_had_not_given() {
    let clients: [fn(); 2] = [mpmc::consumer_is_killed::<true>, mpmc::consumer_is_killed::<false>];
    assert_eq!(clients.map(kills), [28, 28], "steps: each access of the thread is one");
}

#[test]
fn a_producer_that_overwrites_and_is_killed_at_any_step_loses_nothing_and_holds_up_nobody() {
    let clients: [fn(); 3] = [
        drop_old::producer_is_killed,
        drop_old_records::producer_is_killed::<Short>,
        drop_old_records::producer_is_killed::<Long>,
    ];
    assert_eq!(clients.map(kills), [36, 37, 33], "steps: each access of the thread is one");
}

#[test]
fn a_reader_that_is_killed_at_any_step_leaves_nothing() {
    let clients: [fn(); 2] = [overwritten::reader_is_killed::<Slots<1>>, overwritten::reader_is_killed::<Short>];
    assert_eq!(clients.map(kills), [24, 27], "steps: each access of the thread is one");
}

#[test]
fn a_producer_that_is_killed_while_it_leaves_has_left_or_has_not() {
    let clients: [fn(); 7] = [
        left::leaver_is_killed::<OfOne<Items<1>>>,
        left::leaver_is_killed::<OfOne<Records<4>>>,
        left::leaver_is_killed::<Lanes>,
        left::leaver_is_killed::<OfMany<Mpmc>>,
        left::leaver_is_killed::<Read<Slots<2>>>,
        left::leaver_is_killed::<Read<Short>>,
        left::leaver_is_killed::<OfMany<Nblfq>>,
    ];
    assert_eq!(clients.map(kills), [6, 7, 9, 13, 16, 12, 9], "steps: each access of the thread is one");
}

#[test]
fn a_process_without_a_place_that_is_killed_at_any_step_leaves_nothing_to_do() {
    let clients: [fn(); 2] = [nblfq::producer_is_killed, nblfq::consumer_is_killed];
    assert_eq!(clients.map(kills), [18, 15], "steps: each access of the thread is one");
}

#[test]
fn one_of_many_that_is_stopped_at_any_step_holds_up_nobody() {
    let clients: [fn(); 5] = [
        || goes_on_beside_a_stopped_one::<Mpmc>(2),
        drop_old::goes_on_beside_a_stopped_one,
        drop_old_records::goes_on_beside_a_stopped_producer,
        drop_old_records::goes_on_beside_a_stopped_reader,
        || goes_on_beside_a_stopped_one::<Nblfq>(1),
    ];
    for client in clients {
        for steps in 0..30 {
            let report = Config::new().suspend(1, steps).check(client);
            assert!(report.failure.is_none() && report.exhaustive, "after {steps} steps: {report}");
            assert!(report.threads[0].always_ends(), "after {steps} steps");
        }
    }
}
