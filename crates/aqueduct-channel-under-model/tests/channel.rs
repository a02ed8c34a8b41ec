//! Channels: each message that is sent is received once or given back, every waiter is woken, and the end of a channel
//! is the end for all.

#[path = "clients/channel.rs"]
mod clients;
mod common;

use aqueduct_channel_under_model as library;
use common::{check_all, check_orderings, check_walks};

#[test]
fn each_message_arrives_once() {
    check_all(clients::CLIENTS);
}

#[test]
fn each_message_arrives_once_by_chance() {
    check_walks(clients::WALKS);
}

#[test]
fn every_ordering_is_needed() {
    check_orderings(clients::CLIENTS, "src/channel/", 5);
}
