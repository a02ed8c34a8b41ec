//! The texts of reports on these measurements, and the uses of our lock-free queues.

use aqueduct_measure::report::guide::{Guide, Need, Offer, Row, Topic};

/// This bench's texts for reports.
pub const GUIDE: Guide = Guide { needs: NEEDS, topic: |bench| Topic::of(bench, TOPICS), analysis: |_| None };

const NEEDS: &[Need] = &[Need {
    words: "Lock-free: a stalled thread holds up nobody; signal handlers, `static` queues",
    short: Some("lock-free"),
    bench: "nblfq.pairs",
    threads: |_, _| true,
    takes: &[
        POINTERS,
        Offer {
            queue: "aqueduct/nblfq_wide",
            path: "nblfq::wide::Queue",
            code: |sketch| {
                format!(
                    "use aqueduct::nblfq::wide::Queue;\n\nstatic QUEUE: Queue<u64, {}> = Queue::new();\n\
                     let queue = QUEUE.open()?;\nqueue.push(7)?;\nassert_eq!(queue.pop()?, 7);",
                    sketch.capacity
                )
            },
            ..POINTERS
        },
        Offer {
            queue: "aqueduct/nblfq_dynamic",
            path: "nblfq::DynamicQueue",
            code: |sketch| {
                format!(
                    "use aqueduct::nblfq::DynamicQueue;\n\nlet queue = DynamicQueue::<Box<u64>>::new({})?;\n\
                     queue.push(Box::new(7))?;\nassert_eq!(*queue.pop()?, 7);",
                    sketch.capacity
                )
            },
            ..POINTERS
        },
        Offer {
            queue: "aqueduct/nblfq_wide_dynamic",
            path: "nblfq::wide::DynamicQueue",
            code: |sketch| {
                format!(
                    "use aqueduct::nblfq::wide::DynamicQueue;\n\nlet queue = DynamicQueue::<u64>::new({})?;\n\
                     let queue = queue.open()?;\nqueue.push(7)?;\nassert_eq!(queue.pop()?, 7);",
                    sketch.capacity
                )
            },
            ..POINTERS
        },
    ],
    note: "An item is a word at most: a number or a pointer.",
    ..Need::PAIR
}];

const POINTERS: Offer = Offer {
    queue: "aqueduct/nblfq",
    path: "nblfq::Queue",
    words_only: false,
    usual: false,
    code: |sketch| {
        format!(
            "use aqueduct::nblfq::Queue;\nuse std::num::NonZeroU64;\n\n\
             static QUEUE: Queue<NonZeroU64, {}> = Queue::new();\n\
             QUEUE.push(NonZeroU64::MIN)?;\nassert_eq!(QUEUE.pop()?, NonZeroU64::MIN);",
            sketch.capacity
        )
    },
};

const TOPICS: &[Row] = &[
    (
        "nblfq.pairs",
        "Throughput of equally many on both sides",
        "N producers push numbers as fast as they can, N consumers pop and add them up. How many get through, all together?",
    ),
    (
        "nblfq.alone",
        "Push and pop on one thread",
        "One thread pushes and pops by itself: the cost of the instructions alone.",
    ),
    (
        "nblfq.single",
        "Round trips of messages, one thread a node",
        "Two nodes send each other messages over a socket of this machine, one at a time. Each node is one thread, and passes \
         each message through a queue of submissions and one of completions.",
    ),
    ("nblfq.processes", "Round trips of messages, one process a node", ""),
    (
        "nblfq.threads",
        "Round trips of messages, threads and workers",
        "As `nblfq.single`, with N threads on either node, each with a message on its way, and with workers that serve the socket (threads \
         NxW). All threads of a node share its two queues.",
    ),
];
