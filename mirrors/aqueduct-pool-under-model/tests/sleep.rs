//! Sleep and wake: no job and no latch is forgotten.

#[path = "clients/sleep.rs"]
mod clients;
mod common;

use aqueduct_pool_under_model as library;
use common::{check_all, check_load_buffering, check_long};

#[test]
fn no_wake_up_is_lost() {
    check_all(clients::CLIENTS);
}

#[test]
fn no_wake_up_of_two_workers_is_lost() {
    check_long(clients::LONG);
}

#[test]
fn no_read_of_a_sleeper_could_be_exchanged_with_a_later_write() {
    check_load_buffering(clients::CLIENTS);
}
