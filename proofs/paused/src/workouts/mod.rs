//! Workouts: threads at work on a queue, and exact checks of the results.

pub mod checks;
mod drop_old;
mod ends;
mod exchange;
pub mod log;
mod queues;
mod records;
mod round;
mod spsc;
mod stealing;

pub use round::{Case, Failure, Outcome, Queue, first_failure};

use crate::Fault;

/// Numbers of threads on the two sides, for queues with that many handles.
pub const THREADS: [[usize; 2]; 9] = [[1, 1], [2, 2], [3, 1], [1, 3], [3, 3], [4, 4], [8, 1], [1, 8], [8, 8]];

/// The limit of a side without a limit.
const MANY: usize = usize::MAX;

macro_rules! queues {
    ($($name:literal, [$first:ident, $second:ident]: $($subject:ident)::+ $(.$workout:ident)?;)*) => {
        /// All queues.
        pub static QUEUES: &[Queue] = &[$(Queue {
            name: $name,
            most: [queues!(@ $first), queues!(@ $second)],
            workout: queues!(@ $($subject)::+ $(.$workout)?),
        }),*];
    };
    (@ one) => {
        1
    };
    (@ many) => {
        MANY
    };
    (@ $($subject:ident)::+ .exchange) => {
        |dice, threads| $($subject)::+.workout(dice, threads)
    };
    (@ $($workout:ident)::+) => {
        $($workout)::+
    };
}

queues! {
    "bbq::spsc", [one, one]: queues::BBQ_SPSC.exchange;
    "bbq::mpsc", [many, one]: queues::BBQ_MPSC.exchange;
    "bbq::spmc", [one, many]: queues::BBQ_SPMC.exchange;
    "bbq::mpmc", [many, many]: queues::BBQ_MPMC.exchange;
    "bbq::Queue", [many, many]: queues::BBQ_QUEUE.exchange;
    "faaq", [many, many]: queues::FAAQ.exchange;
    "faaq::Queue", [many, many]: queues::FAAQ_QUEUE.exchange;
    "records::spsc", [one, one]: records::SPSC.exchange;
    "records::mpsc", [many, one]: records::MPSC.exchange;
    "records::spmc", [one, many]: records::SPMC.exchange;
    "records::mpmc", [many, many]: records::MPMC.exchange;
    "drop_old::spmc", [one, many]: drop_old::spmc;
    "drop_old::mpmc", [many, many]: drop_old::mpmc;
    "records::drop_old::spmc", [one, many]: drop_old::records_spmc;
    "records::drop_old::mpmc", [many, many]: drop_old::records_mpmc;
    "tube::SequencedRing", [many, many]: queues::TUBE_RING.exchange;
    "tube::IndexQueues", [many, many]: queues::TUBE_SCQD.exchange;
    "tube::Blocks", [many, many]: queues::TUBE_BBQ.exchange;
    "tube::FetchAddBlocks", [many, many]: queues::TUBE_FAAQ.exchange;
    "cnq::SequencedRing", [many, many]: queues::CNQ_RING.exchange;
    "cnq::IndexQueues", [many, many]: queues::CNQ_SCQD.exchange;
    "cnq::Blocks", [many, many]: queues::CNQ_BBQ.exchange;
    "cnq::FetchAddBlocks", [many, many]: queues::CNQ_FAAQ.exchange;
    "nblfq", [many, many]: queues::NBLFQ.exchange;
    "nblfq::wide", [many, many]: queues::NBLFQ_WIDE.exchange;
    "exact", [many, many]: queues::EXACT.exchange;
    "exact by permits", [many, many]: queues::EXACT_PERMITS.exchange;
    "unbounded", [many, many]: queues::UNBOUNDED.exchange;
    "bwos::lifo", [one, many]: stealing::lifo;
    "bwos::fifo", [one, many]: stealing::fifo;
    "spsc::lamport", [one, one]: spsc::LAMPORT.exchange;
    "spsc::lazy_lamport", [one, one]: spsc::LAZY_LAMPORT.exchange;
    "spsc::batched_lamport", [one, one]: spsc::BATCHED_LAMPORT.exchange;
    "spsc::stamped_line", [one, one]: spsc::STAMPED_LINE.exchange;
    "spsc::duplex", [one, one]: spsc::DUPLEX.exchange;
    "spsc::fast_forward", [one, one]: spsc::FAST_FORWARD.exchange;
    "spsc::improved_fast_forward", [one, one]: spsc::IMPROVED_FAST_FORWARD.exchange;
    "spsc::batched_improved_fast_forward", [one, one]: spsc::BATCHED_IMPROVED_FAST_FORWARD.exchange;
}

/// Returns all queues with all numbers of threads that they can have and this machine can run.
#[must_use]
pub fn cases() -> Vec<Case> {
    let runs_here = |queue: &&Queue| queue.name != "nblfq::wide" || queues::has_wide();
    let fits = |queue: &Queue, threads: [usize; 2]| threads[0] <= queue.most[0] && threads[1] <= queue.most[1];
    let of = |queue| {
        let threads = THREADS.into_iter().filter(move |&threads| fits(queue, threads));
        threads.map(move |threads| Case { queue, threads })
    };
    QUEUES.iter().filter(runs_here).flat_map(of).collect()
}

/// Returns the cases in which a fault can show: the cases of the queues that contain its place.
#[must_use]
pub fn cases_of(fault: Fault) -> Vec<Case> {
    let prefixes: &[&str] = match fault.file().split_once('/') {
        Some(("bbq", _)) => &["bbq", "faaq", "records", "drop_old", "tube::Blocks", "tube::FetchAddBlocks"],
        Some(("cnq", _)) => &["cnq"],
        Some(("tube", "index_queues.rs")) => &["tube::IndexQueues"],
        Some(("tube", "sequenced_ring.rs")) => &["tube::SequencedRing"],
        Some(("nblfq", _)) => &["nblfq"],
        Some(("exact", _)) => &["exact"],
        Some(("unbounded", _)) => &["unbounded"],
        Some(("bwos", file)) if file.starts_with("lifo/") => &["bwos::lifo"],
        Some(("bwos", file)) if file.starts_with("fifo/") => &["bwos::fifo"],
        Some(("bwos", _)) => &["bwos"],
        _ => &[""],
    };
    let mut cases = cases();
    cases.retain(|case| prefixes.iter().any(|prefix| case.queue.name.starts_with(prefix)));
    cases
}
