//! Queues in programs' patterns, from the macro-benchmarks of the BBQ paper (section 6.3): the submission and
//! completion queues of `io_uring`, and the events of a Disruptor. Each run is checked: every item came once and in
//! order.
//!
//! - `exchange.io_uring`: one thread submits requests, the second takes them and confirms each at once, the third takes
//!   the confirmations; nanoseconds per request, from the first submission to the last confirmation taken. The queue of
//!   confirmations is twice as large. Batches of one, or of a random size from 1 to 32 (in tables and records as batch
//!   0).
//! - `exchange.multicast`: 1, or 3, producers publish events, 1, or 3, consumers see all of them, as in the Disruptor's
//!   tests 1P1C, 3P1C and 1P3C; million events per second. A queue gives an item to one consumer, so that for three
//!   consumers there are three queues and the producer pushes to each: that is what the Disruptor's authors do for the
//!   queues that they compare it with. (The BBQ paper does not say how it lets a queue's three consumers see all.)
//!   Consumers take what is there, up to 256 events at once; producers publish singly or in batches.

mod batch;
#[cfg(feature = "rivals")]
mod disruptor;
mod flow;
mod io_ring;
mod io_uring;
mod multicast;

use std::sync::atomic::AtomicBool;

use aqueduct_measure::machine;
use aqueduct_measure::rounds::{self, Cell, Findings, Observer, Outlook, Pace, check_memory, experiments};

experiments! {
    "exchange":
    /// `exchange.io_uring`.
    IoUring = "io_uring",
    /// `exchange.multicast`.
    Multicast = "multicast",
}

/// What to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The experiments.
    pub experiments: Vec<Experiment>,
    /// Whether the rings of comparison take part.
    pub peers: bool,
    /// Sizes of the submission queue, powers of two.
    pub submissions: Vec<usize>,
    /// Events that a Disruptor, or a queue in its place, can hold; a power of two.
    pub events: usize,
    /// The cores that threads are placed on, in their order. None are those of
    /// [`cores`](aqueduct_measure::machine::cores).
    pub cores: Vec<usize>,
    /// The number of rounds, and their duration.
    pub pace: Pace,
}

/// Returns the extent of the plan, and measures nothing.
///
/// # Errors
/// A sentence that says what is wrong with the plan.
pub fn outlook(plan: &Plan) -> Result<Outlook, String> {
    Outlook::of(&cells(plan, &machine::cores(&plan.cores)?)?, plan.pace)
}

/// Returns the workloads of the plan, if they are possible.
fn cells(plan: &Plan, cores: &[usize]) -> Result<Vec<Cell<'static>>, String> {
    /// The least and the largest ring: a batch fits into it, and its indices into 32 bits.
    const SIZES: std::ops::RangeInclusive<usize> = 32..=1 << 24;
    for (option, sizes) in [("submissions", &plan.submissions[..]), ("events", &[plan.events])] {
        if let Some(size) = sizes.iter().find(|size| !SIZES.contains(size) || !size.is_power_of_two()) {
            let (least, most) = SIZES.into_inner();
            return Err(format!("--{option}: {size} is not a possible size; powers of two from {least} to {most} are"));
        }
        sizes.iter().try_for_each(|&size| check_memory(option, size))?;
    }
    let of = |experiment: &Experiment| match experiment {
        Experiment::IoUring => io_uring::cells(plan, cores),
        Experiment::Multicast => multicast::cells(plan, cores),
    };
    Ok(plan.experiments.iter().flat_map(of).collect())
}

/// Measures what the plan asks for.
///
/// # Errors
/// A sentence that says what is wrong with the plan.
pub fn run(plan: &Plan, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Findings, String> {
    let cores = machine::cores(&plan.cores)?;
    let mut findings = rounds::measure(cells(plan, &cores)?, plan.pace, stop, observer)?;
    if cores.len() < 4 {
        findings.notes.push(format!("exchange: three and four threads shared {} cores", cores.len()));
    }
    Ok(findings)
}
