//! The channels on the model: each message that is sent is received once or given back, every
//! waiter is woken, and the end of a channel is the end for all.
//!
//! A wait that nothing ends is a failure, so a client that ends shows that no wake-up is lost.

#[path = "clients/mod.rs"]
mod clients;
mod common;

use aqueduct_channel_under_model as library;
use clients::{channel, event, exact, feed, found, handles, linear, linear_handles, lock, offer, oneshot, records};
use clients::{relaxed, rendezvous, reservations, select, stream, unbounded, weak};
use common::{check_all, check_failing, check_orderings, check_walks};

#[test]
fn no_waiter_is_forgotten_and_every_ordering_is_needed() {
    // Load buffering takes a channel.
    let channels = [exact::CLIENTS, feed::CLIENTS, channel::CLIENTS, handles::CLIENTS, offer::CLIENTS].concat();
    let few = channels.into_iter().filter(|(.., executions)| *executions < 1_000);
    let clients: Vec<_> = few.chain(event::CLIENTS.iter().copied()).collect();
    check_orderings(&[], &clients, &[("library/channel/src/event/", 14)]);
}

#[test]
fn each_message_arrives_once_and_every_ordering_is_needed() {
    let handles = [handles::CLIENTS, unbounded::CLIENTS].concat();
    let few = handles.into_iter().filter(|(.., executions)| *executions < 1_000);
    let clients = [channel::CLIENTS, exact::CLIENTS, found::CLIENTS, weak::CLIENTS].concat();
    let clients: Vec<_> = clients.into_iter().chain(few).collect();
    check_orderings(&[], &clients, &[("library/channel/src/channel/", 9), ("library/queues/src/exact/", 9)]);
}

#[test]
fn each_message_is_received_or_counted_and_every_ordering_is_needed() {
    check_orderings(&[], feed::CLIENTS, &[("library/channel/src/feed/", 4)]);
}

#[test]
fn one_message_arrives_and_every_ordering_is_needed() {
    check_orderings(&[], oneshot::CLIENTS, &[("library/channel/src/oneshot/", 8)]);
}

#[test]
fn the_lock_is_held_by_one_and_every_ordering_is_needed() {
    check_orderings(&[], lock::CLIENTS, &[("library/channel/src/sync/lock.rs", 2)]);
}

#[test]
fn receivers_push_what_senders_offer() {
    check_all(offer::CLIENTS);
    check_walks(offer::WALKS);
}

#[test]
fn one_message_is_chosen_by_chance() {
    check_walks(oneshot::WALKS);
}

#[test]
fn no_waiter_is_forgotten_by_chance() {
    check_walks(event::WALKS);
}

#[test]
fn each_message_arrives_once_by_chance() {
    check_walks(channel::WALKS);
}

#[test]
fn each_place_is_used_by_one_by_chance() {
    check_walks(exact::WALKS);
}

#[test]
fn each_message_arrives_once_without_a_limit() {
    check_all(unbounded::CLIENTS);
    check_walks(unbounded::WALKS);
}

#[test]
fn calls_have_an_order() {
    check_all(linear::CLIENTS);
    check_walks(linear::WALKS);
}

#[test]
fn calls_of_handles_have_an_order() {
    check_all(linear_handles::CLIENTS);
}

#[test]
fn handles_lose_nothing() {
    check_all(handles::CLIENTS);
    check_walks(handles::WALKS);
}

#[test]
fn a_late_send_may_get_the_message_of_another_one() {
    check_failing(handles::NOT_PROMISED);
}

#[test]
fn each_record_is_read_once() {
    check_all(records::CLIENTS);
    check_walks(records::WALKS);
}

#[test]
fn each_message_arrives_once_though_not_in_order() {
    check_all(relaxed::CLIENTS);
    check_walks(relaxed::WALKS);
}

#[test]
fn one_operation_is_chosen() {
    check_all(select::CLIENTS);
}

#[test]
fn handles_that_threads_do_not_share_do_not_promise_to_find_it() {
    check_failing(found::NOT_PROMISED);
}

#[test]
fn each_send_meets_a_receive() {
    check_all(rendezvous::CLIENTS);
}

#[test]
fn nobody_waits_for_a_sender_that_reserves() {
    check_all(reservations::CLIENTS);
}

#[test]
fn each_send_meets_a_receive_by_chance() {
    check_walks(rendezvous::WALKS);
}

#[test]
fn streams_and_sinks_lose_nothing() {
    check_all(stream::CLIENTS);
}
