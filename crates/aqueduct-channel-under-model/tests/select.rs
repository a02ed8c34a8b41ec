//! The first of several operations.

#[path = "clients/select.rs"]
mod clients;
mod common;

use aqueduct_channel_under_model as library;
use common::check_all;

#[test]
fn one_operation_is_chosen() {
    check_all(clients::CLIENTS);
}
