//! The workload in which consumers empty a queue that was filled before they start
//! ([`Workload::Drain`](super::workload::Workload::Drain)): consumers contend with consumers only.

use super::kind::{Receiver, Sender};
use super::stream::{Opened, Stream, Streamed, run};
use super::work::Simple;
use aqueduct_measure::rounds::Fault;

/// Fills a new queue, and lets the consumers empty it, until the measurement's items have gone
/// through.
pub(super) fn drain<S: Sender, R: Receiver>(
    spec: &Stream<'_>,
    open: &dyn Fn() -> Opened<S, R>,
) -> Result<Streamed, Fault> {
    let room = (spec.capacity / spec.threads.producers).max(1) as u64;
    let filling = Stream { items_each: spec.items_each.min(room), ..*spec };
    let mut all = run(&filling, open, &Simple)?;
    while all.items < spec.items() {
        all.add(run(&filling, open, &Simple)?);
    }
    Ok(all)
}

impl Streamed {
    /// Adds `other`, a part of one measurement with the same threads.
    fn add(&mut self, other: Self) {
        self.items += other.items;
        self.elapsed += other.elapsed;
        self.pushed.iter_mut().zip(other.pushed).for_each(|(all, more)| *all += more);
        self.popped.iter_mut().zip(other.popped).for_each(|(all, more)| *all += more);
        self.timed.merge(other.timed);
        self.l1_misses = self.l1_misses.zip(other.l1_misses).map(|(all, more)| all + more);
    }
}
