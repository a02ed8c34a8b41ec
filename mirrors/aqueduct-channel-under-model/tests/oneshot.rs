//! Channels for one message.

#[path = "clients/oneshot.rs"]
mod clients;
mod common;

use aqueduct_channel_under_model as library;
use common::{check_all, check_orderings_without_load_buffering};

#[test]
fn one_message_arrives() {
    check_all(clients::CLIENTS);
}

#[test]
fn every_ordering_is_needed() {
    check_orderings_without_load_buffering(clients::CLIENTS, "aqueduct-channel/src/oneshot/", 8);
}
