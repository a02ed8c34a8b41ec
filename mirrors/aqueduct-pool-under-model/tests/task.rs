//! Tasks: their word, their handles, the slot of the next task, the watch, and timers.

#[path = "clients/task.rs"]
mod clients;
mod common;

use aqueduct_pool_under_model as library;
use common::{check_all, check_long, check_orderings};

#[test]
fn tasks_are_polled_and_end_as_they_should() {
    check_all(clients::CLIENTS);
    check_long(clients::LONG);
}

#[test]
fn each_ordering_is_needed() {
    check_orderings(clients::CLIENTS, "aqueduct-pool/src/task/", 16);
}
