//! Waiting alone, over the simplest of "queues": a count of items, and room that comes in blocks.
//!
//! A wait that nothing ends is a failure, so each client says by coming to its end that no wake-up is lost.

#[path = "clients/channel.rs"]
#[allow(dead_code, reason = "its clients are used here, its walks are not")]
mod channel;
#[path = "clients/event.rs"]
mod clients;
mod common;
#[path = "clients/exact.rs"]
#[allow(dead_code, reason = "its clients are used here, its walks are not")]
mod exact;
#[path = "clients/feed.rs"]
mod feed;

use aqueduct_channel_under_model as library;
use common::{check_all, check_orderings_without_load_buffering, check_walks};

#[test]
fn no_waiter_is_forgotten() {
    check_all(clients::CLIENTS);
}

#[test]
fn no_waiter_is_forgotten_by_chance() {
    check_walks(clients::WALKS);
}

#[test]
fn every_ordering_is_needed() {
    // Load buffering takes a channel.
    let channels = [exact::CLIENTS, feed::CLIENTS, channel::CLIENTS].concat();
    let few = channels.into_iter().filter(|(.., executions)| *executions < 1_000);
    let clients: Vec<_> = few.chain(clients::CLIENTS.iter().copied()).collect();
    check_orderings_without_load_buffering(&clients, "aqueduct-channel/src/event/", 10);
}
