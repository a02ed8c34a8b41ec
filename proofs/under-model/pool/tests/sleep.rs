//! Sleep and wake: no job and no latch is forgotten.

#[path = "clients/sleep.rs"]
mod clients;
mod common;

use aqueduct_pool_under_model as library;
use common::{check_all_and_load_buffering, check_long};

#[test]
fn no_wake_up_is_lost_nor_does_one_lean_on_a_ban_of_load_buffering() {
    check_all_and_load_buffering(clients::CLIENTS);
}

#[test]
fn no_wake_up_of_two_workers_is_lost() {
    check_long(clients::LONG);
}
