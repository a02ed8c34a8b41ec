//! Channels of records, and channels whose order is relaxed.

mod common;
#[path = "clients/records.rs"]
mod records;
#[path = "clients/relaxed.rs"]
mod relaxed;

use aqueduct_channel_under_model as library;
use common::{check_all, check_walks};

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
