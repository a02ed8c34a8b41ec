//! The texts of reports on these measurements, and the uses of our queues of many threads.

use aqueduct_measure::report::guide::{Guide, Need, Offer, Row, Sketch, Topic, Usage};

/// This bench's texts for reports.
pub const GUIDE: Guide = Guide { needs: NEEDS, topic: |bench| Topic::of(bench, TOPICS), analysis: |_| None };

const NEEDS: &[Need] = &[
    Need { words: "Many producers, one consumer", short: Some("many to one"), threads: |p, c| p > 1 && c == 1, ..MANY },
    Need { words: "One producer, many consumers", short: Some("one to many"), threads: |p, c| p == 1 && c > 1, ..MANY },
    MANY,
    Need {
        words: "Many producers, many consumers, items in batches",
        short: None,
        usage: Usage::Batch,
        takes: &[MPMC, QUEUE, FAAQ, FAAQ_QUEUE],
        ..MANY
    },
];

const MANY: Need = Need {
    words: "Many producers, many consumers",
    short: Some("many to many"),
    bench: "mpmc.throughput",
    threads: |p, c| p > 1 && c > 1,
    takes: &[MPMC, QUEUE, MPSC, SPMC, FAAQ, FAAQ_QUEUE, SLOTS, EXACT],
    ..Need::PAIR
};

const MPMC: Offer =
    Offer { queue: "aqueduct/bbq_mpmc", path: "mpmc", words_only: false, usual: false, code: of_handles };

const MPSC: Offer = Offer { queue: "aqueduct/bbq_mpsc", path: "mpsc", ..MPMC };

const SPMC: Offer = Offer { queue: "aqueduct/bbq_spmc", path: "spmc", ..MPMC };

const FAAQ: Offer = Offer { queue: "aqueduct/faaq", path: "faaq", ..MPMC };

const QUEUE: Offer = Offer { queue: "aqueduct/bbq_queue", path: "bbq::Queue", code: shared, ..MPMC };

const FAAQ_QUEUE: Offer = Offer { queue: "aqueduct/faaq_queue", path: "faaq::Queue", code: shared, ..MPMC };

const EXACT: Offer = Offer { queue: "aqueduct/exact", path: "exact::Queue", code: shared, ..MPMC };

const SLOTS: Offer = Offer {
    queue: "aqueduct/slots_mpmc",
    path: "bbq::slots::mpmc",
    code: |sketch| {
        format!(
            "use aqueduct::bbq::slots::{{Filled, mpmc}};\n\nlet (mut producer, mut consumer) = mpmc::new({})?;\n\
             let item = producer.reserve()?.fill([7_u8; 64]);\nFilled::commit(item);\nassert_eq!(consumer.read()?[0], 7);",
            sketch.capacity
        )
    },
    ..MPMC
};

/// Returns the lines for a queue with a handle for each thread.
fn of_handles(sketch: &Sketch<'_>) -> String {
    let [push, pop] = calls(sketch.usage, "producer", "consumer");
    let (path, capacity) = (sketch.path, sketch.capacity);
    format!("use aqueduct::{path};\n\nlet (mut producer, mut consumer) = {path}::new({capacity})?;\n{push}\n{pop}")
}

/// Returns the lines for a queue that threads share by reference.
fn shared(sketch: &Sketch<'_>) -> String {
    let [push, pop] = calls(sketch.usage, "queue", "queue");
    format!("use aqueduct::{};\n\nlet queue = Queue::new({})?;\n{push}\n{pop}", sketch.path, sketch.capacity)
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

const CALL: &str = "In the same measurement, each call that succeeded by itself. The clock is part of each time.";
const SHARES: &str = "Which share of the operations each thread of the side had when the first producer was done. Jain's index is the \
                      part of the threads over which the operations were spread: 1 if all had the same.";

const TOPICS: &[Row] = &[
    (
        "mpmc.throughput",
        "Throughput of many threads",
        "Some threads push numbers as fast as they can, others pop and add them up. How many get through, all together?",
    ),
    (
        "mpmc.throughput.l1_misses",
        "L1 misses per item of many threads",
        "L1 misses of all threads in that measurement, by the processor's own counters, for each item that went through.",
    ),
    (
        "mpmc.drain",
        "Emptying a full queue",
        "Consumers empty a queue that was filled before they start: how much are they in each other's way?",
    ),
    (
        "mpmc.complex",
        "Throughput with allocations and pauses",
        "Producers allocate each item and consumers free it, and before each push and after each pop a thread does nothing for \
         up to a hundred instructions, how many is random, the same in each run.",
    ),
    (
        "mpmc.oversubscription",
        "Throughput with more threads than cores",
        "One to five times as many threads as the machine has cores, half of them producers: what does a thread that loses its \
         core in the middle of a call cost the others?",
    ),
    (
        "mpmc.profiling.push",
        "Push at a fixed rate",
        "Each producer pushes 10,000 items a second, each consumer pops 1,000: what does a push cost a program that does it now \
         and then? The clock is part of each time.",
    ),
    (
        "mpmc.latency.in_queue",
        "Time in the queue",
        "With allocations and pauses as in `mpmc.complex`: from the call that pushed an item to the return of the one that popped it. The \
         queue is a small one, so that an item does not wait for many others.",
    ),
    ("mpmc.latency.push", "Time of a push", CALL),
    ("mpmc.latency.pop", "Time of a pop", CALL),
    (
        "mpmc.open-loop.*",
        "",
        "Items are due at a fixed rate, one by one with random gaps (poisson) or 32 at once (bursts); the number is the load in \
         per cent of what the slowest queue moves. From when an item was due to the return of the call that popped it: a \
         producer that the queue holds up does not make the time shorter.",
    ),
    ("mpmc.fairness.producers", "Shares of the producers", SHARES),
    ("mpmc.fairness.consumers", "Shares of the consumers", SHARES),
    ("mpmc.sweep", "Throughput by blocks and their entries", ""),
    ("mpmc.sweep-latency.in_queue", "Time in the queue by blocks and their entries", ""),
    (
        "mpmc.uncontended",
        "Push and pop on one thread",
        "One thread pushes and pops by itself: the cost of the instructions alone.",
    ),
    (
        "mpmc.full",
        "Push to a full queue",
        "Threads push to a queue that is full: how long it takes to be told so, by the time for which they had a core.",
    ),
    (
        "mpmc.empty",
        "Pop from an empty queue",
        "Threads pop from a queue that is empty: how long it takes to be told so, by the time for which they had a core.",
    ),
];
