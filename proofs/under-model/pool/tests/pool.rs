//! Whole pools under the model.

#[path = "clients/pool.rs"]
mod clients;
mod common;

use aqueduct_pool_under_model as library;
use common::{check_all_and_load_buffering, check_long, check_walks};

#[test]
fn a_pool_of_one_worker() {
    check_long(clients::LONG);
}

#[test]
fn a_pool_of_two_workers() {
    check_walks(clients::WALKS);
}

#[test]
fn waits_within_waits_end() {
    check_walks(clients::waits::WALKS);
}

#[test]
fn a_pool_of_one_worker_leans_on_no_ban_of_load_buffering() {
    check_all_and_load_buffering(clients::CLIENTS);
}
