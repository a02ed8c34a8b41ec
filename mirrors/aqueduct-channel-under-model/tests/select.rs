//! The first of several operations.

#[path = "clients/select.rs"]
mod clients;
mod common;
#[path = "clients/rendezvous.rs"]
mod rendezvous;

use aqueduct_channel_under_model as library;
use common::{check_all, check_walks};

#[test]
fn one_operation_is_chosen() {
    check_all(clients::CLIENTS);
}

#[test]
fn each_send_meets_a_receive() {
    check_all(rendezvous::CLIENTS);
}

#[test]
fn each_send_meets_a_receive_by_chance() {
    check_walks(rendezvous::WALKS);
}
