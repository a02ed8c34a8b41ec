//! Channels are linearizable.

mod common;
#[path = "clients/linear.rs"]
mod linear;
#[path = "clients/linear_handles.rs"]
mod linear_handles;

use aqueduct_channel_under_model as library;
use common::{check_all, check_walks};

#[test]
fn calls_have_an_order() {
    check_all(linear::CLIENTS);
    check_walks(linear::WALKS);
}

#[test]
fn calls_of_handles_have_an_order() {
    check_all(linear_handles::CLIENTS);
}
