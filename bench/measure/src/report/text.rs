//! Formats figures for reports.

mod processes;
mod stealing;

use std::borrow::Cow;

use crate::names::{Bench, Queue};
use crate::record::Record;
use crate::statistics;

/// Returns three significant digits: `914`, `61.0`, `1.30`, `0.16`.
pub fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Returns a ratio of speeds, or a dash if there is none.
pub fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
}

/// Returns the least and the greatest run, or a dash if there is only one.
pub fn spread(record: &Record) -> String {
    if record.runs.len() < 2 {
        return "-".to_owned();
    }
    format!("{} .. {}", figure(record.min), figure(record.max))
}

/// Returns the note on a record whose runs fall into two groups, so that their median says little: a ring whose
/// consumer stays either close behind its producer or far from it has two speeds.
pub fn two_speeds(record: &Record) -> Option<String> {
    if record.bench.is_distribution() {
        return None;
    }
    let humps = statistics::humps(&record.runs)?;
    let (low, high) = (figure(humps.low), figure(humps.high));
    Some(format!("two speeds: {low} ({:.0} % of runs), {high}", humps.low_share * 100.0))
}

/// Returns a bound's name without its group, which its place already tells.
pub fn bound(queue: &Queue) -> &str {
    queue.name.strip_prefix("bound/").unwrap_or(&queue.name)
}

/// Returns the title of a bench, or its name if it has no title here.
pub fn bench_title(bench: &Bench) -> Cow<'_, str> {
    if let Some(title) = stealing::title(&bench.name).or_else(|| processes::title(&bench.name)) {
        return title.into();
    }
    let title = match bench.name.as_str() {
        "spsc.pingpong" if bench.is_distribution() => "Distribution of the round trips",
        "cnq.in_queue" if bench.is_distribution() => "Distribution of the time in the queue",
        "spsc.throughput" => "Throughput",
        "spsc.regime" => "Throughput in the named regimes",
        "spsc.load" => "Throughput by emulated load",
        "spsc.perceived_batch.producer" => "Perceived batch of the producer",
        "spsc.perceived_batch.consumer" => "Perceived batch of the consumer",
        "spsc.pingpong" => "Round trip of one item",
        "spsc.uncontended" => "Push and pop on one thread",
        "spsc.l1_misses.producer" => "L1 misses per item of the producer",
        "spsc.l1_misses.consumer" => "L1 misses per item of the consumer",
        "spsc.load.l1_misses.producer" => "L1 misses per item of the producer by emulated load",
        "spsc.load.l1_misses.consumer" => "L1 misses per item of the consumer by emulated load",
        "spsc.pingpong.l1_misses.producer" => "L1 misses per round trip of the thread that asks",
        "spsc.pingpong.l1_misses.consumer" => "L1 misses per round trip of the thread that answers",
        "bbq.throughput" => "Throughput of many threads",
        "bbq.throughput.l1_misses" => "L1 misses per item of many threads",
        "bbq.drain" => "Emptying a full queue",
        "bbq.complex" => "Throughput with allocations and pauses",
        "bbq.oversubscription" => "Throughput with more threads than cores",
        "bbq.profiling.push" => "Push at a fixed rate",
        "bbq.latency.in_queue" => "Time in the queue",
        "bbq.latency.push" => "Time of a push",
        "bbq.latency.pop" => "Time of a pop",
        "bbq.fairness.producers" => "Shares of the producers",
        "bbq.fairness.consumers" => "Shares of the consumers",
        "bbq.sweep" => "Throughput by blocks and their entries",
        "bbq.sweep-latency.in_queue" => "Time in the queue by blocks and their entries",
        "bbq.uncontended" => "Push and pop on one thread",
        "bbq.full" => "Push to a full queue",
        "bbq.empty" => "Pop from an empty queue",
        "drop_old.written" => "Overwriting what is old",
        "drop_old.slowdown" => "What producers lose to a reader",
        "drop_old.read" => "What a reader gets of it",
        "drop_old.complex.written" => "Overwriting with allocations and pauses",
        "nblfq.pairs" => "Throughput of equally many on both sides",
        "nblfq.alone" => "Push and pop on one thread",
        "nblfq.single" => "Round trips of messages, one thread a node",
        "nblfq.processes" => "Round trips of messages, one process a node",
        "nblfq.threads" => "Round trips of messages, threads and workers",
        "cnq.throughput" => "Throughput of queues with less order",
        "cnq.sweep" => "Throughput by the order that is kept",
        "cnq.order" => "The order that was observed",
        "cnq.in_queue" => "Time in the queue",
        "cnq.memory" => "Peak memory",
        "records.throughput" => "Throughput of records",
        "exchange.io_uring" => "Submissions and completions",
        "exchange.multicast" => "Events that every consumer sees",
        other => other,
    };
    title.into()
}

/// Returns a description of a bench, for users without its source.
pub fn bench_words(bench: &Bench) -> &'static str {
    match bench.name.as_str() {
        "spsc.pingpong" if bench.is_distribution() => {
            "The round trips in short chunks, each chunk's mean for itself: how late are the late ones?"
        }
        "cnq.in_queue" if bench.is_distribution() => {
            "The time in the queue over all rounds: which share of the items had come after that time?"
        }
        "spsc.throughput" => {
            "One thread pushes numbers as fast as it can, another pops and checks them. How many get through?"
        }
        "spsc.regime" => {
            "The same with work of some nanoseconds on either side, so that the producer or the consumer is \
             the faster one: the queue is nearly always full, or nearly always empty."
        }
        "spsc.perceived_batch.producer" => {
            "How many items the producer pushes before it finds the queue full. About 1 means that it waits \
             for every single item."
        }
        "spsc.perceived_batch.consumer" => {
            "How many items the consumer pops before it finds the queue empty. About 1 means that it waits \
             for every single item."
        }
        "spsc.pingpong" => {
            "One thread sends an item and waits for it to come back through a second queue. This is the cost \
             of waking up the other side, there and back, with nothing to share it with."
        }
        "spsc.uncontended" => {
            "One thread pushes and pops by itself: the cost of the instructions alone, without another core. The measuring \
             loop is part of every row; bound/no_queue is that loop with nothing in it."
        }
        "spsc.l1_misses.producer"
        | "spsc.l1_misses.consumer"
        | "spsc.load.l1_misses.producer"
        | "spsc.load.l1_misses.consumer"
        | "spsc.pingpong.l1_misses.producer"
        | "spsc.pingpong.l1_misses.consumer" => {
            "Cache misses of one side, by the processor's own counters. Each stands for a line that the other \
             core held."
        }
        "bbq.throughput" => {
            "Some threads push numbers as fast as they can, others pop and add them up. How many get through, all together?"
        }
        "bbq.throughput.l1_misses" => {
            "L1 misses of all threads in that measurement, by the processor's own counters, for each item that went through."
        }
        "bbq.drain" => {
            "Consumers empty a queue that was filled before they start: how much are they in each other's way?"
        }
        "bbq.complex" => {
            "Producers allocate each item and consumers free it, and before each push and after each pop a thread does nothing for \
             up to a hundred instructions, how many is random, the same in each run."
        }
        "bbq.oversubscription" => {
            "One to five times as many threads as the machine has cores, half of them producers: what does a thread that loses its \
             core in the middle of a call cost the others?"
        }
        "bbq.profiling.push" => {
            "Each producer pushes 10,000 items a second, each consumer pops 1,000: what does a push cost a program that does it now \
             and then? The clock is part of each time."
        }
        "bbq.latency.in_queue" => {
            "With allocations and pauses as above: from the call that pushed an item to the return of the one that popped it. The \
             queue is a small one, so that an item does not wait for many others."
        }
        "bbq.latency.push" | "bbq.latency.pop" => {
            "In the same measurement, each call that succeeded by itself. The clock is part of each time."
        }
        open_loop if open_loop.starts_with("bbq.open-loop.") => {
            "Items are due at a fixed rate, one by one with random gaps (poisson) or 32 at once (bursts); the number is the load in \
             per cent of what the slowest queue moves. From when an item was due to the return of the call that popped it: a \
             producer that the queue holds up does not make the time shorter."
        }
        "bbq.fairness.producers" | "bbq.fairness.consumers" => {
            "Which share of the operations each thread of the side had when the first producer was done. Jain's index is the part \
             of the threads over which the operations were spread: 1 if all had the same."
        }
        "bbq.uncontended" => "One thread pushes and pops by itself: the cost of the instructions alone.",
        "bbq.full" => {
            "Threads push to a queue that is full: how long it takes to be told so, by the time for which they had a core."
        }
        "bbq.empty" => {
            "Threads pop from a queue that is empty: how long it takes to be told so, by the time for which they had a core."
        }
        "drop_old.written" => {
            "Producers write as fast as they can, without a reader (threads Nx0) and with one (Nx1), each producer's rate taken over \
             the time for which it had a core."
        }
        "drop_old.slowdown" => "By how much less they write with a reader than without.",
        "drop_old.profiling.push" => {
            "Each producer writes 10,000 items a second, without a reader (threads Nx0) and with one that takes 1,000 a second \
             (Nx1): the time of a write, the clock's included."
        }
        "drop_old.read" => "How many of the items that were written the reader got, the rest being overwritten before.",
        "nblfq.pairs" => {
            "N producers push numbers as fast as they can, N consumers pop and add them up. How many get through, all together?"
        }
        "nblfq.alone" => "One thread pushes and pops by itself: the cost of the instructions alone.",
        "nblfq.single" => {
            "Two nodes send each other messages over a socket of this machine, one at a time. Each node is one thread, and passes \
             each message through a queue of submissions and one of completions."
        }
        "nblfq.threads" => {
            "The same with N threads on either node, each with a message on its way, and with workers that serve the socket (threads \
             NxW). All threads of a node share its two queues."
        }
        "cnq.throughput" => {
            "Producers push numbers as fast as they can, consumers pop and add them up. How many get through, all together? [k=K]: an \
             item that comes is one of the K oldest."
        }
        "cnq.sweep" => "Throughput by the k of the order that a queue keeps; ours over each of its tubes.",
        "cnq.order" => {
            "How far items came out of order: the least k for which a pop took one of the k oldest, over all pops of a run. 1 is first \
             in, first out."
        }
        "cnq.in_queue" => "How long an item was in the queue, from before its push to after its pop, in the same run.",
        "cnq.memory" => "By how much the memory of the process grew at its peak while the queue was used.",
        "records.throughput" => {
            "Producers write records of 8 to 256 bytes, consumers look at each byte. How many get through, all together? A queue of \
             boxes allocates each record."
        }
        "channel.blocking" => {
            "Threads send numbers as fast as they can, other threads receive them and add them up. Both wait in the channel."
        }
        "channel.blocking.unbounded" => "As `channel.blocking`, over channels without a limit: nobody waits for room.",
        "channel.tasks" => {
            "Tasks send numbers, other tasks receive them and add them up, on a tokio runtime with two workers."
        }
        "channel.tasks.unbounded" => "As `channel.tasks`, over channels without a limit.",
        "channel.pingpong.threads" | "channel.pingpong.threads.unbounded" => {
            "A message goes to a thread that waits, and one comes back to the first thread, which waits meanwhile."
        }
        "channel.pingpong.tasks" | "channel.pingpong.tasks.unbounded" => {
            "A message goes to another task, and one comes back."
        }
        pinball if pinball.starts_with("channel.pinball.") => {
            "13 tasks have a channel each. A task sends each ball that it receives on to another one, picked by chance. Nobody \
             waits for room."
        }
        "channel.funnel" => "13 tasks send to one, over eight channels side by side.",
        "channel.bursts" => {
            "16 messages, and then nothing for half a millisecond: the time from before a message is sent to after it is received."
        }
        "channel.bursts.time_on_core" => {
            "In the same measurement: for how long both threads had a core, for each burst."
        }
        open_loop if open_loop.starts_with("channel.open_loop.") => {
            "A message is due at fixed times: the time from then, however late its sender is, to after it is received."
        }
        "channel.latest" => {
            "A task sends values, and each of the others receives the newest one whenever it has changed. How many are sent?"
        }
        "channel.one_core.threads" | "channel.one_core.threads.unbounded" => {
            "One thread sends and another one receives, both on one core: each message that wakes the other one costs a switch."
        }
        "channel.one_core.tasks" | "channel.one_core.tasks.unbounded" => {
            "One task sends and another one receives, on a runtime with one thread."
        }
        "channel.alone" | "channel.alone.unbounded" => {
            "One thread sends 64 messages and receives them: what a message costs while nobody waits."
        }
        "channel.select.threads" | "channel.select.tasks" => {
            "One receives from eight channels, into which another one sends in turn."
        }
        "channel.oneshot" => "A channel for one message is made, used and dropped by one thread.",
        "channel.broadcast" => {
            "A task sends, and each of the others receives all messages, or counts those that were overwritten before. How many are \
             received, by all together?"
        }
        "channel.dropped" => {
            "Tasks send and receive, and drop by chance half of the futures that are not ready at once. No message may be lost."
        }
        pool if pool.starts_with("pool.") => pool_words(pool),
        event if event.starts_with("recorder.latency.") => {
            "A thread records 20 events at once, each with the number of values in the name, and then none for 20 microseconds: \
             the time of an event, the clock's included. p999: one in a thousand batches takes longer."
        }
        span if span.starts_with("recorder.spans") => {
            "As `recorder.latency`, for the start of a span with a number and its end."
        }
        bytes if bytes.starts_with("recorder.throughput.") && bytes.ends_with(".bytes") => {
            "In the same measurement: the memory that an event takes, with its share of what lies between events."
        }
        event if event.starts_with("recorder.throughput.") => {
            "Threads record as fast as they can. How many events, all together?"
        }
        packet if packet.starts_with("recorder.vswitch.") => {
            "The virtual switch forwards packets between two clients, and records an event for each packet, or none."
        }
        "recorder.hyper" => {
            "A server answers requests over 16 connections in one thread, and another one has the clients: the time of a request, with \
             an event for each, or none."
        }
        "recorder.hyper.processor" => "In the same measurement: the processor time of the answering thread.",
        "recorder.budget.even" => "Threads record as fast as they can into one memory of 1 MiB.",
        "recorder.budget.uneven.event" => {
            "One thread records as fast as it can, and each other thread an event for a thousand of its: the time of its events."
        }
        "recorder.budget.uneven.busy_kept" => {
            "In the same measurement: the events of the busy thread that are left, in percent of those of 14 bytes for which the whole \
             memory has room."
        }
        "recorder.budget.uneven.quiet_kept" => {
            "In the same measurement: the events of the other threads that are left."
        }
        thieves if thieves.starts_with("bwos.") => stealing::words(thieves),
        processes if processes.starts_with("shm.") => processes::words(processes),
        "exchange.io_uring" => {
            "One thread submits requests, the second takes and confirms them, the third takes the confirmations: time per request."
        }
        "exchange.multicast" => "Producers publish events, every consumer sees all of them.",
        _ => "",
    }
}

/// Returns the description of a bench of pools.
fn pool_words(bench: &str) -> &'static str {
    match bench {
        "pool.nothing" => "Joins of two closures that do nothing: the time of one.",
        "pool.fib" => "Fibonacci's 30th number by its definition, with a join for each addition: the time of one.",
        "pool.nqueens" => "Twelve queens on a chessboard: all ways, with a join wherever there is a choice.",
        "pool.skynet" => "A million leaves, ten below each fork: the time of the whole tree.",
        "pool.matmul" => "The product of two matrices of 256 rows, by their quarters.",
        "pool.quicksort" => "262,144 numbers are sorted in place, with joins down to 64.",
        "pool.mergesort" => "262,144 numbers are sorted by merges, whose halves are made side by side, too.",
        tree if tree.starts_with("pool.tree.") => {
            "A sum over a tree with the number of nodes in the name, with a join in each node: the time of a node."
        }
        items if items.starts_with("pool.items.") => {
            "A sum over small items, the number in the name, by a call from a thread that is none of the pool's: the time of an item."
        }
        "pool.bursts.p50" | "pool.bursts.p99" => {
            "Bursts of 24 jobs of some microseconds, twelve of them with 200 microseconds before each, and then nothing for 3 ms: how \
             long a burst takes."
        }
        "pool.bursts.processor" => {
            "In the same measurement: the processor time of all threads for a burst and its share of the gap, without the caller's \
             own work."
        }
        "pool.spawn.one" => "A task is made and awaited: the time of both.",
        "pool.spawn.thousand" => "A thousand tasks are made, and then awaited: the time of each.",
        "pool.pingpong" => {
            "A hundred tasks make another one each, send it a message and wait for one: the time of a pair."
        }
        "pool.yields" => "Two hundred tasks let each other run: the time of a turn.",
        "pool.chain.spawns" => "A task makes the next one and ends: the time of a task.",
        "pool.chain.wakes" => "A thousand tasks wait, and each wakes the next one: the time of a task.",
        "pool.senders.aqueduct" => {
            "Ten tasks send to one over our channel, which has room for 1,000: the time of a message."
        }
        "pool.senders.tokio" => "As `pool.senders.aqueduct`, over tokio's channel.",
        _ => "",
    }
}
