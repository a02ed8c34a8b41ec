//! Handles of one thread.

#[path = "clients/handles.rs"]
mod clients;
mod common;

use aqueduct_channel_under_model as library;
use common::{check_all, check_failing, check_walks};

#[test]
fn handles_lose_nothing() {
    check_all(clients::CLIENTS);
    check_walks(clients::WALKS);
}

#[test]
fn a_late_send_may_get_the_message_of_another_one() {
    check_failing(clients::NOT_PROMISED);
}
