//! The first of several operations.

#[path = "clients/select.rs"]
mod clients;
mod common;
#[path = "clients/found.rs"]
mod found;
#[path = "clients/rendezvous.rs"]
mod rendezvous;

use aqueduct_channel_under_model as library;
use common::{check_all, check_failing, check_walks};

#[test]
fn one_operation_is_chosen() {
    check_all(clients::CLIENTS);
}

#[test]
fn what_is_there_at_each_moment_is_found() {
    check_all(found::CLIENTS);
}

#[test]
fn handles_that_threads_do_not_share_do_not_promise_to_find_it() {
    check_failing(found::NOT_PROMISED);
}

#[test]
fn each_send_meets_a_receive() {
    check_all(rendezvous::CLIENTS);
}

#[test]
fn each_send_meets_a_receive_by_chance() {
    check_walks(rendezvous::WALKS);
}
