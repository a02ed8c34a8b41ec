//! A mirror of the library whose atomics stop threads at random, and exact checks of the queues'
//! results.
//!
//! A processor runs a few threads at a time and seldom stops one at a bad moment. Two cores show
//! next to nothing of the errors that appear when one thread of eight is slow. In this mirror each
//! access of an atomic or a cell, and each fence, is a [point](pauses): the thread may be stopped
//! there while the others take some thousand steps. The [checks](workouts::checks) of the queues'
//! results are exact: no slack, and no false alarm.
//!
//! # How threads run
//! - *In turns*: the threads of a round are coroutines of one operating system thread, and a
//!   generator decides which one goes on. A round depends on its number alone, so a failure can be
//!   run again. Several rounds run at a time, one on each core; each passes millions of points a
//!   second, with any number of threads.
//! - *Free*: the threads are threads of the operating system and stop themselves. The outcome
//!   depends on the machine. Most faults take much longer to find than in turns. In exchange, this
//!   mode has what turns lack: the store buffers of the processor, and on processors weaker than
//!   x86-64 the effects of missing orderings.
//!
//! A [`Plan`](pauses::Plan) sets how long threads run between two decisions, how often and how long
//! they stop, and which of them are slow. It is drawn for each round, because no single
//! distribution finds all faults fast.
//!
//! # Checks
//! - No item is lost, comes twice, comes without having been pushed, or comes in pieces.
//! - Order. Each call has an interval of a common clock. An item is *certainly older* than another
//!   one if its push ended before the other one's began. In a FIFO queue no item overtakes a
//!   certainly older one. In CNQ no item comes while `k` certainly older ones are in the queue, and
//!   no item that is certainly the oldest is overtaken `k` times.
//! - `Empty` and `Full` were true at a time during the call, if the queue documents their meaning.
//! - Work stealing: the owner takes its newest item, or its oldest; the thieves of a LIFO queue
//!   take the oldest.
//! - Drop-old queues: each written item was read or lost, and the last items are kept.
//! - Some thread makes progress. In turns: no call waits for a thread that stands still.
//!
//! # Faults that it finds
//! `tests/known_wrong.rs` lists the faults of `aqueduct-faults` that must be found; this mirror
//! contains these faults. The program's `table` command measures how fast each one is found. Some
//! take long, because two threads have to stop at places of one access each
//! (`CnqAnswersForAnother`, `CnqBelievesTheCount`), or a rare path has to be taken
//! (`BbqLeavesTheHeadBehind`, `CnqReadsTheForbidden`, `CnqForgetsTheForbidden`). It does not find:
//! - faults in orderings alone (`IndicesFollowUnknowing`), because a pause does not reorder
//!   accesses that the processor does not reorder, and in turns all accesses are sequentially
//!   consistent. The model checker finds these.
//! - faults that cost time or room and break no guarantee (`CnqClosesItself`). The tables of stalls
//!   show these.
//!
//! # Limits
//! A pass is a sample, not a proof; the model checker has the proof. A data race shows only in its
//! effect on items. A counter wraps only in queues that can begin near its end: those of blocks,
//! work-stealing queues, and queues of one producer and one consumer.
//!
//! # Longer runs
//! `cargo test -p aqueduct-paused` runs a fixed number of rounds; `AQUEDUCT_PAUSED_ROUNDS=100` runs
//! a hundred times as many. The program uses all cores for a given time:
//! `cargo run --release -p aqueduct-paused -- --seconds 3600 --seed 7`.

extern crate alloc;

mod memory;
pub mod pauses;
mod sync;
pub mod workouts;

include!("../../faults/src/place.rs");
include!("../../faults/src/queues/faults/all.rs");
include!(concat!(env!("OUT_DIR"), "/queues.rs"));

impl Fault {
    /// Returns the library's file that the fault is in, below its `src`.
    #[must_use]
    pub fn file(self) -> &'static str {
        PLACES.iter().find(|(fault, _)| *fault == self).expect("each fault has a place").1.file
    }
}

std::thread_local! {
    static PRESENT: std::cell::Cell<Option<Fault>> = const { std::cell::Cell::new(None) };
}

/// Runs `body` with this fault switched on for this thread, or with none.
pub fn with<R>(fault: Option<Fault>, body: impl FnOnce() -> R) -> R {
    let before = PRESENT.replace(fault);
    let result = body();
    PRESENT.set(before);
    result
}

/// Returns the fault that is switched on for this thread.
pub(crate) fn present() -> Option<Fault> {
    PRESENT.get()
}

/// Whether this fault is switched on.
pub(crate) fn has(fault: Fault) -> bool {
    present() == Some(fault)
}
