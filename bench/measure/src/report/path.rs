//! Where the queue of a record is in the library.

use crate::names::Queue;

/// Returns the path of a queue of ours in the library, as `spsc::ring`; of other queues, their names.
pub(super) fn of(queue: &Queue) -> String {
    let Some(name) = queue.name.strip_prefix("aqueduct/") else { return queue.to_string() };
    match name {
        "bbq_spsc" => "bbq::spsc".to_owned(),
        "bbq_mpsc" | "bbq_spmc" | "bbq_mpmc" => name.replace("bbq_", ""),
        "bbq_queue" => "mpmc::Queue".to_owned(),
        "faaq" => "faaq".to_owned(),
        "faaq_queue" => "faaq::Queue".to_owned(),
        "exact" => "exact::Queue".to_owned(),
        "nblfq" => "nblfq::Queue".to_owned(),
        "nblfq_wide" => "nblfq::wide::Queue".to_owned(),
        "nblfq_dynamic" => "nblfq::DynamicQueue".to_owned(),
        "nblfq_wide_dynamic" => "nblfq::wide::DynamicQueue".to_owned(),
        _ => match name.split_once('_') {
            Some(("bwos", form)) => format!("bwos::{form}"),
            Some(("records", form)) => format!("records::{form}"),
            Some(("bbq", form)) => form.replace("drop_old_", "drop_old::"),
            Some(("cnq", _)) => format!("cnq::Queue over {}", tube(name)),
            _ => format!("spsc::{name}"),
        },
    }
}

/// Returns the type of the tube of a k-relaxed queue.
pub(super) fn tube(name: &str) -> &'static str {
    match name {
        "cnq_sequenced" => "SequencedRing",
        "cnq_bbq" => "Blocks",
        "cnq_faaq" => "FetchAddBlocks",
        _ => "IndexQueues",
    }
}
