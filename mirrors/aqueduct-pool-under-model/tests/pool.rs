//! Whole pools under the model.

#[path = "clients/pool.rs"]
mod clients;
mod common;

use aqueduct_pool_under_model as library;
use common::{check_all, check_load_buffering, check_long, check_walks};

#[test]
fn a_pool_of_one_worker() {
    check_all(clients::CLIENTS);
    check_long(clients::LONG);
}

#[test]
fn a_pool_of_two_workers() {
    check_walks(clients::WALKS);
}

#[test]
fn no_read_of_a_pool_could_be_exchanged_with_a_later_write() {
    check_load_buffering(clients::CLIENTS);
}
