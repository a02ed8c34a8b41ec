//! Channels whose messages every receiver sees.

#[path = "clients/feed.rs"]
mod clients;
mod common;

use aqueduct_channel_under_model as library;
use common::{check_all, check_orderings_without_load_buffering};

#[test]
fn each_message_is_received_or_counted() {
    check_all(clients::CLIENTS);
}

#[test]
fn every_ordering_is_needed() {
    check_orderings_without_load_buffering(clients::CLIENTS, "aqueduct-channel/src/feed/", 5);
}
