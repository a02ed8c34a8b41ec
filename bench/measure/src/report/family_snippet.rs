//! Lines of code to paste for the queues of all families but those of one producer and one consumer.

use super::path::tube;
use super::snippet::Usage;
use crate::names::Queue;

/// Returns the lines that make the queue `aqueduct/NAME` and use it, if it is of one of these families.
pub(super) fn code(queue: &Queue, usage: Usage, capacity: usize) -> Option<String> {
    let name = queue.name.strip_prefix("aqueduct/")?;
    let form = name.rsplit('_').next().unwrap_or(name);
    Some(match (name, usage) {
        ("bbq_spsc", Usage::Exchange) => exchange("aqueduct::bbq::spsc", "spsc", capacity),
        ("bbq_mpmc", Usage::Exchange) => exchange("aqueduct::mpmc", "mpmc", capacity),
        ("bbq_mpmc" | "bbq_mpsc" | "bbq_spmc", _) => handles(&format!("aqueduct::{form}"), form, usage, capacity),
        ("faaq", _) => handles("aqueduct::faaq", "faaq", usage, capacity),
        ("bbq_queue", _) => shared("aqueduct::mpmc::Queue", usage, capacity),
        ("faaq_queue", _) => shared("aqueduct::faaq::Queue", usage, capacity),
        ("exact", Usage::Single) => shared("aqueduct::exact::Queue", usage, capacity),
        ("bbq_drop_old_spsc" | "bbq_drop_old_mpsc", Usage::Batch) => format!(
            "use aqueduct::bbq::drop_old::{form};\n\nlet (mut producer, mut reader) = {form}::new({capacity})?;\n\
             producer.push(7_u64)?;\nassert_eq!(reader.read_slice(&mut [0; 32]), 1);"
        ),
        ("bbq_drop_old_spmc" | "bbq_drop_old_mpmc" | "bbq_drop_old_spsc" | "bbq_drop_old_mpsc", _) => format!(
            "use aqueduct::bbq::drop_old::{form};\n\nlet (mut producer, mut reader) = {form}::new({capacity})?;\n\
             producer.push(7_u64)?;\nassert_eq!(reader.read()?, 7);"
        ),
        ("records_spsc" | "records_mpmc", _) => format!(
            "use aqueduct::bbq::records::{{Space, {form}}};\n\n\
             let (mut producer, mut consumer) = {form}::new(Space::for_bytes({capacity})?)?;\n\
             producer.push(b\"any length\")?;\nassert_eq!(*consumer.read()?, *b\"any length\");"
        ),
        ("bwos_lifo" | "bwos_fifo", _) => format!(
            "use aqueduct::bwos::{form};\n\nlet (mut owner, stealer) = {form}::new({capacity})?;\nowner.push(7_u64)?;\n\
             assert_eq!(stealer.steal().success().or(owner.pop().ok()), Some(7));"
        ),
        ("cnq_sequenced" | "cnq_bbq" | "cnq_faaq" | "cnq_indices", _) => relaxed(tube(name), queue.order()?, capacity),
        ("nblfq", _) => format!(
            "use aqueduct::nblfq::Queue;\nuse std::num::NonZeroU64;\n\nstatic QUEUE: Queue<NonZeroU64, {capacity}> = Queue::new();\n\
             QUEUE.push(NonZeroU64::MIN)?;\nassert_eq!(QUEUE.pop()?, NonZeroU64::MIN);"
        ),
        ("nblfq_wide", _) => format!(
            "use aqueduct::nblfq::wide::Queue;\n\nstatic QUEUE: Queue<u64, {capacity}> = Queue::new();\n\
             let queue = QUEUE.open()?;\nqueue.push(7)?;\nassert_eq!(queue.pop()?, 7);"
        ),
        ("nblfq_dynamic", _) => format!(
            "use aqueduct::nblfq::DynamicQueue;\n\nlet queue = DynamicQueue::<Box<u64>>::new({capacity})?;\n\
             queue.push(Box::new(7))?;\nassert_eq!(*queue.pop()?, 7);"
        ),
        ("nblfq_wide_dynamic", _) => format!(
            "use aqueduct::nblfq::wide::DynamicQueue;\n\nlet queue = DynamicQueue::<u64>::new({capacity})?;\n\
             let queue = queue.open()?;\nqueue.push(7)?;\nassert_eq!(queue.pop()?, 7);"
        ),
        _ => return None,
    })
}

/// Returns a queue of which each thread has a handle.
fn handles(path: &str, module: &str, usage: Usage, capacity: usize) -> String {
    let [push, pop] = calls(usage, "producer", "consumer");
    format!("use {path};\n\nlet (mut producer, mut consumer) = {module}::new({capacity})?;\n{push}\n{pop}")
}

/// Returns a queue that threads share by reference.
fn shared(path: &str, usage: Usage, capacity: usize) -> String {
    let [push, pop] = calls(usage, "queue", "queue");
    format!("use {path};\n\nlet queue = Queue::new({capacity})?;\n{push}\n{pop}")
}

fn calls(usage: Usage, to: &str, from: &str) -> [String; 2] {
    if usage == Usage::Batch {
        return [
            format!("assert_eq!({to}.push_slice(&[7_u64; 32]), 32);"),
            format!(
                "let mut items = [0; 32];\nassert_eq!({from}.pop_slice(&mut items), 32);\nassert_eq!(items, [7; 32]);"
            ),
        ];
    }
    [format!("{to}.push(7_u64)?;"), format!("assert_eq!({from}.pop()?, 7);")]
}

/// Returns a queue of requests, and one of confirmations of twice the capacity.
fn exchange(path: &str, module: &str, capacity: usize) -> String {
    format!(
        "use {path};\n\nlet (mut submit, mut take) = {module}::new({capacity})?;\n\
         let (mut confirm, mut collect) = {module}::new({})?;\nsubmit.push(7_u64)?;\nconfirm.push(take.pop()?)?;\n\
         assert_eq!(collect.pop()?, 7);",
        2 * capacity
    )
}

fn relaxed(tube: &str, k: usize, capacity: usize) -> String {
    format!(
        "use aqueduct::cnq::{{Geometry, Queue}};\nuse aqueduct::tube::{tube};\n\n\
         // The order, the capacity, producers, consumers.\n\
         let geometry = Geometry::for_order({k}, {capacity}, 4, 4)?;\n\
         let queue = Queue::<u64, {tube}>::with_tube(geometry)?;\n\
         let (mut producer, mut consumer) = (queue.producer()?, queue.consumer()?);\nproducer.push(7)?;\n\
         assert_eq!(consumer.pop()?, 7);"
    )
}

/// The queues and usages that have lines here, for the test that compiles all lines.
#[cfg(test)]
pub(super) const ALL: [(&str, Usage); 32] = [
    ("bbq_spsc", Usage::Exchange),
    ("bbq_mpmc", Usage::Exchange),
    ("bbq_mpmc", Usage::Single),
    ("bbq_mpmc", Usage::Batch),
    ("bbq_mpsc", Usage::Single),
    ("bbq_mpsc", Usage::Batch),
    ("bbq_spmc", Usage::Single),
    ("bbq_spmc", Usage::Batch),
    ("faaq", Usage::Single),
    ("faaq", Usage::Batch),
    ("bbq_queue", Usage::Single),
    ("bbq_queue", Usage::Batch),
    ("faaq_queue", Usage::Single),
    ("exact", Usage::Single),
    ("bbq_drop_old_spmc", Usage::Single),
    ("bbq_drop_old_mpmc", Usage::Single),
    ("bbq_drop_old_spsc", Usage::Single),
    ("bbq_drop_old_spsc", Usage::Batch),
    ("bbq_drop_old_mpsc", Usage::Single),
    ("bbq_drop_old_mpsc", Usage::Batch),
    ("records_spsc", Usage::Single),
    ("records_mpmc", Usage::Single),
    ("bwos_lifo", Usage::Single),
    ("bwos_fifo", Usage::Single),
    ("cnq_sequenced[k=1000]", Usage::Single),
    ("cnq_bbq[k=1000]", Usage::Single),
    ("cnq_faaq[k=1000]", Usage::Single),
    ("cnq_indices[k=1000]", Usage::Single),
    ("nblfq", Usage::Single),
    ("nblfq_wide", Usage::Single),
    ("nblfq_dynamic", Usage::Single),
    ("nblfq_wide_dynamic", Usage::Single),
];
