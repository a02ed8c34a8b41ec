//! Requests for dumps on the model: every execution of each client.

#[path = "clients/pending.rs"]
mod clients;

use aqueduct_checks::check_orderings;
use aqueduct_recorder_under_model as library;

#[test]
fn the_last_dump_has_all_that_was_written_before_a_request_and_every_ordering_is_needed() {
    check_orderings(&[], clients::CLIENTS, &[("library/recorder/src/pending.rs", 2)]);
}
