//! Streams and sinks, which wait several times.

#[path = "clients/stream.rs"]
mod clients;
mod common;

use aqueduct_channel_under_model as library;
use common::check_all;

#[test]
fn streams_and_sinks_lose_nothing() {
    check_all(clients::CLIENTS);
}
