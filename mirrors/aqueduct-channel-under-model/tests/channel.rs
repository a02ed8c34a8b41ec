//! Channels: each message that is sent is received once or given back, every waiter is woken, and the end of a channel
//! is the end for all.

#[path = "clients/channel.rs"]
mod channel;
mod common;
#[path = "clients/exact.rs"]
mod exact;
#[path = "clients/found.rs"]
mod found;
#[path = "clients/unbounded.rs"]
mod unbounded;
#[path = "clients/weak.rs"]
mod weak;

use aqueduct_channel_under_model as library;
use common::{check_all, check_orderings_without_load_buffering, check_walks};

#[test]
fn each_message_arrives_once() {
    check_all(channel::CLIENTS);
}

#[test]
fn each_message_arrives_once_by_chance() {
    check_walks(channel::WALKS);
}

#[test]
fn each_place_is_used_by_one() {
    check_all(exact::CLIENTS);
    check_walks(exact::WALKS);
}

#[test]
fn each_message_arrives_once_without_a_limit() {
    check_all(unbounded::CLIENTS);
    check_walks(unbounded::WALKS);
}

#[test]
fn a_weak_sender_keeps_nothing_open() {
    check_all(weak::CLIENTS);
}

#[test]
fn every_ordering_is_needed() {
    let clients = [channel::CLIENTS, exact::CLIENTS, found::CLIENTS, weak::CLIENTS].concat();
    check_orderings_without_load_buffering(&clients, "aqueduct-channel/src/channel/", 17);
}
