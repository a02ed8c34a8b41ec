//! Tasks: their word, their handles, the slot of the next task, the watch, and timers.

#[path = "clients/task.rs"]
mod clients;
mod common;

use aqueduct_pool_under_model as library;
use common::{Client, check_all_and_load_buffering, check_long, check_orderings};

#[test]
fn tasks_are_polled_and_end_as_they_should_and_each_ordering_is_needed() {
    check_orderings(clients::CLIENTS, &[], &[("library/pool/src/task/", 16)]);
}

#[test]
fn two_wake_ups_are_one_poll_or_two() {
    check_long(clients::LONG);
}

#[test]
fn no_read_of_a_task_could_be_exchanged_with_a_later_write() {
    let is_ordered = |client: &&Client| clients::ORDERED.iter().all(|ordered| ordered.0 != client.0);
    check_all_and_load_buffering(clients::CLIENTS.iter().filter(is_ordered).chain(clients::ORDERED));
}
